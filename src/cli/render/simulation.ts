import { countText } from '../../kernel/count-text.ts'
import type { Fits, Simulation } from '../../wire/simulation.ts'
import { serverTitle } from '../../words/server-title.ts'
import { hostsText } from './funnel.ts'
import { type Column, flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

/**
 * How many fit, before and after; then by zone, aggregate and host; then the limits, and the servers that
 * must move.
 */
export function simulationText(simulation: Simulation, look: Look): string {
  const { before, after, added, drained, others } = simulation
  const last = after ?? before
  const bold = (title: string, text: string) => (text === '' ? '' : `${look.style.bold(title)}\n${text}`)
  const parts = [
    headline(simulation, look),
    renderComparison('ZONE', ({ by_zone }) => by_zone.map(one => [one.zone, one]), simulation, look),
    renderComparison(
      'AGGREGATE',
      ({ by_aggregate }) => by_aggregate.map(one => [one.aggregate, one]),
      simulation,
      look,
    ),
    renderComparison('HOST', ({ by_host }) => by_host.map(one => [one.host, one]), simulation, look),
    last.by_host_left_out > 0
      ? look.style.dim(
          `and ${countText(last.by_host_left_out, 'more host takes', 'more hosts take')} some; --hosts N shows more\n`,
        )
      : '',
    bold('What limits it:', last.ends.map(one => `  ${escapeControls(endText(one))}\n`).join('')),
    bold('Added:', added.length === 0 ? '' : `  ${addedText(added)}\n`),
    bold(`Drained: ${drainedTitle(simulation)}`, drainedTable(drained, look)),
    others > 0
      ? `${countText(others, 'more consumer holds', 'more consumers hold')} something there and ${others === 1 ? 'is no server' : 'are no servers'}.\n`
      : '',
  ]
  return parts.filter(part => part !== '').join('\n')
}

function headline({ before, after, change, revision }: Simulation, { style }: Look): string {
  const at = style.dim(`at revision ${revision}`)
  const fitsText = ({ fits, is_cut }: Fits) => `${is_cut ? 'at least ' : ''}${fits}`
  const renderHosts = ({ hosts_that_fit, hosts }: Fits) => `on ${hosts_that_fit} of ${hostsText(hosts)}`
  const paint = (fits: Fits, text: string) => (fits.fits === 0 ? style.bad(text) : style.good(text))
  const hard = (after ?? before).is_exhausted
    ? 'Some hosts were too complex to search and were skipped.\n'
    : ''
  if (after === null || change === null)
    return `${paint(before, `${fitsText(before)} more fit`)} ${renderHosts(before)} ${at}\n${hard}`
  const difference = change === 0 ? 'no difference' : change > 0 ? `${change} more` : `${-change} fewer`
  return (
    `Now ${fitsText(before)} more fit, ${renderHosts(before)} ${at}\n` +
    `Then ${paint(after, `${fitsText(after)} more fit`)}, ${renderHosts(after)}: ${difference}\n${hard}`
  )
}

interface Share {
  readonly hosts?: number
  readonly fits: number
}

/** One row for each that exists before or after. */
function renderComparison(
  title: string,
  of: (fits: Fits) => (readonly [name: string, share: Share])[],
  { before, after }: Simulation,
  look: Look,
): string {
  const [now, then] = [new Map(of(before)), after === null ? null : new Map(of(after))]
  const names = [...new Set([...(then ?? now).keys(), ...now.keys()])]
  const hasHosts = title !== 'HOST'
  const columns: Column[] = [
    flexible(title),
    ...(hasHosts ? [right('HOSTS')] : []),
    ...(then === null ? ['FITS'] : ['NOW', 'THEN', 'CHANGE']).map(right),
  ]
  const rows = names.map(name => {
    const [old, fresh] = [now.get(name), then?.get(name)]
    const difference = (fresh?.fits ?? 0) - (old?.fits ?? 0)
    // In a truncated list, a missing entry need not be zero.
    const renderFits = (share: Share | undefined) =>
      share === undefined ? (hasHosts ? '0' : '-') : String(share.fits)
    return [
      name,
      ...(hasHosts ? [String((fresh ?? old)?.hosts ?? 0)] : []),
      ...(then === null
        ? [String(old?.fits ?? 0)]
        : [
            renderFits(old),
            renderFits(fresh),
            old !== undefined && fresh !== undefined && difference !== 0
              ? `${difference > 0 ? '+' : ''}${difference}`
              : '',
          ]),
    ]
  })
  return table(columns, rows, look)
}

const endText = ({ by, name, hosts, text }: Fits['ends'][number]): string =>
  `${hostsText(hosts)} ${text}${by === 'filter' ? ` (${name})` : ''}`

const NAMED_MAX = 5

const addedText = (added: readonly string[]): string =>
  added.length <= NAMED_MAX
    ? added.map(escapeControls).join(', ')
    : `${added.slice(0, NAMED_MAX).map(escapeControls).join(', ')} and ${added.length - NAMED_MAX} more`

function drainedTitle({ drained, stuck }: Simulation): string {
  const servers = countText(drained.length, 'server has', 'servers have')
  return `${servers} to go elsewhere, ${stuck === 0 ? 'and all find a host' : `and ${countText(stuck, 'finds', 'find')} no host`}`
}

function drainedTable(drained: Simulation['drained'], look: Look): string {
  const columns: Column[] = [
    'SERVER',
    flexible('FROM'),
    flexible('TO'),
    ...(drained.some(({ text }) => text !== null) ? [flexible('WHY NOT')] : []),
  ]
  const rows = drained.map(({ instance, name, from, to, text }) => [
    ...[serverTitle(instance, name), from, to ?? '-', text ?? ''],
  ])
  return table(columns, rows, look)
}
