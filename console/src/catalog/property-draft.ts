import type { MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'

/** A property while it is edited: values as typed, not yet converted to the type. */
interface PropertyDraft {
  readonly property: MetadefProperty
  readonly values: readonly string[]
}

export type PropertyBody = Readonly<Record<string, unknown>>

export const draftOfProperty = (property: MetadefProperty): PropertyDraft => ({
  property,
  values: ((property.type === 'array' ? property.items?.enum : property.enum) ?? []).map(String),
})

/** The type whose values are listed: of an array, that of its items. */
const valueType = ({ type, items }: MetadefProperty): string =>
  type === 'array' ? (items?.type ?? 'string') : (type ?? 'string')

/** Why it cannot be written; null if it can. */
export function valuesFault({ property, values }: PropertyDraft): string | null {
  const type = valueType(property)
  if (type !== 'integer' && type !== 'number') return null
  const isRight = (value: string) =>
    value.trim() !== '' &&
    (type === 'integer' ? Number.isInteger(Number(value)) : Number.isFinite(Number(value)))
  const wrong = values.filter(value => !isRight(value))
  if (wrong.length === 0) return null
  const kind = type === 'integer' ? 'whole number' : 'number'
  return wrong.length === 1
    ? `“${wrong[0]}” is no ${kind}.`
    : `${wrong.map(one => `“${one}”`).join(', ')} are no ${kind}s.`
}

/**
 * The body to write. Values are where the type expects them; what the form does not show (patterns, limits)
 * is kept.
 */
export function bodyOf(name: string, { property, values }: PropertyDraft): PropertyBody {
  const { operators, title, enum: _values, items, ...rest } = property
  const type = property.type ?? 'string'
  return {
    ...rest,
    name,
    title: title === undefined || title === '' ? name : title,
    type,
    ...(operators === undefined || operators.length === 0 ? {} : { operators }),
    ...placedValues(property, type, values),
  }
}

function placedValues(
  property: MetadefProperty,
  type: string,
  values: readonly string[],
): Partial<MetadefProperty> {
  const isNumeric = ['integer', 'number'].includes(valueType(property))
  const listed = values.length === 0 ? {} : { enum: isNumeric ? values.map(Number) : values }
  if (type === 'boolean') return {}
  if (type !== 'array') return listed
  const { enum: _values, ...items } = property.items ?? { type: 'string' }
  return { items: { ...items, ...listed } }
}
