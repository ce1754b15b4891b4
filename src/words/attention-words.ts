import type { AttentionFinding } from '../wire/attention.ts'

/** How many of each severity, as in `2 critical, 1 warning, 3 notes`. */
export function countSeverities(findings: readonly Pick<AttentionFinding, 'severity'>[]): string {
  const count = (severity: AttentionFinding['severity'], one: string, many: string) => {
    const number = findings.filter(finding => finding.severity === severity).length
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]
  }
  return [
    ...count('critical', 'critical', 'critical'),
    ...count('warning', 'warning', 'warnings'),
    ...count('note', 'note', 'notes'),
  ].join(', ')
}
