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
      'Applies a JSON file of hosts, flavors, host aggregates and share back ends: {"hosts": [...], ' +
      '"flavors": [...], "aggregates": [...], "shares": {...}}. It prints the plan, then carries it out, all or nothing. What an earlier run created ' +
      'and the file no longer has is removed; what others created is never removed. A kind that the file omits ' +
      'is not changed. POST /v1/apply describes every field.',
    notes: 'Lines start with + for additions, ~ for changes, and - for removals.',
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
    .option('--owner <name>', 'The name of this set of declarations. (default: default)')
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
    throw new Stopped(`${inputName(file)} is not JSON: ${(error as Error).message}`, exitCodes.invalid)
  }
}
