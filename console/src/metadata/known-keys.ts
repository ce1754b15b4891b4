import type { MetadefNamespace, MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import type { ResourceType } from '../api/catalog.ts'

/** A key that the catalog defines for one type of resource. */
export interface KnownKey {
  readonly key: string
  readonly property: MetadefProperty
  readonly title: string
  readonly namespace: string
  readonly object: string | null
}

export interface KeyGroup {
  readonly namespace: string
  readonly title: string
  readonly description: string
  readonly keys: readonly KnownKey[]
}

/** Keys as they stand in extra specs or metadata: with the prefix that the namespace has on this type. */
export function keyGroups(definitions: readonly MetadefNamespace[], type: ResourceType): KeyGroup[] {
  return definitions.flatMap(definition => {
    const associated = (definition.resource_type_associations ?? []).filter(({ name }) => name === type)
    const keys = associated.flatMap(({ prefix }) => keysOf(definition, prefix ?? ''))
    if (keys.length === 0) return []
    const { namespace, display_name, description = '' } = definition
    return [{ namespace, title: display_name ?? namespace, description, keys }]
  })
}

function keysOf(definition: MetadefNamespace, prefix: string): KnownKey[] {
  const of = (properties: Readonly<Record<string, MetadefProperty>> | undefined, object: string | null) =>
    Object.entries(properties ?? {}).map(([name, property]) => ({
      key: `${prefix}${name}`,
      property,
      title: property.title ?? name,
      namespace: definition.namespace,
      object,
    }))
  return [
    ...of(definition.properties, null),
    ...(definition.objects ?? []).flatMap(({ name, properties }) => of(properties, name)),
  ]
}

/** The title, unless it repeats the key. */
export const titleBeside = ({ key, title }: KnownKey): string => (key.endsWith(title) ? '' : title)

/** Keys with all words of the text in key, title, or description. */
export function searched(groups: readonly KeyGroup[], text: string): KeyGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ key, title, property }: KnownKey, group: KeyGroup) => {
    const all = `${key} ${title} ${property.description ?? ''} ${group.title}`.toLowerCase()
    return words.every(word => all.includes(word))
  }
  return groups.flatMap(group => {
    const keys = group.keys.filter(key => fits(key, group))
    return keys.length === 0 ? [] : [{ ...group, keys }]
  })
}

/** The first value of a new key. */
export function firstValue(property: MetadefProperty): string {
  const { default: given, enum: values, type, minimum, items } = property
  if (Array.isArray(given)) return severalOf(given.map(String), property.operators ?? [])
  if (given !== undefined) return String(given)
  if (values !== undefined && values.length > 0) return String(values[0])
  if (type === 'boolean') return 'true'
  if (type === 'integer' || type === 'number') return String(minimum ?? 1)
  const [first] = items?.enum ?? []
  return first === undefined ? '' : String(first)
}

/** With an operator that the property declares; commas are for keys without any. */
function severalOf(values: readonly string[], operators: readonly string[]): string {
  if (values.length < 2) return values[0] ?? ''
  if (operators.includes('<all-in>')) return `<all-in> ${values.join(' ')}`
  if (operators.includes('<or>')) return values.map(value => `<or> ${value}`).join(' ')
  return operators.includes('<in>') ? `<in> ${values[0]}` : values.join(',')
}

export const isNumber = (property: MetadefProperty | undefined): boolean =>
  property?.type === 'integer' || property?.type === 'number'

/** The values that a field offers: of an array, those of its items. */
export function choicesOf(property: MetadefProperty | undefined): readonly string[] {
  if (property === undefined) return []
  if (property.type === 'boolean') return ['true', 'false']
  return (property.enum ?? property.items?.enum ?? []).map(String)
}
