import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'
import { placeName } from './pool-views.ts'

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

const plain = (path: string): string =>
  `/${path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .map(part => `${part}/`)
    .join('')}`

/** As the back ends are now, wherever they were declared. */
export function rootsFault(world: World): ShareRefusal | null {
  const rooted = [...world.shares.backends.rows()]
    .filter(({ driver }) => driver === 'directory')
    .map(row => ({
      backend: placeName(world, row.provider_id),
      root: String(world.shares.parsed(row.settings).root),
    }))
  const met = meetingRoots(rooted)
  return met === null ? null : { kind: 'backend-roots', one: met[0], other: met[1] }
}
