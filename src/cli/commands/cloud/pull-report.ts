import type { KindReport } from '../../../openstack/pull/apply-pull.ts'
import { differingColumns, type KindPlan, type PlannedRow } from '../../../openstack/pull/plan-pull.ts'
import { keyOf } from '../../../openstack/pull/pull-line.ts'
import { type Look, right, table } from '../../render/table.ts'
import { escapeControls } from '../../render/text-width.ts'

const SHOWN_MAX = 200
const MARKS = { create: '+', update: '~', remove: '-' } as const

/** The changes, row by row; unchanged rows are only counted. */
export function planText(plans: readonly KindPlan[], look: Look): string {
  const changes = plans.flatMap(plan => plan.changes)
  const shown = changes.slice(0, SHOWN_MAX).map(describeChange)
  const left = changes.length - shown.length
  const more = left > 0 ? `and ${left} more; --json lists all\n` : ''
  return `${shown.join('')}${more}${planTable(plans, look)}`
}

function describeChange({ action, line, before }: PlannedRow): string {
  const [name = '', ...key] = JSON.parse(keyOf(line)) as string[]
  const called =
    typeof line.row.name === 'string' && !key.includes(line.row.name) ? ` (${line.row.name})` : ''
  const columns = action === 'update' && before !== null ? differingColumns(before, line.row) : []
  const details = columns.map(
    column =>
      `    ${column}: ${escapeControls(String(before?.[column]))} -> ${escapeControls(String(line.row[column]))}\n`,
  )
  return `${MARKS[action]} ${name} ${escapeControls(`${key.join(' ')}${called}`)}\n${details.join('')}`
}

const COLUMNS = ['kind', right('create'), right('change'), right('remove'), right('unchanged')]

function planTable(plans: readonly KindPlan[], look: Look): string {
  const count = ({ changes }: KindPlan, action: string) => changes.filter(one => one.action === action).length
  const rows = plans.map(plan => [
    plan.kind,
    count(plan, 'create'),
    count(plan, 'update'),
    count(plan, 'remove'),
    plan.unchanged,
  ])
  return table(COLUMNS, rows, look)
}

const DONE = [
  'kind',
  right('created'),
  right('changed'),
  right('removed'),
  right('unchanged'),
  right('left out'),
]

export const summaryTable = (reports: readonly KindReport[], look: Look): string =>
  table(
    DONE,
    reports.map(one => [one.kind, one.created, one.updated, one.removed, one.unchanged, one.left.length]),
    look,
  )

/** The rows that are left out, one per line. */
export function leftText(left: KindReport['left']): string {
  const shown = left
    .slice(0, SHOWN_MAX)
    .map(({ table: of, name, why }) => `  ${of} ${escapeControls(name)}: ${escapeControls(why)}\n`)
  const more = left.length - shown.length
  return `Left out:\n${shown.join('')}${more > 0 ? `  and ${more} more; --json lists all\n` : ''}`
}
