import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../test/property-runs.ts'
import { SmallCatalog } from '../../test/small-catalog.ts'
import type { Content, NamespaceFields } from './fields.ts'

/** A catalog as plain data, written down without looking at the rules. */
interface Model {
  namespaces: Map<string, { protected: boolean; parts: Record<PartName, Map<string, string>> }>
  types: Set<string>
}
type PartName = 'properties' | 'objects' | 'tags' | 'associations'

const name = fc.constantFrom('a', 'b')
const value = fc.constantFrom('"1"', '"2"')
const steps = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    namespace: name,
    protected: fc.boolean(),
    inner: fc.array(name, { maxLength: 2 }),
  }),
  fc.record({ do: fc.constant('update' as const), namespace: name, to: name, protected: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), namespace: name }),
  fc.record({
    do: fc.constant('clear' as const),
    namespace: name,
    what: fc.constantFrom('properties', 'objects', 'tags'),
  }),
  fc.record({
    do: fc.constant('add' as const),
    namespace: name,
    part: fc.constantFrom('properties', 'objects', 'tags', 'associations'),
    name,
    value,
  }),
  fc.record({
    do: fc.constant('change' as const),
    namespace: name,
    part: fc.constantFrom('properties', 'objects', 'tags'),
    name,
    to: name,
    value,
  }),
  fc.record({
    do: fc.constant('remove' as const),
    namespace: name,
    part: fc.constantFrom('properties', 'objects', 'tags', 'associations'),
    name,
  }),
  fc.record({
    do: fc.constant('tags' as const),
    namespace: name,
    names: fc.array(name, { maxLength: 3 }),
    append: fc.boolean(),
  }),
)
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never

const NO_PARTS = () => ({
  properties: new Map<string, string>(),
  objects: new Map<string, string>(),
  tags: new Map<string, string>(),
  associations: new Map<string, string>(),
})

/** The model's outcome of a step: the kind of refusal, or null. */
function step(model: Model, one: Step): string | null {
  const { namespaces } = model
  const there = namespaces.get(one.namespace)
  if (one.do === 'create') {
    if (there !== undefined) return 'namespace-exists'
    if (new Set(one.inner).size < one.inner.length) return 'part-exists'
    const parts = NO_PARTS()
    for (const each of one.inner) parts.tags.set(each, '')
    namespaces.set(one.namespace, { protected: one.protected, parts })
    return null
  }
  if (there === undefined) return 'namespace-missing'
  const { parts } = there
  switch (one.do) {
    case 'update':
      if (one.to !== one.namespace && namespaces.has(one.to)) return 'namespace-exists'
      namespaces.delete(one.namespace)
      namespaces.set(one.to, { parts, protected: one.protected })
      return null
    case 'delete':
      if (there.protected) return 'namespace-protected'
      namespaces.delete(one.namespace)
      return null
    case 'clear':
      if (there.protected) return 'namespace-protected'
      parts[one.what as PartName].clear()
      return null
    case 'tags': {
      if (one.names.length === 0) return null
      const taken = one.append ? [...parts.tags.keys()] : []
      const all = [...taken, ...one.names]
      if (new Set(all).size < all.length) return 'part-exists'
      parts.tags = new Map(all.map(each => [each, '']))
      return null
    }
    default:
      return partStep(model, parts[one.part as PartName], there.protected, one)
  }
}

function partStep(
  model: Model,
  parts: Map<string, string>,
  isProtected: boolean,
  one: Extract<Step, { do: 'add' | 'change' | 'remove' }>,
): string | null {
  if (one.do === 'add') {
    if (parts.has(one.name)) return 'part-exists'
    parts.set(one.name, one.value)
    if (one.part === 'associations') model.types.add(one.name)
    return null
  }
  if (!parts.has(one.name)) return 'part-missing'
  if (one.do === 'remove') {
    if (isProtected) return 'namespace-protected'
    parts.delete(one.name)
    return null
  }
  if (one.to !== one.name && parts.has(one.to)) return 'part-exists'
  parts.delete(one.name)
  parts.set(one.to, one.value)
  return null
}

const fieldsOf = (namespace: string, isProtected: boolean): NamespaceFields => ({
  namespace,
  display_name: null,
  description: null,
  visibility: 'private',
  owner: 'p',
  protected: isProtected,
})

