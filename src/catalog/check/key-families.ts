import { isAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { isHostAttribute, isPlacementKey } from '../../scheduling/hosts/query/key-readers.ts'
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
  value: string,
): readonly DefinedKey[] {
  const keys = source(resourceType)
  const looked = lookupKey(resourceType, key)
  const found = keys.get(key) ?? keys.get(looked) ?? customs(keys, resourceType, looked, value)
  if (found.length > 0) return found
  if (resourceType === FLAVOR) return ofAggregates(source, key)
  return resourceType === AGGREGATE ? ofFlavors(source, key) : []
}

/** What is defined for aggregates counts for the extra specs that ask for it. */
function ofAggregates(source: DefinitionSource, key: string): readonly DefinedKey[] {
  const isEscaped = key.startsWith(OF_AGGREGATES)
  if (!isEscaped && !(asksAggregates(key) && isOwnMetadata(key))) return []
  const name = isEscaped ? key.slice(OF_AGGREGATES.length) : key
  return source(AGGREGATE).get(lookupKey(AGGREGATE, name)) ?? source(FLAVOR).get(name) ?? []
}

/** What is defined for flavors counts for the metadata that the aggregate instance type filter compares it with. */
function ofFlavors(source: DefinitionSource, key: string): readonly DefinedKey[] {
  const name = key.startsWith(OF_AGGREGATES) ? key.slice(OF_AGGREGATES.length) : key
  const isCompared = isOwnMetadata(name) && !isPlacementKey(name) && !isHostAttribute(name)
  if (!isCompared) return []
  const own = name === key ? undefined : source(AGGREGATE).get(name)
  return own ?? source(FLAVOR).get(lookupKey(FLAVOR, name)) ?? []
}

/** Of custom names, and of a trait that stands for any of several. */
function customs(keys: DefinedKeys, resourceType: string, key: string, value: string): readonly DefinedKey[] {
  const isAny = resourceType !== AGGREGATE && key.startsWith('trait:') && isAnyOf(value)
  const prefix = isAny ? 'trait:' : CUSTOM.exec(key)?.[1]
  if (prefix === undefined) return []
  const [first] = keys.values().filter(([one]) => one?.prefix === prefix)
  return first?.slice(0, 1) ?? []
}

/** The keys that one may have been meant to be. */
export function* keysBeside(source: DefinitionSource, resourceType: string, key: string): Generator<string> {
  if (resourceType === FLAVOR && key.startsWith(OF_AGGREGATES))
    for (const one of source(AGGREGATE).keys()) yield `${OF_AGGREGATES}${one}`
  else yield* source(resourceType).keys()
  // Metadata with a scope is there for a flavor that has the same key.
  if (resourceType === AGGREGATE && key.includes(':'))
    for (const one of source(FLAVOR).keys()) if (one.includes(':') && !isPlacementKey(one)) yield one
}
