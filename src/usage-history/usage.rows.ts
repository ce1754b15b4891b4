import type { Store } from '../store/store.ts'
import type { PlainPut, PlainRow } from '../store/tables/plain-tables.ts'
import { decodeBlock, encodeBlock, joinBlocks } from './host-blocks.ts'
import { decodePoints, encodePoints, joinAll } from './points.ts'
import { CLOUD_SCOPE } from './sample.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfStep, TEN_MINUTES_MS } from './steps.ts'

export type UsageTable = 'usage_minutes' | 'usage_hours' | 'usage_days'
export type UsagePut = Extract<PlainPut, { table: UsageTable }>
export type UsageRow = PlainRow<UsageTable>

/** The first scope of each kind of sample: whoever puts it has recorded the sample. */
export const FIRST_SCOPES = { zones: CLOUD_SCOPE, hosts: 'hosts:0' } as const

const isHosts = (scope: string): boolean => scope.startsWith('hosts:')
const isOften = (scope: string): boolean => scope === CLOUD_SCOPE || scope.startsWith('zone:')

/** How often a scope is sampled. */
export const stepOf = (scope: string): number => (isOften(scope) ? MINUTE_MS : TEN_MINUTES_MS)

interface RollUp {
  readonly table: 'usage_hours' | 'usage_days'
  readonly stepMs: number
}

const HOURS: RollUp = { table: 'usage_hours', stepMs: HOUR_MS }
const DAYS: RollUp = { table: 'usage_days', stepMs: DAY_MS }
const HOURS_AND_DAYS = [HOURS, DAYS]

/** Into which longer steps the samples of a scope go. Hosts have no hours: they would take half of all room. */
export const rollUpsOf = (scope: string): readonly RollUp[] => (isHosts(scope) ? [DAYS] : HOURS_AND_DAYS)

/** Joins the stored points of a longer step, null at its beginning, with those of a later sample. */
export function joinTexts(scope: string, before: string | null, sample: string): string {
  if (before === null) return sample
  return isHosts(scope)
    ? encodeBlock(joinBlocks(decodeBlock(before), decodeBlock(sample)))
    : encodePoints(joinAll(decodePoints(before), decodePoints(sample)))
}

export const makePut = (
  table: UsageTable,
  scope: string,
  atMs: number,
  points: string,
  is_made_up = 0,
): UsagePut => ({ table, row: { scope, points, is_made_up, at_ms: atMs } })

/** The put of a sample itself: refused with all others of its commit if another process has recorded it. */
export const makeSamplePut = (scope: string, nowMs: number, points: string): UsagePut => ({
  ...makePut('usage_minutes', scope, startOfStep(nowMs, stepOf(scope)), points),
  isNew: true,
})

const ROWS_PER_PAGE = 500

/** The rows of a scope from a time on, the newest first. */
export async function readUsageRows(
  store: Pick<Store, 'plainRows'>,
  table: UsageTable,
  scope: string,
  fromMs: number,
  nowMs: number,
): Promise<UsageRow[]> {
  const found: UsageRow[] = []
  for (;;) {
    const last = found.at(-1)
    const after = last === undefined ? {} : { after: [last.at_ms, scope] }
    const page = await store.plainRows(table, { where: { scope }, limit: ROWS_PER_PAGE, ...after }, nowMs)
    found.push(...page.filter(row => row.at_ms >= fromMs))
    if (page.length < ROWS_PER_PAGE || (page.at(-1)?.at_ms ?? 0) < fromMs) return found
  }
}
