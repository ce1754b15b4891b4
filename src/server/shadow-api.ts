import type { Shadow } from '../shadow/start.ts'
import type { ShadowApi } from '../v1/admin/shadow.routes.ts'

/** What /v1 shows of the Placement that is shadowed. */
export function shadowApi(shadow: Shadow): ShadowApi {
  const { report, control, sweep } = shadow
  return {
    status: () => ({
      placement: shadow.url,
      ...control.modes,
      since: report.since,
      process_id: shadow.member,
      leader: shadow.leader,
      ...report.totals,
      orphaned: shadow.orphans.size,
      backlog: shadow.backlog,
      latency: report.latencies,
      sweep: sweep.status,
      counts: report.counts,
    }),
    listDifferences: includesKnown => ({
      total: report.totals.differences,
      differences: [...report.listDifferences(includesKnown)],
      repairs: [...report.listRepairs()],
    }),
    sweepAll: () => sweep.sweepAll('an operator asked for it'),
    set: async (wanted, force) => plain(await control.set(wanted, force)),
    end: async force => plain(await control.end(force)),
  }
}

type Outcome = Awaited<ReturnType<ShadowApi['set']>>

/** With lists of its own. */
const plain = (outcome: Awaited<ReturnType<Shadow['control']['end']>>): Outcome =>
  outcome.ok
    ? { ...outcome, lost: [...outcome.lost] }
    : { ...outcome, refused: { ...outcome.refused, differences: [...outcome.refused.differences] } }
