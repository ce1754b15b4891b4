import { countText } from '../../../kernel/count-text.ts'
import type { ShadowStatus } from '../../../wire/shadow.ts'
import { type AttentionCheck, type CheckRun, WorstItems } from '../check.ts'

type Shadow = NonNullable<ShadowStatus['shadow']>

const HOUR_MS = 3_600_000
/** Fewer are normal while requests come in. */
const BACKLOG_MAX = 100
const WHAT_CHARS_MAX = 200

const PAGE = { link: '/shadow', command: 'berth shadow differences' }

/** The Placement that is shadowed and Berth answered differently, or their ledgers differ for good. */
export const shadowDiffers: AttentionCheck = {
  code: 'shadow.differs',
  what: 'Answers of the last hour that differed from those of the Placement that is shadowed, and entries of the ledgers that could not be made equal.',
  severity: 'warning',
  operation: 'berth:shadow',
  restMs: 0,
  readsMoreThanState: true,
  find({ shadow, nowMs }) {
    if (shadow === null || shadow.status().is_ended) return null
    const since = new Date(nowMs - HOUR_MS).toISOString()
    const { differences, repairs } = shadow.listDifferences(false)
    const recent = differences.filter(({ at }) => at >= since)
    const open = repairs.filter(({ at, repaired }) => at >= since && repaired === null)
    if (recent.length + open.length === 0) return null
    const worst = new WorstItems()
    for (const { what } of open)
      worst.add(Number.POSITIVE_INFINITY, { name: 'not repaired', text: cut(what), link: PAGE.link })
    for (const [name, { count, what }] of countByRoute(recent))
      worst.add(count, { name, text: `${countText(count, 'time')}, last: ${cut(what)}`, link: PAGE.link })
    const parts = [
      ...(recent.length === 0 ? [] : [countText(recent.length, 'answer')]),
      ...(open.length === 0 ? [] : [countText(open.length, 'entry of the ledger', 'entries of the ledger')]),
    ]
    return {
      ...PAGE,
      total: recent.length + open.length,
      text: `${parts.join(' and ')} differed from Placement in the last hour`,
      items: worst.list(),
    }
  },
}

const cut = (text: string): string =>
  text.length > WHAT_CHARS_MAX ? `${text.slice(0, WHAT_CHARS_MAX)} …` : text

type Differences = ReturnType<NonNullable<CheckRun['shadow']>['listDifferences']>['differences']

/** With the newest text of each: the newest come first. */
function countByRoute(differences: Differences) {
  const counts = new Map<string, { readonly count: number; readonly what: string }>()
  for (const { method, route, what } of differences) {
    const known = counts.get(`${method} ${route}`)
    counts.set(`${method} ${route}`, { count: (known?.count ?? 0) + 1, what: known?.what ?? what })
  }
  return counts
}

/** One of the two ledgers does not get what is written to the other, or they cannot be compared. */
export const shadowBehind: AttentionCheck = {
  code: 'shadow.behind',
  what: 'More than 100 writes or requests of the shadow wait, or the ledgers cannot be compared.',
  severity: 'warning',
  operation: 'berth:shadow',
  restMs: 0,
  readsMoreThanState: true,
  find({ shadow }) {
    const status = shadow?.status() ?? null
    if (status === null || status.is_ended) return null
    const worst = new WorstItems()
    for (const [name, count, text] of listBacklogs(status))
      if (count > BACKLOG_MAX) worst.add(count, { name, text, link: '/shadow' })
    if (status.sweep.failure !== null)
      worst.add(0, { name: 'the comparison of the ledgers', text: status.sweep.failure, link: '/shadow' })
    const items = worst.list()
    const [first] = items
    if (first === undefined) return null
    return {
      total: worst.total,
      text: `The shadow is behind: ${first.name}: ${cut(first.text)}`,
      link: '/shadow',
      command: 'berth shadow status',
      items,
    }
  },
}

const listBacklogs = ({ backlog }: Shadow): readonly (readonly [string, number, string])[] => [
  ['Placement', backlog.to_send, `${countText(backlog.to_send, 'write')} not sent yet`],
  ['Berth', backlog.to_apply, `${countText(backlog.to_apply, 'request')} not answered yet`],
  ['both', backlog.in_doubt, `${countText(backlog.in_doubt, 'entry', 'entries')} to compare`],
]
