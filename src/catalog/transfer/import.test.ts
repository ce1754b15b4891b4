import { describe, expect, test } from 'vitest'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { readDefinition } from '../reading.ts'
import type { ImportedNamespace, Merge } from './import.ts'

const OLD = {
  namespace: 'n',
  display_name: 'Old',
  description: 'About n',
  resource_type_associations: [{ name: 'T', prefix: 'old_' }, { name: 'U' }],
  properties: {
    same: { title: 'S', type: 'string' },
    both: { title: 'B', type: 'string' },
    mine: { title: 'M', type: 'string' },
  },
  objects: [{ name: 'both', description: 'old' }, { name: 'mine' }],
  tags: [{ name: 'mine' }, { name: 'same' }],
}
const NEW = {
  namespace: 'n',
  display_name: 'New',
  visibility: 'public',
  resource_type_associations: [{ name: 'T', prefix: 'new_' }, { name: 'V' }],
  properties: {
    same: { type: 'string', title: 'S' },
    both: { title: 'B', type: 'string', operators: ['<or>'] },
    fresh: { title: 'F', type: 'integer' },
  },
  objects: [{ name: 'both', description: 'new' }, { name: 'fresh' }],
  tags: [{ name: 'same' }, { name: 'fresh' }],
}

function merged(merge: Merge, dryRun = false) {
  const catalog = new SmallCatalog()
  catalog.import([JSON.stringify(OLD)])
  const before = catalog.rows()
  catalog.nowMs = 2_000
  const [told] = catalog.import([JSON.stringify(NEW)], merge, dryRun) as [ImportedNamespace]
  const signs = { added: '+', changed: '~', removed: '-', kept: '=' }
  return {
    catalog,
    before,
    file: JSON.parse(catalog.export()[0] as string),
    outcome: told.outcome,
    told: told.differences.map(one => `${signs[one.action]} ${one.part} ${one.name}`),
    differences: told.differences,
  }
}

test('skip leaves the namespace as it is and tells what the file would have', () => {
  const { catalog, before, outcome, told } = merged('skip')
  expect(catalog.rows()).toEqual(before)
  expect(outcome).toBe('skipped')
  expect(told).toEqual([
    '= attribute display_name',
    '= attribute visibility',
    '= association T',
    '= association V',
    '= property both',
    '= property fresh',
    '= object both',
    '= object fresh',
    '= tag fresh',
  ])
})

test('add brings what only the file has, and keeps everything else', () => {
  const { file, outcome, told } = merged('add')
  expect(outcome).toBe('updated')
  expect(told).toEqual([
    '= attribute display_name',
    '= attribute visibility',
    '= association T',
    '+ association V',
    '= property both',
    '+ property fresh',
    '= object both',
    '+ object fresh',
    '+ tag fresh',
  ])
  expect(file).toMatchObject({ display_name: 'Old', visibility: 'private' })
  expect(Object.keys(file.properties)).toEqual(['same', 'both', 'mine', 'fresh'])
  expect(file.properties.both).toEqual(OLD.properties.both)
})

test('prefer-new also makes what both have as the file has it, and keeps what only we have', () => {
  const { file, told, differences } = merged('prefer-new')
  expect(told).toEqual([
    '~ attribute display_name',
    '~ attribute visibility',
    '~ association T',
    '+ association V',
    '~ property both',
    '+ property fresh',
    '~ object both',
    '+ object fresh',
    '+ tag fresh',
  ])
  expect(differences.find(one => one.part === 'property' && one.name === 'both')).toMatchObject({
    before: OLD.properties.both,
    after: NEW.properties.both,
  })
  expect(file).toMatchObject({ display_name: 'New', description: 'About n', visibility: 'public' })
  expect(Object.keys(file.properties)).toEqual(['same', 'both', 'mine', 'fresh'])
  expect(file.properties.both.operators).toEqual(['<or>'])
  expect(file.resource_type_associations).toEqual([
    { name: 'T', prefix: 'new_' },
    { name: 'U' },
    { name: 'V' },
  ])
})

