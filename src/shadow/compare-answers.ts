import { ownValue } from '../kernel/records.ts'
import { roundRatio } from '../openstack/placement/compare.ts'
import type { Answer } from './exchange.ts'

/** The part in which two answers differ. */
export type AnswerDifference = 'status' | 'code' | 'version' | 'location' | 'body' | 'candidates'

/** Compares what clients can rely on. Ignores error texts, times, request ids and the order of lists. */
export function compareAnswers(theirs: Answer, ours: Answer, mounts: Mounts): AnswerDifference | null {
  if (theirs.status !== ours.status) return 'status'
  if (theirs.headers['openstack-api-version'] !== ours.headers['openstack-api-version']) return 'version'
  if (stripMount(theirs.headers.location, mounts.theirs) !== stripMount(ours.headers.location, mounts.ours))
    return 'location'
  if (theirs.status >= 400) return findCode(theirs) === findCode(ours) ? null : 'code'
  return renderBody(theirs) === renderBody(ours) ? null : 'body'
}

/** Where each side has its service: paths begin with it. */
export interface Mounts {
  readonly theirs: string
  readonly ours: string
}

function stripMount(location: string | undefined, mount: string): string | undefined {
  if (location === undefined) return undefined
  const path = location.replace(/^https?:\/\/[^/]*/, '')
  return path.startsWith(mount) ? path.slice(mount.length) : path
}

export function parseBody(answer: Answer): unknown {
  if (answer.body === null || answer.body.length === 0) return null
  try {
    return JSON.parse(answer.body.toString('utf8'))
  } catch {
    return answer.body.toString('utf8')
  }
}

function findCode(answer: Answer): string | null {
  const body = parseBody(answer) as { errors?: { code?: string }[] } | null
  return body?.errors?.[0]?.code ?? null
}

const renderBody = (answer: Answer): string => canonical(parseBody(answer))

/** Equal for equal content: sorts keys and lists, rounds ratios to the digits that Placement keeps, keeps only the names of links. */
function canonical(value: unknown): string {
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : roundRatio(value))
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}:${key === 'links' ? renderRelations(one) : canonical(one)}`,
  )
  return `{${entries.sort().join(',')}}`
}

const renderRelations = (links: unknown): string =>
  Array.isArray(links) ? JSON.stringify(links.map(link => (link as { rel?: unknown })?.rel).sort()) : '[]'

interface Candidates {
  readonly allocation_requests: readonly unknown[]
  readonly provider_summaries: Readonly<Record<string, unknown>>
}

export const isCandidates = (path: string): boolean => path.startsWith('/allocation_candidates')

export const countCandidates = (answer: Answer): number =>
  ((parseBody(answer) as Candidates | null)?.allocation_requests ?? []).length

/** Whether two answers have the same candidates. Ignores the summaries of providers. */
export function hasSameCandidates(theirs: Answer, ours: Answer): boolean {
  const [left, right] = [theirs, ours].map(
    answer => (parseBody(answer) as Candidates | null)?.allocation_requests,
  )
  return left !== undefined && right !== undefined && canonical(left) === canonical(right)
}

/** Whether every candidate of a truncated answer is among all candidates of the other side, with equal summaries. */
export function isPartOf(cut: Answer, whole: Answer): boolean {
  const [some, all] = [parseBody(cut) as Candidates, parseBody(whole) as Candidates]
  const known = new Set(all.allocation_requests.map(canonical))
  if (!some.allocation_requests.every(one => known.has(canonical(one)))) return false
  return Object.entries(some.provider_summaries).every(
    ([uuid, summary]) => canonical(ownValue(all.provider_summaries, uuid)) === canonical(summary),
  )
}

/** The path without its limit; null if there is none. */
export function withoutLimit(path: string): string | null {
  const [head = '', query = ''] = path.split('?', 2)
  const parts = query.split('&')
  const kept = parts.filter(part => !part.startsWith('limit='))
  return kept.length === parts.length ? null : `${head}?${kept.join('&')}`
}
