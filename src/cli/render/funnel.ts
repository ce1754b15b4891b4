import { countText } from '../../kernel/count-text.ts'
import type { Choice, FilterStep } from '../../wire/scheduling.ts'
import { flexible, type Look, right, table } from './table.ts'

export const hostsText = (count: number): string => countText(count, 'host')

type Removed = FilterStep['removed'][number]

const byCode = ({ code, hosts }: Removed): string => `${code} (${hosts})`

/** For output that does not explain the codes elsewhere. */
export const inWords = ({ hosts, text }: Removed): string => `${hosts} ${text}`

/** How many hosts each filter left. */
export function filterFunnel(steps: readonly FilterStep[], look: Look, render = byCode): string {
  const rows = steps.map(({ filter, before, after, removed }) => [
    filter,
    `${before} → ${after}`,
    removed.map(render).join(', '),
  ])
  return table(['FILTER', right('HOSTS'), flexible('REMOVED FOR')], rows, look)
}

/** How many hosts the choice had, and the best of them, in one line. */
export function choiceLine({ candidates, is_cut, is_exhausted, funnel, top }: Choice): string {
  const passed = funnel.at(-1)?.after ?? candidates
  const parts = [
    `${hostsText(candidates)} with room${is_cut ? ' were checked, and there are more' : ''}`,
    `${passed} passed every filter`,
    ...(top.length > 1 ? [`best: ${top.slice(0, 3).map(weightText).join(', ')}`] : []),
    ...(is_exhausted ? ['some hosts were too complex to search and were skipped'] : []),
  ]
  return parts.join('; ')
}

const weightText = ({ host, weight }: Choice['top'][number]): string => `${host} (${weight.toFixed(3)})`
