import { reasonWords } from '../../scheduling/framework/reason-words.ts'
import type { Choice, FilterStep } from '../../wire/scheduling.ts'
import { type Look, table } from './table.ts'

export const hostsText = (count: number): string => (count === 1 ? '1 host' : `${count} hosts`)

type Removed = FilterStep['removed'][number]

const byCode = ({ code, hosts }: Removed): string => `${code} (${hosts})`

/** Where nothing else tells what the codes mean. */
export const inWords = ({ code, hosts }: Removed): string => `${hosts} ${reasonWords(code, null, hosts)}`

/** What became of the hosts, filter by filter. */
export function filterFunnel(steps: readonly FilterStep[], look: Look, told = byCode): string {
  const rows = steps.map(({ filter, before, after, removed }) => [
    filter,
    `${before} → ${after}`,
    removed.map(told).join(', '),
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
    ...(top.length > 1 ? [`best: ${top.slice(0, 3).map(weightText).join(', ')}`] : []),
    ...(is_exhausted ? ['some hosts were too hard to search and were passed over'] : []),
  ]
  return parts.join('; ')
}

const weightText = ({ host, weight }: Choice['top'][number]): string => `${host} (${weight.toFixed(3)})`