function done(catalog: SmallCatalog, one: Step) {
  const { namespace } = one
  switch (one.do) {
    case 'create': {
      const content: Content = { associations: [], properties: [], objects: [], tags: one.inner }
      return catalog.do('catalog:create-namespace', { fields: fieldsOf(namespace, one.protected), content })
    }
    case 'update':
      return catalog.do('catalog:update-namespace', { namespace, fields: fieldsOf(one.to, one.protected) })
    case 'delete':
      return catalog.do('catalog:delete-namespace', { namespace })
    case 'clear':
      return catalog.do('catalog:clear-namespace', { namespace, what: one.what as 'tags' })
    case 'tags':
      return catalog.do('catalog:set-tags', { namespace, names: one.names, append: one.append })
    default:
      return donePart(catalog, one)
  }
}

function donePart(catalog: SmallCatalog, one: Extract<Step, { do: 'add' | 'change' | 'remove' }>) {
  const { namespace } = one
  const name = one.do === 'change' ? one.to : one.name
  const json_schema = one.do === 'remove' ? '{}' : one.value
  const property = { name, json_schema }
  const object = { name, description: null, required: null, json_schema }
  const at = { namespace, name: one.name }
  switch (`${one.do} ${one.part}`) {
    case 'add properties':
      return catalog.do('catalog:create-property', { namespace, property })
    case 'change properties':
      return catalog.do('catalog:update-property', { ...at, property })
    case 'remove properties':
      return catalog.do('catalog:delete-property', at)
    case 'add objects':
      return catalog.do('catalog:create-object', { namespace, object })
    case 'change objects':
      return catalog.do('catalog:update-object', { ...at, object })
    case 'remove objects':
      return catalog.do('catalog:delete-object', at)
    case 'add tags':
      return catalog.do('catalog:create-tag', at)
    case 'change tags':
      return catalog.do('catalog:rename-tag', { ...at, to: name })
    case 'remove tags':
      return catalog.do('catalog:delete-tag', at)
    case 'add associations':
      return catalog.do('catalog:associate', {
        namespace,
        association: { name, prefix: json_schema, properties_target: null },
      })
    default:
      return catalog.do('catalog:dissociate', at)
  }
}

/** The content of a catalog, in the form of the model. */
function held({ world: { catalog } }: SmallCatalog): unknown {
  const sorted = (entries: [string, string][]) => entries.toSorted()
  return catalog.namespaces
    .all()
    .map(row => [
      row.namespace,
      row.protected !== 0,
      sorted(catalog.properties.list(row.id).map(one => [one.name, one.json_schema])),
      sorted(catalog.objects.list(row.id).map(one => [one.name, one.json_schema as string])),
      catalog.tags
        .list(row.id)
        .map(one => one.name)
        .toSorted(),
      sorted(
        catalog.associations
          .list(row.id)
          .map(one => [catalog.resourceTypes.row(one.resource_type_id).name, one.prefix as string]),
      ),
    ])
    .toSorted()
}

function expected({ namespaces }: Model): unknown {
  return [...namespaces]
    .map(([namespace, { protected: isProtected, parts }]) => [
      ...[namespace, isProtected],
      [...parts.properties].toSorted(),
      [...parts.objects].toSorted(),
      [...parts.tags.keys()].toSorted(),
      [...parts.associations].toSorted(),
    ])
    .toSorted()
}

test('any commands in any order do to the catalog what they do to a plain model, or are refused for its reasons', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 10, maxLength: 80, size: 'max' }), all => {
      const catalog = new SmallCatalog()
      const model: Model = { namespaces: new Map(), types: new Set() }
      for (const one of all) {
        catalog.nowMs++
        const decision = done(catalog, one)
        expect(decision.ok ? null : decision.refusal.kind).toBe(step(model, one))
        expect(held(catalog)).toEqual(expected(model))
      }
      expect(new Set(catalog.world.catalog.resourceTypes.all().map(type => type.name))).toEqual(model.types)
    }),
    { numRuns: countRuns(150) },
  )
})

test('new rows get higher numbers than all others, so that order of numbers is order of age', () => {
  const catalog = new SmallCatalog()
  catalog.import(['{"namespace":"n","tags":[{"name":"a"},{"name":"b"},{"name":"c"}]}'])
  catalog.do('catalog:delete-tag', { namespace: 'n', name: 'b' })
  catalog.do('catalog:create-tag', { namespace: 'n', name: 'd' })
  catalog.do('catalog:rename-tag', { namespace: 'n', name: 'a', to: 'z' })
  expect(catalog.world.catalog.tags.list(1).map(tag => tag.name)).toEqual(['z', 'c', 'd'])
})
