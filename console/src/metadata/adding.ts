import { ownValue } from '../../../src/kernel/records.ts'
import { firstValue, type KnownKey } from './known-keys.ts'
import type { Specs } from './spec-changes.ts'

/** The first value of a key: the one before it was removed, else that of the catalog; null if it exists. */
export function valueOfNew(
  key: string,
  { specs, base, known }: { specs: Specs; base: Specs; known: ReadonlyMap<string, KnownKey> },
): string | null {
  if (ownValue(specs, key) !== undefined) return null
  const definition = known.get(key)
  return base[key] ?? (definition === undefined ? '' : firstValue(definition.property))
}
