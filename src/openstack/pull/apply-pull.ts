import type { PullBody, PullReport } from '../../wire/pull.ts'
import type { KindPlan } from './plan-pull.ts'
import { keyOf, ownerOf, type PullKind, type PullLine } from './pull-line.ts'

/** Each request is one commit; a kind with more rows takes several. */
const ROWS_PER_COMMIT = 1_000

/** The result for one kind. */
export interface KindReport extends PullReport {
  readonly kind: PullKind
  /** The keys of the rows that were refused. */
  readonly leftKeys: ReadonlySet<string>
}

type Send = (body: PullBody) => Promise<PullReport>

/** Sends a plan: removals of objects first, removals of their parts last. */
export async function applyKind(plan: KindPlan, send: Send, adopt: boolean): Promise<KindReport> {
  const total = {
    created: 0,
    updated: 0,
    removed: 0,
    unchanged: plan.unchanged,
    left: [] as PullReport['left'][number][],
  }
  const leftKeys = new Set<string>()
  for (const body of splitPlan(plan)) {
    const done = await send({ ...body, adopt })
    total.created += done.created
    total.updated += done.updated
    total.removed += done.removed
    total.unchanged += done.unchanged
    total.left.push(...done.left)
    for (const { at } of done.left) if (at !== null) leftKeys.add(keyOf(body.rows[at] as PullLine))
  }
  return { kind: plan.kind, ...total, leftKeys }
}

function* splitPlan({ rows, removed }: KindPlan): Generator<{ rows: PullLine[]; removed: PullLine[] }> {
  if (rows.length + removed.length <= ROWS_PER_COMMIT) {
    if (rows.length + removed.length > 0) yield { rows: [...rows], removed: [...removed] }
    return
  }
  const isPart = (line: PullLine) => ownerOf(line) !== null
  for (const some of split(removed.filter(line => !isPart(line)))) yield { rows: [], removed: some }
  for (const some of split(rows)) yield { rows: some, removed: [] }
  for (const some of split(removed.filter(isPart))) yield { rows: [], removed: some }
}

function* split(lines: readonly PullLine[]): Generator<PullLine[]> {
  for (let at = 0; at < lines.length; at += ROWS_PER_COMMIT) yield lines.slice(at, at + ROWS_PER_COMMIT)
}

/** What Berth has after a plan was applied. Refused rows are missing, so that the next round tries them again. */
export function noteApplied(
  here: Map<string, PullLine>,
  { rows, removed }: KindPlan,
  { leftKeys }: KindReport,
  mark: string,
): void {
  for (const line of removed) here.delete(keyOf(line))
  for (const line of rows)
    here.set(
      keyOf(line),
      'applied_by' in line.row ? { ...line, row: { ...line.row, applied_by: mark } } : line,
    )
  for (const key of leftKeys) here.delete(key)
}
