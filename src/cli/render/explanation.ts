import type { Explanation } from '../../wire/explanation.ts'
import { type Column, flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

/** The funnel as a table, then the nearest misses, then what would help. */
export function explanationText(explained: Explanation, look: Look): string {
  const parts = [headline(explained, look), funnelTable(explained, look)]
  const { nearest = [], changes } = explained
  if (nearest.length > 0) parts.push(misses(nearest, look))
  if (changes.length > 0)
    parts.push(
      `${look.style.bold('Any one of these would give a candidate:')}\n${changes.map(({ text }) => `  ${escapeControls(text)}\n`).join('')}`,
    )
  return parts.filter(part => part !== '').join('\n')
}

function headline({ candidates, capped, revision, funnel }: Explanation, { style }: Look): string {
  const at = style.dim(`at revision ${revision}`)
  if (candidates === 0 && funnel[0]?.providers_before === 0)
    return `${style.bad('No candidate: there are no resource providers at all')} ${at}\n${NO_PROVIDERS}\n`
  if (candidates === 0) return `${style.bad('No candidate')} ${at}\n`
  const count = `${candidates}${capped ? ' or more' : ''} ${candidates === 1 && !capped ? 'candidate' : 'candidates'}`
  return `${style.good(count)} ${at}\n`
}

export const NO_PROVIDERS =
  'Add a host with `berth host add NAME --inventory VCPU=8`, or let nova-compute report to this server.'

export function funnelTable({ funnel: steps }: Pick<Explanation, 'funnel'>, look: Look): string {
  const grouped = steps.some(({ group }) => group !== null && group !== '')
  const columns: Column[] = [
    ...(grouped ? ['GROUP'] : []),
    flexible('CONSTRAINT'),
    right('PROVIDERS'),
    right('TREES'),
    'VERDICT',
  ]
  const rows = steps.map(step => [
    ...(grouped ? [step.group ?? '(all)'] : []),
    step.text,
    `${step.providers_before} → ${step.providers_after}`,
    `${step.trees_before} → ${step.trees_after}`,
    step.verdict,
  ])
  return table(columns, rows, look)
}

function misses(nearest: NonNullable<Explanation['nearest']>, { style }: Look): string {
  const lines = nearest.flatMap(({ root, misses }) => [
    `  ${escapeControls(root?.name ?? 'a host')}${root === undefined ? '' : `  ${style.dim(root.uuid)}`}`,
    ...misses.map(({ text }) => `    ${escapeControls(text)}`),
  ])
  return `${style.bold('The nearest misses:')}\n${lines.map(line => `${line}\n`).join('')}`
}
