import { expect, test } from 'vitest'
import { type BerthRules, rules } from './commands.ts'
import type { CommandOf } from './store/sequencer/sequencer.ts'
import type { Rule } from './world/decision.ts'
import type { Table } from './world/table.ts'
import { mirroredTables } from './world/tables.ts'
import { World } from './world/world.ts'

type Command = {
  [K in keyof BerthRules]: readonly [kind: K, command: CommandOf<BerthRules[K]>]
}[keyof BerthRules]

const flavor = (flavorid: string, name: string): Command => [
  'compute:create-flavor',
  {
    fields: {
      flavorid,
      name,
      memory_mb: 1,
      vcpus: 1,
      root_gb: 0,
      ephemeral_gb: 0,
      swap: 0,
      rxtx_factor: 1,
      is_public: true,
      description: null,
    },
  },
]
const provider = (uuid: string, name: string): Command => [
  'placement:create-provider',
  { uuid, name, parent: null },
]
const aggregate = (uuid: string, name: string): Command => [
  'compute:create-aggregate',
  { uuid, name, zone: null },
]
const user = (uuid: string, name: string): Command => [
  'identity:create-user',
  {
    uuid,
    fields: {
      name,
      password_hash: null,
      is_enabled: 1,
      default_project: null,
      description: null,
      email: null,
    },
  },
]
const project = (uuid: string, name: string): Command => [
  'identity:create-project',
  { uuid, fields: { name, description: '', is_enabled: 1 } },
]
const role = (uuid: string, name: string): Command => ['identity:create-role', { uuid, name }]
const token = (uuid: string, name: string, token_hash: string): Command => [
  'identity:create-static-token',
  {
    roles: [],
    keepsUsers: true,
    fields: { uuid, name, token_hash, project: null, expires_at: null, created_by: 'u' },
  },
]
const credential = (uuid: string, name: string): Command => [
  'identity:create-credential',
  {
    uuid,
    user: 'u',
    project: 'p',
    roles: null,
    fields: { name, description: null, secret_hash: 's', is_unrestricted: 0, expires_at: null },
  },
]
const reservation = (uuid: string, name: string): Command => [
  'scheduling:create-reservation',
  {
    uuid,
    name,
    what: 'project',
    project: 'p',
    aggregate: null,
    count: 1,
    request: '{}',
    from: null,
    until: null,
  },
]
const withRole: Command[] = [
  user('u', 'u'),
  project('p', 'p'),
  role('r', 'r'),
  ['identity:grant', { user: 'u', project: 'p', role: 'r' }],
]
const type = (uuid: string, name: string): Command => [
  'shares:create-type',
  { uuid, name, description: null, isPublic: true, extraSpecs: {} },
]
const nothing = { associations: [], properties: [], objects: [], tags: [] }
const attributes = {
  display_name: null,
  description: null,
  visibility: 'public' as const,
  protected: false,
  owner: 'o',
}
const namespace = (name: string, content: object = {}): Command => [
  'catalog:create-namespace',
  { fields: { namespace: name, ...attributes }, content: { ...nothing, ...content } },
]
const association = (name: string) => ({ name, prefix: null, properties_target: null })
const property = (name: string) => ({ name, json_schema: '{}' })
const object = (name: string) => ({ name, description: null, required: null, json_schema: null })
const imported = (...names: string[]): Command => [
  'catalog:import',
  {
    definitions: names.map(one => ({ namespace: one, attributes, content: nothing })),
    merge: 'overwrite',
    owner: 'o',
    dryRun: false,
  },
]
const record = { total: 9, reserved: 0, minUnit: 1, maxUnit: 9, stepSize: 1, allocationRatio: 1 }
const stocked: Command[] = [
  provider('p1', 'a'),
  [
    'placement:replace-inventories',
    { provider: 'p1', generation: 0, inventories: [['VCPU', record]], mayBeFullyReserved: true },
  ],
]
const claim = (consumer: string): Command => {
  const allocations = [{ provider: 'p1', resources: [['VCPU', 1]] as const }]
  const generation = undefined
  return [
    'placement:replace-allocations',
    { claims: [{ consumer, generation, projectId: 'p', userId: 'u', type: 'T', allocations }] },
  ]
}

