import type { Specs } from './readers.ts'

const GROUPED = /^(resources|trait)([a-zA-Z0-9_-]{1,64}):(.*)$/s

/**
 * A suffix makes a separate group, and Placement refuses a group with traits and no resources. Few mean that:
 * `traits:X` is a trait of the group `s`. Null if the group has resources; else the key that was meant, if the specs do
 * not have it already.
 */
export function findEmptyGroup(specs: Specs, key: string): { readonly meant: string | null } | null {
  const [, kind, suffix, name] = GROUPED.exec(key) ?? []
  if (kind !== 'trait') return null
  const prefix = `resources${suffix}:`
  if (Object.keys(specs).some(other => other.startsWith(prefix))) return null
  const meant = `trait:${name}`
  return { meant: Object.hasOwn(specs, meant) ? null : meant }
}
