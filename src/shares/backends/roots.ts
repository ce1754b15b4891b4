import { jsonText, ownValue } from '../../kernel/records.ts'
import { placeName } from '../../scheduling/pools/pools.ts'
import type { BackendRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'

/** A back end whose shares are directories below a root. */
export interface Rooted {
  readonly backend: string
  readonly root: string
}

/**
 * Two back ends in one directory, or one inside the other, would take each other's shares for their own: a move between
 * them would end with nothing.
 */
export function meetingRoots(all: readonly Rooted[]): readonly [Rooted, Rooted] | null {
  for (const [at, one] of all.entries())
    for (const other of all.slice(at + 1))
      if (isWithin(one.root, other.root) || isWithin(other.root, one.root)) return [one, other]
  return null
}

export const rootsText = (one: Rooted, other: Rooted): string =>
  `The back ends ${one.backend} (root ${one.root}) and ${other.backend} (root ${other.root}) must not be in one directory, ` +
  'nor one inside the other.'

const isWithin = (outer: string, inner: string): boolean => plain(inner).startsWith(plain(outer))

function plain(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(`${part}/`)
  return `/${parts.join('')}`
}

/** Where the roots of back ends really are, by what they are called. */
export type RealRoots = Readonly<Record<string, string>>

/** As the back ends are now, wherever they were declared. */
export function rootsFault(world: World, real: RealRoots): ShareRefusal | null {
  const rooted = [...world.shares.backends.rows()]
    .filter(({ driver }) => driver === 'directory')
    .map(row => ({ backend: placeName(world, row.provider_id), root: rootOf(world, row) }))
    .map(({ backend, root }) => ({
      backend,
      root: ownValue(real, root) ?? root,
    }))
  const met = meetingRoots(rooted)
  return met === null ? null : { kind: 'backend-roots', one: met[0], other: met[1] }
}

const rootOf = ({ shares }: World, row: BackendRow): string => jsonText(shares.parsed(row.settings).root)

/** What the roots of the back ends that there are are called. */
export const rootsIn = (world: World): string[] =>
  [...world.shares.backends.rows()].flatMap(row => (row.driver === 'directory' ? [rootOf(world, row)] : []))
