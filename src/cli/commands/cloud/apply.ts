import { countText } from '../../../kernel/count-text.ts'
import { ownValue } from '../../../kernel/records.ts'
import type { ApplyReport, PlannedChange } from '../../../wire/apply.ts'
import { inputName, inputText } from '../../args/input-text.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import type { Look } from '../../render/table.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'

interface Options {
  readonly owner?: string
  readonly dryRun?: true
}

export const describe: Describe = (command, around, end) => {
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
    session.print(done, () => (changes === 0 ? '' : `applied ${countText(changes, 'change')}\n`))
  })
}

function parseDeclarations(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Stopped(`${inputName(file)} is not JSON: ${(error as Error).message}`, exitCodes.invalid)
  }
}

const MARKS: Readonly<Record<string, string>> = { create: '+', update: '~', remove: '-' }

/** The changes, field by field; unchanged things are only counted. */
function planText({ plan }: ApplyReport, look: Look): string {
  const changed = plan.filter(one => one.action !== 'unchanged')
  const lines = changed.flatMap(one => [headOf(one, look), ...one.differences.map(differenceText)])
  const count = (action: string) => plan.filter(one => one.action === action).length
  const sums = `${count('create')} to create, ${count('update')} to change, ${count('remove')} to remove`
  return `${[...lines, `${sums}, ${count('unchanged')} unchanged`].join('\n')}\n`
}

function headOf({ kind, name, action, owned }: PlannedChange, { style }: Look): string {
  const others = owned ? '' : ' (created by others; it stays when it is dropped)'
  return style.bold(`${ownValue(MARKS, action) ?? ' '} ${kind} ${escapeControls(name)}`) + others
}

function differenceText({ field, before, after }: PlannedChange['differences'][number]): string {
  const render = (value: unknown) => escapeControls(JSON.stringify(value))
  if (before === undefined) return `    + ${escapeControls(field)}: ${render(after)}`
  if (after === undefined) return `    - ${escapeControls(field)}: ${render(before)}`
  return `    ~ ${escapeControls(field)}: ${render(before)} -> ${render(after)}`
}
