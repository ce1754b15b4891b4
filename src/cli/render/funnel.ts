import type { Choice, FilterStep } from '../../wire/scheduling.ts'
import { type Look, table } from './table.ts'

export const hostsText = (count: number): string => (count === 1 ? '1 host' : `${count} hosts`)

/** What became of the hosts, filter by filter. */
export function filterFunnel(steps: readonly FilterStep[], look: Look): string {
  const rows = steps.map(({ filter, before, after, removed }) => [
    filter,
    `${before} → ${after}`,
    removed.map(({ code, hosts }) => `${code} (${hosts})`).join(', '),
  ])
  return table(
    [{ title: 'FILTER' }, { title: 'HOSTS', right: true }, { title: 'REMOVED FOR', flexible: true }],
    rows,
    look,
  )
}

/** The hosts that were chosen from, in one line. */
export function choiceLine({ candidates, is_cut, is_exhausted, funnel, top }: Choice): string {
  const passed = funnel.at(-1)?.after ?? candidates
  const parts = [
    `${hostsText(candidates)} with room${is_cut ? ' were looked at, and there are more' : ''}`,
    `${passed} passed every filter`,
    ...(top.length > 1 ? [`best: ${top.slice(0, 3).map(weighed).join(', ')}`] : []),
    ...(is_exhausted ? ['some hosts were too hard to search and were passed over'] : []),
  ]
  return parts.join('; ')
}

const weighed = ({ host, weight }: Choice['top'][number]): string => `${host} (${weight.toFixed(3)})`
