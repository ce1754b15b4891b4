import type { Attention, AttentionFinding, Severity } from '../../wire/attention.ts'
import type { Look } from './table.ts'
import { cutTo, escapeControls } from './text-width.ts'

const MARGIN = 10

/** One screen: for each finding a line, some items, and the command that leads to the remedy. */
export function attentionText(attention: Attention, look: Look, rows: number): string {
  const { findings, passed, not_allowed, failed } = attention
  const tail = [
    ...failed.map(({ code, text }) => `unknown    ${code}: the check failed: ${text}`),
    [
      `${passed.length} of ${passed.length + findings.length + failed.length} checks found nothing`,
      ...(not_allowed.length === 0 ? [] : [`not allowed to see: ${not_allowed.join(', ')}`]),
    ].join('; '),
  ]
  const lines = [
    summarize(attention, look),
    '',
    ...findings.flatMap(one => renderFinding(one, look, countItems(findings, rows - tail.length - 4))),
    ...(findings.length === 0 ? [] : ['']),
    ...tail.map(line => cutTo(escapeControls(line), look.width)),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** As many items of each finding as fit, the same number for all. */
function countItems(findings: readonly AttentionFinding[], rows: number): number {
  const most = Math.max(0, ...findings.map(({ items }) => items.length))
  const height = (shown: number) =>
    findings.reduce(
      (sum, { items, total }) => sum + 2 + Math.min(items.length, shown) + (total > shown ? 1 : 0),
      0,
    )
  for (let shown = most; shown > 0; shown--) if (height(shown) <= rows) return shown
  return 0
}

function summarize({ findings, revision }: Attention, look: Look): string {
  if (findings.length === 0) return `${look.style.good('Nothing needs attention')} at revision ${revision}`
  const count = (severity: Severity, one: string, many: string) => {
    const number = findings.filter(finding => finding.severity === severity).length
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]
  }
  const parts = [
    ...count('critical', 'critical', 'critical'),
    ...count('warning', 'warning', 'warnings'),
    ...count('note', 'note', 'notes'),
  ]
  return look.style.bold(`${parts.join(', ')} at revision ${revision}`)
}

function renderFinding(
  { severity, text, total, items, command }: AttentionFinding,
  look: Look,
  shown: number,
): string[] {
  const { style, width } = look
  const paint = severity === 'critical' ? style.bad : severity === 'warning' ? style.bold : style.dim
  const indent = ' '.repeat(MARGIN)
  // Cuts before it adds colours, whose codes would count as width.
  const cut = (line: string) => cutTo(escapeControls(line), width - MARGIN)
  const listed = items.slice(0, shown)
  const more = total - listed.length
  const rest = listed.length > 0 && more > 0 ? [`${indent}${style.dim(`and ${more} more`)}`] : []
  return [
    `${paint(severity.padEnd(MARGIN))}${cut(text)}`,
    ...listed.map(item => `${indent}${cut(`${item.name}: ${item.text}`)}`),
    ...rest,
    `${indent}${style.dim(cut(`$ ${command}`))}`,
  ]
}
