import { expect, test } from 'vitest'
import { insert, remove, update } from './change.ts'
import { collectNames, listEventColumns, renderOps } from './naming.ts'
import type { Table } from './table.ts'
import { mirroredTables, type Row } from './tables.ts'
import { World } from './world.ts'

const provider = (
  id: number,
  parent_id: number | null = null,
  generation = 0,
): Row<'resource_providers'> => ({
  id,
  uuid: `provider-${id}`,
  name: `host-${id}`,
  generation,
  parent_id,
  updated_at: 5,
})
const consumer = (id: number): Row<'consumers'> => ({
  id,
  uuid: `consumer-${id}`,
  generation: 1,
  project_id: 'p',
  user_id: 'u',
  consumer_type: null,
  updated_at: 5,
})
const held = (consumer_id: number, provider_id: number, used: number): Row<'allocations'> => ({
  consumer_id,
  provider_id,
  class_id: 0,
  used,
})

function smallWorld(): World {
  const world = new World()
  world.load('resource_classes', { id: 0, name: 'VCPU', updated_at: 0 })
  world.load('traits', { id: 1, name: 'CUSTOM_A', updated_at: 0 })
  world.load('aggregates', { id: 1, uuid: 'agg' })
  world.load('resource_providers', provider(0))
  world.load('resource_providers', provider(1, 0))
  world.load('inventories', {
    provider_id: 1,
    class_id: 0,
    total: 8,
    reserved: 0,
    min_unit: 1,
    max_unit: 8,
    step_size: 1,
    allocation_ratio: 1,
    updated_at: 0,
  })
  world.load('consumers', consumer(0))
  world.load('allocations', held(0, 1, 2))
  return world
}

test('a claim needs the names of class and parent: its own rows name provider and consumer', () => {
  const world = smallWorld()
  const ops = [
    insert('consumers', consumer(7)),
    insert('allocations', held(7, 1, 4)),
    update('resource_providers', provider(1, 0), provider(1, 0, 1)),
  ]
  const names = collectNames(world, { ops })
  expect(names).toEqual({ resource_classes: { 0: 'VCPU' }, resource_providers: { 0: 'provider-0' } })
  expect(renderOps({ change: { ops }, names })).toEqual([
    {
      table: 'consumers',
      before: null,
      after: { uuid: 'consumer-7', generation: 1, project_id: 'p', user_id: 'u', consumer_type: null },
    },
    {
      table: 'allocations',
      before: null,
      after: { consumer: 'consumer-7', provider: 'provider-1', resource_class: 'VCPU', used: 4 },
    },
    {
      table: 'resource_providers',
      before: { uuid: 'provider-1', name: 'host-1', generation: 0, parent: 'provider-0' },
      after: { uuid: 'provider-1', name: 'host-1', generation: 1, parent: 'provider-0' },
    },
  ])
})

test('what a change removes keeps its name, though its number is given to others', () => {
  const world = smallWorld()
  const change = { ops: [remove('allocations', held(0, 1, 2)), remove('consumers', consumer(0))] }
  const told = { change, names: collectNames(world, change) }
  world.apply(change)
  world.apply({ ops: [insert('consumers', { ...consumer(0), uuid: 'another' })] })
  expect(renderOps(told)[0]).toEqual({
    table: 'allocations',
    before: { consumer: 'consumer-0', provider: 'provider-1', resource_class: 'VCPU', used: 2 },
    after: null,
  })
})

test('what a change renames has its new name', () => {
  const before = { id: 0, name: 'VCPU', updated_at: 0 }
  const change = { ops: [update('resource_classes', before, { ...before, name: 'CUSTOM_B' })] }
  expect(collectNames(smallWorld(), change)).toEqual({})
  expect(renderOps({ change, names: {} })).toEqual([
    { table: 'resource_classes', before: { name: 'VCPU' }, after: { name: 'CUSTOM_B' } },
  ])
})

test('memberships have names on both sides', () => {
  const change = {
    ops: [
      insert('provider_traits', { provider_id: 0, trait_id: 1 }),
      insert('provider_aggregates', { provider_id: 0, aggregate_id: 1 }),
    ],
  }
  expect(renderOps({ change, names: collectNames(smallWorld(), change) }).map(op => op.after)).toEqual([
    { provider: 'provider-0', trait: 'CUSTOM_A' },
    { provider: 'provider-0', aggregate: 'agg' },
  ])
})

test('a number that stands for two things in one change, or for nothing, is a bug of ours', () => {
  const twice = {
    ops: [remove('consumers', consumer(0)), insert('consumers', { ...consumer(0), uuid: 'x' })],
  }
  expect(() => collectNames(smallWorld(), twice)).toThrow('for two things')
  expect(() => collectNames(smallWorld(), { ops: [insert('allocations', held(5, 1, 1))] })).toThrow('slot 5')
})

test('every column that refers to a table refers to one whose rows have a name', () => {
  const tables = mirroredTables as readonly Table[]
  const named = new Set(tables.filter(t => t.key[0] === 'id' && t.unique[0]?.length === 1).map(t => t.name))
  const references = tables.flatMap(t => Object.values(t.columns)).filter(column => 'refersTo' in column)
  expect(references.length).toBeGreaterThan(5)
  for (const { refersTo } of references) expect(named).toContain(refersTo)
})

test('every whole number that is called an id is a key or refers to a table', () => {
  for (const table of mirroredTables as readonly Table[])
    for (const [name, column] of Object.entries(table.columns))
      if (column.type === 'integer' && /(^|_)id$/.test(name))
        expect(
          'refersTo' in column || (name === 'id' && table.key[0] === 'id'),
          `${table.name}.${name}`,
        ).toBe(true)
})

test('no row shows a secret', () => {
  const told = listEventColumns()
  expect(told.get('users')).toEqual([
    ...[
      'uuid',
      'name',
      'is_enabled',
      'default_project',
      'description',
      'email',
      'tokens_since',
      'created_at',
    ],
  ])
  expect(told.get('application_credentials')).not.toContain('secret_hash')
  expect(told.get('static_tokens')).not.toContain('token_hash')
  const user = {
    id: 1,
    uuid: 'u',
    name: 'ann',
    password_hash: 'scrypt$x',
    is_enabled: 1,
    default_project: null,
    description: null,
    email: null,
    tokens_since: 0,
    created_at: 0,
  }
  const named = renderOps({ change: { ops: [insert('users', user)] }, names: {} })
  expect(JSON.stringify(named)).not.toContain('scrypt')
})
