import { jsonText, ownValue } from '../../kernel/records.ts'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import type { BackendRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'

/** A back end whose shares are directories below a root. */
export interface Rooted {
  readonly backend: string
  readonly root: string
}

/**
 * Two back ends in one directory, or one inside the other, would take each other's shares for their own: a move between them
 * would delete the share.
 */
export function findOverlap(all: readonly Rooted[]): readonly [Rooted, Rooted] | null {
  for (const [at, one] of all.entries())
    for (const other of all.slice(at + 1))
      if (isWithin(one.root, other.root) || isWithin(other.root, one.root)) return [one, other]
  return null
}

export const describeOverlap = (one: Rooted, other: Rooted): string =>
  `The back ends ${one.backend} (root ${one.root}) and ${other.backend} (root ${other.root}) must not be in one directory, ` +
  'nor one inside the other.'

const isWithin = (outer: string, inner: string): boolean =>
  normalizePath(inner).startsWith(normalizePath(outer))

function normalizePath(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(`${part}/`)
  return `/${parts.join('')}`
}

/** Resolved roots of back ends, by configured path. */
export type RealRoots = Readonly<Record<string, string>>

/** For the back ends in the world, wherever they were declared. */
export function findRootsFault(world: World, real: RealRoots): ShareRefusal | null {
  const rooted = [...world.shares.backends.rows()]
    .filter(({ driver }) => driver === 'directory')
    .map(row => ({ backend: nameOrEmpty(world, row.provider_id), root: readRoot(world, row) }))
    .map(({ backend, root }) => ({
      backend,
      root: ownValue(real, root) ?? root,
    }))
  const met = findOverlap(rooted)
  return met === null ? null : { kind: 'backend-roots', one: met[0], other: met[1] }
}

const readRoot = ({ shares }: World, row: BackendRow): string =>
  jsonText(shares.parseColumn(row.settings).root)

/** The configured roots of all back ends. */
export const listRoots = (world: World): string[] =>
  [...world.shares.backends.rows()].flatMap(row => (row.driver === 'directory' ? [readRoot(world, row)] : []))
