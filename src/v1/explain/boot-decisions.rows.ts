import type { KeptNovaRequest } from '../../scheduling/decisions/nova.rows.ts'
import type { KeptClaim } from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionRow } from '../../scheduling/decisions/rows.ts'
import type { Store } from '../../store/store.ts'

interface BootDecisions {
  /** Oldest first. */
  readonly rows: readonly DecisionRow[]
  readonly isCut: boolean
}

const STAGES_MAX = 200
const GLOBAL_IDS_MAX = 20

/**
 * Every decision about a request or a server, and the other stages of the same boot. These need a second
 * search: a query for candidates names no server, and another service may use one global id for several
 * requests.
 */
export async function findBootDecisions(store: Store, id: string, nowMs: number): Promise<BootDecisions> {
  const found = await findAbout(store, id, nowMs)
  const rows = new Map(found.rows.map(row => [row.id, row]))
  const servers = new Set(found.rows.flatMap(listServers))
  const globalIds = new Set(found.rows.flatMap(row => row.global_request_id ?? []))
  globalIds.delete(id)
  for (const globalId of [...globalIds].slice(0, GLOBAL_IDS_MAX)) {
    const related = await findAbout(store, globalId, nowMs)
    for (const row of related.rows)
      if (row.kind === 'candidates' || listServers(row).some(one => servers.has(one))) rows.set(row.id, row)
  }
  const inOrder = [...rows.values()].sort(
    (a, b) => a.at_ms - b.at_ms || rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1),
  )
  return { rows: inOrder.slice(-STAGES_MAX), isCut: found.isCut || inOrder.length > STAGES_MAX }
}

async function findAbout(store: Store, id: string, nowMs: number): Promise<BootDecisions> {
  const about = await store.plainRows(
    'decision_servers',
    { where: { instance: id }, limit: STAGES_MAX + 1 },
    nowMs,
  )
  const rows = await Promise.all(
    about.slice(0, STAGES_MAX).map(({ decision }) => store.plainRow('decisions', [decision], nowMs)),
  )
  return { rows: rows.filter(row => row !== null), isCut: about.length > STAGES_MAX }
}

/** The order in which Nova asks, for stages of the same millisecond. */
const STAGE_ORDER = ['candidates', 'nova-filter', 'claim']
const rankOf = ({ kind }: DecisionRow): number => STAGE_ORDER.indexOf(kind)

/** The servers that a stage of Nova's scheduling names. */
export function listServers({ kind, request }: Pick<DecisionRow, 'kind' | 'request'>): readonly string[] {
  if (kind === 'claim') return (JSON.parse(request) as KeptClaim).consumers
  if (kind !== 'nova-filter') return []
  const { instance } = JSON.parse(request) as KeptNovaRequest
  return instance === null ? [] : [instance]
}