/**
 * Where callers choose a unique value: commands of which the last asks for one that is taken. A rule says no to it, or finds
 * a way; it must never say yes to a change that the world does not take.
 */
const chosen: Readonly<Record<string, readonly (readonly Command[])[]>> = {
  'resource_classes (name)': [
    [
      ['placement:create-class', { name: 'CUSTOM_A' }],
      ['placement:create-class', { name: 'CUSTOM_A' }],
    ],
    [
      ['placement:create-class', { name: 'CUSTOM_A' }],
      ['placement:ensure-class', { name: 'CUSTOM_A' }],
    ],
    [
      ['placement:create-class', { name: 'CUSTOM_A' }],
      ['placement:create-class', { name: 'CUSTOM_B' }],
      ['placement:rename-class', { name: 'CUSTOM_B', newName: 'CUSTOM_A' }],
    ],
  ],
  'traits (name)': [
    [
      ['placement:ensure-trait', { name: 'CUSTOM_A' }],
      ['placement:ensure-trait', { name: 'CUSTOM_A' }],
    ],
  ],
  'aggregates (uuid)': [
    [
      provider('p1', 'a'),
      ['placement:set-aggregates', { provider: 'p1', generation: null, aggregates: ['x', 'x'] }],
    ],
    [
      ...[provider('p1', 'a'), provider('p2', 'b')],
      ['placement:set-aggregates', { provider: 'p1', generation: null, aggregates: ['x'] }],
      ['placement:set-aggregates', { provider: 'p2', generation: null, aggregates: ['x'] }],
    ],
  ],
  'resource_providers (uuid)': [[provider('p1', 'a'), provider('p1', 'b')]],
  'resource_providers (name)': [
    [provider('p1', 'a'), provider('p2', 'a')],
    [
      ...[provider('p1', 'a'), provider('p2', 'b')],
      ['placement:update-provider', { provider: 'p2', name: 'a', parent: undefined, mayReparent: false }],
    ],
    [provider('p1', 'a'), ['compute:add-host', { uuid: 'p2', host: 'a' }]],
  ],
  'consumers (uuid)': [[...stocked, claim('c'), claim('c')]],
  'metadef_namespaces (namespace)': [
    [namespace('a'), namespace('a')],
    [namespace('a'), imported('a', 'a')],
    [
      ...[namespace('a'), namespace('b')],
      ['catalog:update-namespace', { namespace: 'b', fields: { namespace: 'a', ...attributes } }],
    ],
  ],
  'metadef_resource_types (name)': [
    [
      namespace('a', { associations: [association('t')] }),
      namespace('b', { associations: [association('t')] }),
    ],
  ],
  'metadef_associations (namespace_id, resource_type_id)': [
    [namespace('a', { associations: [association('t'), association('t')] })],
    [
      namespace('a', { associations: [association('t')] }),
      ['catalog:associate', { namespace: 'a', association: association('t') }],
    ],
  ],
  'metadef_properties (namespace_id, name)': [
    [namespace('a', { properties: [property('x'), property('x')] })],
    [
      namespace('a', { properties: [property('x')] }),
      ['catalog:create-property', { namespace: 'a', property: property('x') }],
    ],
    [
      namespace('a', { properties: [property('x'), property('y')] }),
      ['catalog:update-property', { namespace: 'a', name: 'y', property: property('x') }],
    ],
  ],
  'metadef_objects (namespace_id, name)': [
    [namespace('a', { objects: [object('x'), object('x')] })],
    [
      namespace('a', { objects: [object('x')] }),
      ['catalog:create-object', { namespace: 'a', object: object('x') }],
    ],
    [
      namespace('a', { objects: [object('x'), object('y')] }),
      ['catalog:update-object', { namespace: 'a', name: 'y', object: object('x') }],
    ],
  ],
  'metadef_tags (namespace_id, name)': [
    [namespace('a', { tags: ['x', 'x'] })],
    [namespace('a', { tags: ['x'] }), ['catalog:create-tag', { namespace: 'a', name: 'x' }]],
    [
      namespace('a', { tags: ['x'] }),
      ['catalog:set-tags', { namespace: 'a', names: ['y', 'x'], append: true }],
    ],
    [
      namespace('a', { tags: ['x'] }),
      ['catalog:set-tags', { namespace: 'a', names: ['x', 'x'], append: false }],
    ],
    [namespace('a', { tags: ['x', 'y'] }), ['catalog:rename-tag', { namespace: 'a', name: 'y', to: 'x' }]],
  ],
  'flavors (flavorid)': [[flavor('1', 'a'), flavor('1', 'b')]],
  'flavors (name)': [
    [flavor('1', 'a'), flavor('2', 'a')],
    [flavor('1', 'a'), flavor('2', 'b'), ['compute:update-flavor', { flavor: '2', fields: { name: 'a' } }]],
  ],
  'host_aggregates (name)': [
    [aggregate('u1', 'a'), aggregate('u2', 'a')],
    [
      ...[aggregate('u1', 'a'), aggregate('u2', 'b')],
      ['compute:change-aggregate', { aggregate: 2, name: 'a', metadata: {} }],
    ],
  ],
  'users (uuid)': [[user('u1', 'a'), user('u1', 'b')]],
  'users (name)': [
    [user('u1', 'a'), user('u2', 'a')],
    [user('u1', 'a'), user('u2', 'b'), ['identity:update-user', { user: 'u2', fields: { name: 'a' } }]],
    [user('admin', 'admin'), ['identity:bootstrap', { passwordHash: 'h', roles: [] }]],
  ],
  'projects (uuid)': [[project('p1', 'a'), project('p1', 'b')]],
  'projects (name)': [
    [project('p1', 'a'), project('p2', 'a')],
    [
      project('p1', 'a'),
      project('p2', 'b'),
      ['identity:update-project', { project: 'p2', fields: { name: 'a' } }],
    ],
    [project('admin', 'admin'), ['identity:bootstrap', { passwordHash: 'h', roles: [] }]],
  ],
  'roles (name)': [[role('r1', 'a'), role('r2', 'a')]],
  'application_credentials (user_id, name)': [[...withRole, credential('c1', 'a'), credential('c2', 'a')]],
  'static_tokens (name)': [[token('t1', 'a', 'h1'), token('t2', 'a', 'h2')]],
  'static_tokens (token_hash)': [[token('t1', 'a', 'h1'), token('t2', 'b', 'h1')]],
  'reservations (name)': [[reservation('r1', 'a'), reservation('r2', 'a')]],
  'share_types (name)': [
    [type('t1', 'a'), type('t2', 'a')],
    [type('t1', 'a'), type('t2', 'b'), ['shares:update-type', { type: 't2', name: 'a' }]],
  ],
}

