import type { Specs } from './readers.ts'

const GROUPED = /^(resources|trait)([a-zA-Z0-9_-]{1,64}):(.*)$/s

/**
 * A suffix makes a group of its own, and Placement refuses one that has traits and no resources. Few mean that:
 * `traits:X` is a trait of the group `s`. The key without its suffix; null if the group asks for something.
 */
export function keyOfEmptyGroup(specs: Specs, key: string): string | null {
  const [, kind, suffix, name] = GROUPED.exec(key) ?? []
  if (kind !== 'trait') return null
  const prefix = `resources${suffix}:`
  return Object.keys(specs).some(other => other.startsWith(prefix)) ? null : `trait:${name}`
}
