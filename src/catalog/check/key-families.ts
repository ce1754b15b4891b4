import { isAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { isHostAttribute, isPlacementKey } from '../../scheduling/hosts/query/key-readers.ts'
import type { DefinedKey, DefinedKeys, DefinitionSource } from './defined-keys.ts'
import { AGGREGATE, asksAggregates, FLAVOR, IMAGE, isOwnMetadata, SHARE_TYPE, VOLUME } from './readers.ts'

/**
 * Families of keys, where one definition stands for all: `hw:numa_cpus.0` for every node, `trait:X` for `trait1:X`, and
 * any defined trait for every custom one.
 */
interface Family {
  readonly of: readonly string[]
  readonly member: RegExp
  /** The key that is defined; `$1` comes from the member. */
  readonly standsFor: string
}

const families: readonly Family[] = [
  { of: [FLAVOR], member: /^(resources|trait)[a-zA-Z0-9_-]{1,64}(:.*)$/s, standsFor: '$1$2' },
  { of: [FLAVOR], member: /^hw:numa_(cpus|mem)\.\d+$/, standsFor: 'hw:numa_$1.0' },
  { of: [IMAGE, VOLUME], member: /^hw_numa_(cpus|mem)\.\d+$/, standsFor: 'hw_numa_$1.0' },
  { of: [AGGREGATE], member: /^filter_tenant_id.+$/s, standsFor: 'filter_tenant_id' },
  { of: [SHARE_TYPE], member: /^capabilities:(.*)$/s, standsFor: '$1' },
]

/** Custom names: any definition with the same prefix describes their values. */
const CUSTOM = /^((?:resources|trait):)CUSTOM_[A-Z0-9_]+$/

/** The scope of extra specs about aggregates; keys without a scope are about them too. */
const OF_AGGREGATES = 'aggregate_instance_extra_specs:'

function findDefinedKey(resourceType: string, key: string): string {
  const family = families.find(({ of, member }) => of.includes(resourceType) && member.test(key))
  // The bare name of a host attribute is read like the scoped one.
  if (resourceType === FLAVOR && isHostAttribute(key)) return `capabilities:${key}`
  return family === undefined ? key : key.replace(family.member, family.standsFor)
}

/** Definitions of a key, itself or as a member of a family. */
export function findDefinitions(
  source: DefinitionSource,
  resourceType: string,
  key: string,
  value: string,
): readonly DefinedKey[] {
  const keys = source(resourceType)
  const looked = findDefinedKey(resourceType, key)
  const found = keys.get(key) ?? keys.get(looked) ?? findCustomDefinitions(keys, resourceType, looked, value)
  if (found.length > 0) return found
  if (resourceType === FLAVOR) return findAggregateDefinitions(source, key)
  return resourceType === AGGREGATE ? findFlavorDefinitions(source, key) : []
}

/** Definitions for aggregates also apply to extra specs about them. */
function findAggregateDefinitions(source: DefinitionSource, key: string): readonly DefinedKey[] {
  const isEscaped = key.startsWith(OF_AGGREGATES)
  if (!isEscaped && !(asksAggregates(key) && isOwnMetadata(key))) return []
  const name = isEscaped ? key.slice(OF_AGGREGATES.length) : key
  return source(AGGREGATE).get(findDefinedKey(AGGREGATE, name)) ?? source(FLAVOR).get(name) ?? []
}

/** Definitions for flavors also apply to the metadata that the aggregate instance type filter compares them with. */
function findFlavorDefinitions(source: DefinitionSource, key: string): readonly DefinedKey[] {
  const name = key.startsWith(OF_AGGREGATES) ? key.slice(OF_AGGREGATES.length) : key
  const isCompared = isOwnMetadata(name) && !isPlacementKey(name) && !isHostAttribute(name)
  if (!isCompared) return []
  const own = name === key ? undefined : source(AGGREGATE).get(name)
  return own ?? source(FLAVOR).get(findDefinedKey(FLAVOR, name)) ?? []
}

/** For custom names, and for a value that lists several traits. */
function findCustomDefinitions(
  keys: DefinedKeys,
  resourceType: string,
  key: string,
  value: string,
): readonly DefinedKey[] {
  const isAny = resourceType !== AGGREGATE && key.startsWith('trait:') && isAnyOf(value)
  const prefix = isAny ? 'trait:' : CUSTOM.exec(key)?.[1]
  if (prefix === undefined) return []
  const [first] = keys.values().filter(([one]) => one?.prefix === prefix)
  return first?.slice(0, 1) ?? []
}

/** Similar keys, as suggestions. */
export function* listAlternatives(
  source: DefinitionSource,
  resourceType: string,
  key: string,
): Generator<string> {
  if (resourceType === FLAVOR && key.startsWith(OF_AGGREGATES))
    for (const one of source(AGGREGATE).keys()) yield `${OF_AGGREGATES}${one}`
  else yield* source(resourceType).keys()
  // Scoped metadata is meant for flavors with the same key.
  if (resourceType === AGGREGATE && key.includes(':'))
    for (const one of source(FLAVOR).keys()) if (one.includes(':') && !isPlacementKey(one)) yield one
}
