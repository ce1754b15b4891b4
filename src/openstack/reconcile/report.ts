import type { ReconcileReport } from '../../wire/reconcile.ts'
import type { Finding } from './finding.ts'
import type { Reconciled } from './reconcile.ts'

interface ReportOf {
  readonly cloud: string
  readonly startedMs: number
  readonly finishedMs: number
  /** Limits findings and unjudged consumers in a report. The rest is counted. */
  readonly listedMax: number
}

export function makeReport(
  { findings, notJudged, compared, passed }: Reconciled,
  { cloud, startedMs, finishedMs, listedMax }: ReportOf,
): ReconcileReport {
  return {
    cloud,
    started_at: new Date(startedMs).toISOString(),
    finished_at: new Date(finishedMs).toISOString(),
    compared,
    counts: countKinds(findings),
    findings: findings.slice(0, listedMax).map(({ repair, ...finding }) => ({
      ...finding,
      fixable: repair !== null,
    })),
    findings_omitted: Math.max(0, findings.length - listedMax),
    not_judged: notJudged.slice(0, listedMax),
    not_judged_omitted: Math.max(0, notJudged.length - listedMax),
    passed,
  }
}

function countKinds(findings: readonly Pick<Finding, 'kind'>[]): Record<string, number> {
  const groups = Map.groupBy(findings, ({ kind }) => kind)
  return Object.fromEntries([...groups].map(([kind, some]) => [kind, some.length]))
}