test('overwrite leaves nothing but the file, and the owner', () => {
  const { file, told } = merged('overwrite')
  expect(told).toEqual([
    '~ attribute display_name',
    '~ attribute visibility',
    '~ association T',
    '+ association V',
    '~ property both',
    '+ property fresh',
    '~ object both',
    '+ object fresh',
    '+ tag fresh',
    '- attribute description',
    '- association U',
    '- property mine',
    '- object mine',
    '- tag mine',
  ])
  expect(file).toEqual({ ...NEW, protected: false, owner: 'me' })
})

test('overwriting a protected namespace is what an upgrade of shipped definitions needs', () => {
  const catalog = new SmallCatalog()
  catalog.import([JSON.stringify({ ...OLD, protected: true })])
  expect(catalog.import([JSON.stringify({ ...NEW, protected: true })], 'overwrite')[0]?.outcome).toBe(
    'updated',
  )
})

test.each(['skip', 'add', 'prefer-new', 'overwrite'] as const)(
  'a dry run of %s tells all and does nothing',
  merge => {
    const { catalog, before, told } = merged(merge, true)
    expect(catalog.rows()).toEqual(before)
    expect(told).toEqual(merged(merge).told)
  },
)

test('what is the same but for the order of its keys is the same', () => {
  const { told } = merged('overwrite')
  expect(told).not.toContain('~ property same')
})

describe('all or nothing', () => {
  const refused = (...files: object[]) => {
    const catalog = new SmallCatalog()
    const definitions = files.map(one => readDefinition(one as Record<string, unknown>))
    const decision = catalog.do('catalog:import', { definitions, merge: 'add', owner: 'me', dryRun: false })
    expect(catalog.world.catalog.namespaces.size).toBe(0)
    expect(catalog.world.catalog.resourceTypes.size).toBe(0)
    return decision.ok ? null : decision.refusal
  }

  test('a tag that a later file has twice keeps the earlier ones out', () => {
    expect(refused(OLD, { namespace: 'm', tags: [{ name: 'x' }, { name: 'y' }, { name: 'x' }] })).toEqual({
      kind: 'part-exists',
      namespace: 'm',
      part: 'tag',
      name: 'x',
    })
  })

  test('two files of one namespace are refused', () => {
    expect(refused(OLD, NEW)).toEqual({ kind: 'defined-twice', namespace: 'n' })
  })
})

test('one import may use a new resource type several times', () => {
  const catalog = new SmallCatalog()
  const file = (namespace: string) =>
    JSON.stringify({ namespace, resource_type_associations: [{ name: 'OS::New' }] })
  catalog.import([file('a'), file('b'), file('c')])
  expect(catalog.world.catalog.resourceTypes.all().map(type => type.name)).toEqual(['OS::New'])
})

test('what a server added to a definition is understood and left out', () => {
  const times = { created_at: '2020-01-01T00:00:00Z', updated_at: '2020-01-01T00:00:00Z' }
  const links = { self: '/v2/x', schema: '/v2/y' }
  const catalog = new SmallCatalog()
  const shown = {
    namespace: 'n',
    owner: 'p',
    visibility: 'public',
    protected: false,
    ...times,
    ...links,
    resource_type_associations: [{ name: 'T', ...times }],
    objects: [{ name: 'o', required: [], properties: {}, ...times, ...links }],
    tags: [{ name: 't', ...times }],
  }
  catalog.import([JSON.stringify(shown)])
  expect(JSON.parse(catalog.export()[0] as string)).toEqual({
    namespace: 'n',
    visibility: 'public',
    protected: false,
    owner: 'p',
    resource_type_associations: [{ name: 'T' }],
    objects: [{ name: 'o', required: [], properties: {} }],
    tags: [{ name: 't' }],
  })
})
