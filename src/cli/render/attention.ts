import type { Attention, AttentionFinding } from '../../wire/attention.ts'
import { countSeverities } from '../../words/attention-words.ts'
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
  const room = rows - tail.length - 4
  const shown = findings.slice(0, countFindings(findings.length, room))
  const hidden = findings.slice(shown.length)
  const lines = [
    summarize(attention, look),
    '',
    ...shown.flatMap(one => renderFinding(one, look, countItems(shown, room))),
    ...(hidden.length === 0 ? [] : [cutTo(`and ${countSeverities(hidden)}: berth status | cat`, look.width)]),
    ...(findings.length === 0 ? [] : ['']),
    ...tail.map(line => cutTo(escapeControls(line), look.width)),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** As many as fit with a line for the text, one for the command, and one that says how many are left out. */
function countFindings(all: number, rows: number): number {
  return all * 2 <= rows ? all : Math.max(1, Math.floor((rows - 1) / 2))
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
  return look.style.bold(`${countSeverities(findings)} at revision ${revision}`)
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
