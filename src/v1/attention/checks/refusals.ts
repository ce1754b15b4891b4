import { countText } from '../../../kernel/count-text.ts'
import type { DecisionRow, DecisionSummary } from '../../../scheduling/decisions/rows.ts'
import { type AttentionCheck, type CheckRun, WorstItems } from '../check.ts'

const HOUR_MS = 3_600_000
const ROWS_PER_PAGE = 500
/** Rows beyond this number are not read, and the text says so. */
const ROWS_MAX = 10_000

/** What the scheduler refused in the last hour. */
export const refusals: AttentionCheck = {
  code: 'decision.refused',
  what: 'Requests of the last hour that found no place, by reason.',
  severity: 'warning',
  operation: 'berth:decisions',
  restMs: 5_000,
  readsMoreThanState: true,
  async find(run) {
    const { counts, total } = await countRefusals(run)
    if (total === 0) return null
    const worst = new WorstItems()
    for (const [reason, { count, last }] of counts)
      worst.add(count, {
        name: reason,
        text: `${countText(count, 'time')}, the last at ${new Date(last.at_ms).toISOString().slice(11, 16)} UTC`,
        link: `/decisions/${last.id}`,
      })
    return {
      total,
      text: `${total >= ROWS_MAX ? 'At least ' : ''}${countText(total, 'request was', 'requests were')} refused in the last hour`,
      link: '/decisions?outcome=refused&hours=1',
      command: 'berth decision list --outcome refused --since 1h',
      items: worst.list(),
    }
  },
}

interface Count {
  readonly count: number
  /** The newest. */
  readonly last: DecisionRow
}

async function countRefusals({ store, nowMs, turns }: CheckRun) {
  const counts = new Map<string, Count>()
  let total = 0
  let after: readonly (string | number)[] | null = null
  while (total < ROWS_MAX) {
    const page: DecisionRow[] = await store.plainRows(
      'decisions',
      {
        where: { outcome: 'refused' },
        sinceMs: nowMs - HOUR_MS,
        limit: ROWS_PER_PAGE,
        ...(after === null ? {} : { after }),
      },
      nowMs,
    )
    for (const row of page) {
      // A dry run refuses nothing that anyone wanted.
      if (row.kind === 'dry-run') continue
      await turns.give()
      const reason = describeRefusal(row)
      const known = counts.get(reason)
      counts.set(reason, { count: (known?.count ?? 0) + 1, last: known?.last ?? row })
      total++
    }
    const last = page.at(-1)
    if (last === undefined || page.length < ROWS_PER_PAGE) break
    after = [last.at_ms, last.id]
  }
  return { counts, total }
}

/** Names the filter that removed the last hosts, so that refusals by the same filter are counted together. */
function describeRefusal({ kind, summary }: DecisionRow): string {
  const { refusal, choice } = JSON.parse(summary) as Partial<DecisionSummary>
  const filter = choice?.funnel?.findLast(({ before, after }) => before > 0 && after === 0)?.filter
  if (filter !== undefined) return `${kind}: ${filter}`
  if (choice?.candidates === 0) return `${kind}: no host has room`
  return `${kind}: ${(refusal?.kind ?? 'refused').replaceAll('-', ' ')}`
}
