import { inputName, inputText } from '../../args/input-text.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { planText } from '../../render/plan.ts'
import type { Describe } from '../describe-command.ts'

interface Options {
  readonly owner?: string
  readonly dryRun?: true
}

export const describeApply: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Makes hosts, flavors, host aggregates and share back ends as a JSON file says: {"hosts": [...], ' +
      '"flavors": [...], "aggregates": [...], "shares": {...}}. First the plan is shown, then it is done, all of it or nothing. What an earlier run made ' +
      'and the file no longer has is removed; what others made is never removed. A kind that the file does not have ' +
      'is left alone. POST /v1/apply describes every field.',
    notes: 'Lines start with + for what is made, ~ for what changes, and - for what goes.',
    json:
      '{"dry_run", "plan": [{"kind", "name", "action", "owned", "differences": [{"field", "before", "after"}]}], ' +
      '"warnings": [TEXT, ...]}.',
    examples: [
      'berth apply cloud.json --dry-run',
      'berth apply cloud.json',
      'berth apply team.json --owner team-2',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<file>', 'The file, or - for standard input.')
    .option('--owner <name>', 'The set of declarations that the file is. (default: default)')
    .option('--dry-run', 'Only show the plan.')
  whenRun(command, around, end, async (session, options: Options, file: string) => {
    const declarations = parseDeclarations(file, await inputText(around, file))
    const query = (dryRun: boolean) =>
      new URLSearchParams({ owner: options.owner ?? 'default', dry_run: String(dryRun) }).toString()
    const plan = await session.berth.apply(declarations, query(true))
    for (const warning of plan.warnings) session.note(`warning: ${warning}`)
    if (options.dryRun === true) return session.print(plan, look => planText(plan, look))
    if (!session.asJson) session.around.stdout.write(planText(plan, session.look))
    const done = await session.berth.apply(declarations, query(false))
    const changes = done.plan.filter(one => one.action !== 'unchanged').length
    session.print(done, () => (changes === 0 ? '' : `applied ${changes} changes\n`))
  })
}

function parseDeclarations(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Stopped(`${inputName(file)} is no JSON: ${(error as Error).message}`, exitCodes.invalid)
  }
}
