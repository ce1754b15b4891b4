import { ownValue } from '../../kernel/records.ts'
import type { ApplyReport, PlannedChange } from '../../wire/apply.ts'
import type { Look } from './table.ts'
import { escapeControls } from './text-width.ts'

const MARKS: Readonly<Record<string, string>> = { create: '+', update: '~', remove: '-' }

/** What is to be done, thing by thing and field by field; what stays is only counted. */
export function planText({ plan }: ApplyReport, look: Look): string {
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
