import type { Log } from '../../http/ops/log.ts'
import type { KeptReason } from '../../scheduling/decisions/nova.rows.ts'
import { type FilterRefusal, makeHistogram } from '../../scheduling/framework/pipeline.ts'
import { reasonText, remedyText } from '../../scheduling/framework/refusal-text.ts'
import type { TypeOf } from '../../wire/shape.ts'
import type { missedCalls } from './nova-shapes.ts'

/** Verdicts about hosts or pools that the scheduler of another service sent. */

/** The first refusal of each host or pool, in the order of the request; null if it passes. */
type Refusals = readonly (FilterRefusal | null)[]

const REASONS_KEPT = 20

/** Most hosts first. `nameAt` names hosts in remedies. */
export function listReasons(refusals: Refusals, nameAt?: (at: number) => string): KeptReason[] {
  const removed = refusals.filter(one => one !== null)
  const bars = makeHistogram(removed.map(one => ({ host: null, refusals: [one], notes: [] })))
  return bars.slice(0, REASONS_KEPT).map(({ filter, code, key, hosts }) => {
    const at = refusals.findIndex(
      one => one?.filter === filter && one.reasons.some(reason => reason.code === code),
    )
    const reason = refusals[at]?.reasons.find(one => one.code === code)
    if (reason === undefined) return { filter, code, key, hosts, text: code }
    const kept = { filter, code, key, hosts, text: reasonText(reason) }
    if (nameAt === undefined) return kept
    return { ...kept, remedy: `For ${nameAt(at)}: ${remedyText(reason, nameAt(at))}.` }
  })
}

interface Verdicts {
  readonly passes: number[]
  readonly refused: {
    readonly host: number
    readonly filter: string
    readonly code: string
    readonly text: string
  }[]
}

export function renderVerdicts(refusals: Refusals): Verdicts {
  const verdicts: Verdicts = { passes: [], refused: [] }
  for (const [host, refusal] of refusals.entries()) {
    if (refusal === null) verdicts.passes.push(host)
    else {
      const [reason] = refusal.reasons
      verdicts.refused.push({ host, filter: refusal.filter, code: reason.code, text: reasonText(reason) })
    }
  }
  return verdicts
}

/** One line for a log; `what` says whether hosts or pools are counted. */
export function summarizeReasons(
  what: 'hosts' | 'pools',
  count: number,
  passed: number,
  reasons: readonly KeptReason[],
): string {
  const why = reasons.map(({ filter, code, key, hosts }) =>
    key === null ? `${filter} ${code}: ${hosts}` : `${filter} ${code} ${key}: ${hosts}`,
  )
  return [`${passed} of ${count} ${what} pass`, ...why].join('; ')
}

/** Logs calls that never reached Berth, as the caller reports them. */
export function reportMissedCalls(
  log: Pick<Log, 'warn'>,
  service: 'Nova' | 'Manila',
  body: {
    readonly missed_calls?: TypeOf<typeof missedCalls>
    readonly request_id?: string | null
  },
): void {
  if (body.missed_calls === undefined) return
  const { count, last_error, on_failure } = body.missed_calls
  const did =
    on_failure === 'open' ? 'went on without Berth' : `refused all ${service === 'Nova' ? 'hosts' : 'pools'}`
  log.warn(`${service}’s scheduler got no answer from Berth and ${did}`, {
    calls: count,
    last_error: last_error ?? '',
    request_id: body.request_id ?? '',
  })
}
