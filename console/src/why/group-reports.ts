import type { HostReport } from '../../../src/wire/schedule-explanation.ts'

/** Hosts that fail for the same reasons are one group; those that pass have weights of their own. */
export function groupReports(
  reports: readonly HostReport[],
): readonly (readonly [HostReport, ...HostReport[]])[] {
  const groups = new Map<string, [HostReport, ...HostReport[]]>()
  for (const report of reports) {
    const key = report.verdict === 'passes' ? report.provider : keyOf(report)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [report])
    else known.push(report)
  }
  return [...groups.values()]
}

/** Texts name the host, which does not make them differ. */
export const withoutName = (text: string, host: string): string => text.replaceAll(host, 'the host')

const keyOf = ({ host, verdict, misses, refusals, notes }: HostReport): string =>
  JSON.stringify([
    verdict,
    misses.map(text => withoutName(text, host)),
    refusals.map(({ filter, reasons }) => [filter, reasons.map(({ text }) => withoutName(text, host))]),
    notes.map(({ filter, text }) => [filter, withoutName(text, host)]),
  ])
