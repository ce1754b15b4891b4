import { canonicalJson } from '../../kernel/exact-json.ts'
import type { AssociationFields, Attributes, Content, ObjectFields, PartKind } from '../fields.ts'
import { parseDocument } from '../reading.ts'
import type { Whole } from '../whole.ts'

/** One part or attribute of a namespace with its value. */
interface Entry {
  readonly part: PartKind | 'attribute'
  readonly name: string
  readonly value: unknown
}

/** A side without the entry is absent. */
export interface Difference {
  readonly part: Entry['part']
  readonly name: string
  readonly before: Entry | null
  readonly after: Entry | null
}

const keyOf = ({ part, name }: Entry): string => `${part} ${name}`

/** In the order of `after`, then what only `before` has. */
export function compareEntries(before: readonly Entry[], after: readonly Entry[]): Difference[] {
  const old = new Map(before.map(entry => [keyOf(entry), entry]))
  const found: Difference[] = []
  for (const entry of after) {
    const was = old.get(keyOf(entry)) ?? null
    old.delete(keyOf(entry))
    if (was === null || canonicalJson(was.value) !== canonicalJson(entry.value))
      found.push({ part: entry.part, name: entry.name, before: was, after: entry })
  }
  for (const entry of old.values())
    found.push({ part: entry.part, name: entry.name, before: entry, after: null })
  return found
}

/** Whether both have the same parts in the same order, whatever their values. */
export function isSameOrder(before: readonly Entry[], after: readonly Entry[]): boolean {
  const parts = (entries: readonly Entry[]) => entries.filter(({ part }) => part !== 'attribute').map(keyOf)
  return JSON.stringify(parts(before)) === JSON.stringify(parts(after))
}

/** Skips null. */
export function listAttributeEntries(attributes: Partial<Attributes>): Entry[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    value === null ? [] : [{ part: 'attribute', name, value }],
  )
}

export function listContentEntries(content: Content): Entry[] {
  return [
    ...content.associations.map(one => entry('association', one.name, associationValue(one))),
    ...content.properties.map(one => entry('property', one.name, parseDocument(one.json_schema))),
    ...content.objects.map(one => entry('object', one.name, objectValue(one))),
    ...content.tags.map(name => entry('tag', name, null)),
  ]
}

const entry = (part: PartKind, name: string, value: unknown): Entry => ({ part, name, value })

function associationValue({ prefix, properties_target }: Omit<AssociationFields, 'name'>): unknown {
  return {
    ...(prefix === null ? {} : { prefix }),
    ...(properties_target === null ? {} : { properties_target }),
  }
}

function objectValue({ description, required, json_schema }: Omit<ObjectFields, 'name'>): unknown {
  return {
    ...(description === null ? {} : { description }),
    required: required === null ? [] : parseDocument(required),
    properties: json_schema === null ? {} : parseDocument(json_schema),
  }
}

export function attributesOf({ row }: Whole): Attributes {
  const { display_name, description, owner } = row
  const visibility = row.visibility as Attributes['visibility']
  return { display_name, description, visibility, protected: row.protected !== 0, owner }
}

export function contentOf({ associations, properties, objects, tags }: Whole): Content {
  return {
    associations: associations.map(({ name, row }) => ({ ...row, name })),
    properties,
    objects,
    tags: tags.map(tag => tag.name),
  }
}