/** The server draws these at random or takes them from files of its own: no caller can ask for one that is taken. */
const drawn: readonly string[] = [
  'metadef_builtins (namespace)',
  'host_aggregates (uuid)',
  'server_groups (uuid)',
  'roles (uuid)',
  'reservations (uuid)',
  'application_credentials (uuid)',
  'static_tokens (uuid)',
  'share_types (uuid)',
  'shares (uuid)',
  'share_snapshots (uuid)',
  'share_access_rules (uuid)',
  'share_steps (uuid)',
]

test('every unique index is checked by its rules, or drawn by the server', () => {
  const indexes = (mirroredTables as readonly Table[]).flatMap(table =>
    table.unique.map(columns => `${table.name} (${columns.join(', ')})`),
  )
  expect([...Object.keys(chosen), ...drawn].sort()).toEqual(indexes.sort())
})

const histories = Object.entries(chosen).flatMap(([index, all]) =>
  all.map((commands, nth) => ({ index, nth, commands })),
)

test.each(histories)('$index, way $nth: no rule says yes to what the world does not take', ({ commands }) => {
  const world = new World()
  decide(world, ['placement:sync-standards', { classes: ['VCPU'], traits: [] }])
  const oks = commands.map(command => decide(world, command))
  // What comes before must be there for the last to collide with.
  expect(oks.slice(0, -1)).toEqual(oks.slice(0, -1).map(() => true))
})

function decide(world: World, [kind, command]: Command): boolean {
  const decision = (rules[kind] as Rule<unknown, unknown, unknown>)(world, command, 1_000)
  if (decision.ok) world.apply(decision.change)
  return decision.ok
}
