import { isHostAttribute } from '../../scheduling/key-readers.ts'
import type { DefinedKey, DefinedKeys, DefinitionSource } from './defined-keys.ts'
import { AGGREGATE, asksAggregates, FLAVOR, IMAGE, isOwnMetadata, SHARE_TYPE, VOLUME } from './readers.ts'

/**
 * Keys that come in families: one is defined, and stands for all. `hw:numa_cpus.0` stands for every node,
 * `trait:X` for `trait1:X`, and any trait that is defined for every custom one.
 */
interface Family {
  readonly of: readonly string[]
  readonly member: RegExp
  /** The key that stands for it; what is `$1` in it comes from the member. */
  readonly standsFor: string
}

const families: readonly Family[] = [
  { of: [FLAVOR], member: /^(resources|trait)[a-zA-Z0-9_-]{1,64}(:.*)$/s, standsFor: '$1$2' },
  { of: [FLAVOR], member: /^hw:numa_(cpus|mem)\.\d+$/, standsFor: 'hw:numa_$1.0' },
  { of: [IMAGE, VOLUME], member: /^hw_numa_(cpus|mem)\.\d+$/, standsFor: 'hw_numa_$1.0' },
  { of: [AGGREGATE], member: /^filter_tenant_id.+$/s, standsFor: 'filter_tenant_id' },
  { of: [SHARE_TYPE], member: /^capabilities:(.*)$/s, standsFor: '$1' },
]

/** Custom names, of which any definition with the same prefix tells what their values are. */
const CUSTOM = /^((?:resources|trait):)CUSTOM_[A-Z0-9_]+$/

/** What a flavor says of aggregates: by this scope, or by a key without any. */
const OF_AGGREGATES = 'aggregate_instance_extra_specs:'

function lookupKey(resourceType: string, key: string): string {
  const family = families.find(({ of, member }) => of.includes(resourceType) && member.test(key))
  // A bare name of an attribute is read as the one in the scope is.
  if (resourceType === FLAVOR && isHostAttribute(key)) return `capabilities:${key}`
  return family === undefined ? key : key.replace(family.member, family.standsFor)
}

/** Where a key is defined, by itself or as a member of a family. */
export function definitionsOf(
  source: DefinitionSource,
  resourceType: string,
  key: string,
): readonly DefinedKey[] {
  const keys = source(resourceType)
  const looked = lookupKey(resourceType, key)
  const found = keys.get(key) ?? keys.get(looked) ?? customs(keys, looked)
  if (found.length > 0 || resourceType !== FLAVOR) return found
  if (key.startsWith(OF_AGGREGATES)) return definitionsOf(source, AGGREGATE, key.slice(OF_AGGREGATES.length))
  return asksAggregates(key) && isOwnMetadata(key) ? definitionsOf(source, AGGREGATE, key) : []
}

function customs(keys: DefinedKeys, key: string): readonly DefinedKey[] {
  const prefix = CUSTOM.exec(key)?.[1]
  if (prefix === undefined) return []
  const [first] = keys.values().filter(([one]) => one?.prefix === prefix)
  return first?.slice(0, 1) ?? []
}

/** The keys that one may have been meant to be. */
export function keysBeside(source: DefinitionSource, resourceType: string, key: string): Iterable<string> {
  return resourceType === FLAVOR && key.startsWith(OF_AGGREGATES)
    ? source(AGGREGATE)
        .keys()
        .map(one => `${OF_AGGREGATES}${one}`)
    : source(resourceType).keys()
}
