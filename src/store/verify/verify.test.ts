import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { classId, providerSlot } from '../../kernel/ids.ts'
import { checkWorld } from '../../server/check-world.ts'
import { type Change, insert, update } from '../../world/change.ts'
import type { Row, TableName } from '../../world/tables.ts'
import { World } from '../../world/world.ts'
import { GENESIS } from '../chain.ts'
import { openSqlite } from '../sqlite/open.ts'
import type { Store } from '../store.ts'
import { diffWorlds, verifyStore } from './verify.ts'

type Rows = { [N in TableName]?: Row<N>[] }

const provider = (id: number, parent_id: number | null = null): Row<'resource_providers'> => ({
  id,
  uuid: `uuid-${id}`,
  name: `host-${id}`,
  generation: 0,
  parent_id,
  updated_at: 0,
})
const inventory = (provider_id: number, class_id = 0): Row<'inventories'> => ({
  provider_id,
  class_id,
  total: 10,
  reserved: 0,
  min_unit: 1,
  max_unit: 10,
  step_size: 1,
  allocation_ratio: 1,
  updated_at: 0,
})
const consumer = (id: number): Row<'consumers'> => ({
  id,
  uuid: `c-${id}`,
  generation: 1,
  project_id: 'p',
  user_id: 'u',
  consumer_type: null,
  updated_at: 0,
})
const allocation = (
  consumer_id: number,
  provider_id: number,
  class_id = 0,
  used = 2,
): Row<'allocations'> => ({
  consumer_id,
  provider_id,
  class_id,
  used,
})

const times = { created_at: 0, updated_at: 0 }
const namespace = (id: number): Row<'metadef_namespaces'> => ({
  id,
  namespace: `ns-${id}`,
  applied_by: null,
  display_name: null,
  description: null,
  visibility: 'public',
  protected: 0,
  owner: 'p',
  ...times,
})
const association = (
  id: number,
  namespace_id: number,
  resource_type_id: number,
): Row<'metadef_associations'> => ({
  id,
  namespace_id,
  resource_type_id,
  prefix: null,
  properties_target: null,
  ...times,
})
const property = (id: number, namespace_id: number, json_schema = '{}'): Row<'metadef_properties'> => ({
  id,
  namespace_id,
  name: `p-${id}`,
  json_schema,
  ...times,
})
const object = (
  id: number,
  namespace_id: number,
  required: string | null = null,
): Row<'metadef_objects'> => ({
  id,
  namespace_id,
  name: `o-${id}`,
  description: null,
  required,
  json_schema: null,
  ...times,
})

const flavor = (id: number): Row<'flavors'> => ({
  id,
  flavorid: `f-${id}`,
  name: `flavor-${id}`,
  memory_mb: 1,
  vcpus: 1,
  root_gb: 0,
  ephemeral_gb: 0,
  swap: 0,
  rxtx_factor: 1,
  is_public: 0,
  description: null,
  applied_by: null,
  ...times,
})
const host = (provider_id: number, capabilities = '{}'): Row<'hosts'> => ({
  provider_id,
  is_declared: 1,
  is_disabled: 0,
  disabled_reason: null,
  is_forced_down: 0,
  is_down: 0,
  capabilities,
  applied_by: null,
  ...times,
})
const serverGroup = (id: number): Row<'server_groups'> => ({
  id,
  uuid: `g-${id}`,
  name: 'g',
  policy: 'affinity',
  max_server_per_host: null,
  project_id: 'p',
  user_id: 'u',
  applied_by: null,
  created_at: 0,
})

const user = (id: number): Row<'users'> => ({
  id,
  uuid: `u-${id}`,
  name: `user-${id}`,
  password_hash: null,
  is_enabled: 1,
  default_project: null,
  description: null,
  email: null,
  tokens_since: 0,
  created_at: 0,
})
const applicationCredential = (
  id: number,
  user_id: number,
  project_id: number,
): Row<'application_credentials'> => ({
  id,
  uuid: `c-${id}`,
  user_id,
  project_id,
  name: 'ci',
  description: null,
  secret_hash: 'h',
  roles: '["reader"]',
  is_unrestricted: 0,
  expires_at: null,
  created_at: 0,
})
const staticToken = (id: number): Row<'static_tokens'> => ({
  id,
  uuid: `t-${id}`,
  name: `token-${id}`,
  token_hash: `h-${id}`,
  project: null,
  roles: '[]',
  expires_at: null,
  created_by: 'u',
  created_at: 0,
})
const shareType = (id: number): Row<'share_types'> => ({
  id,
  uuid: `t-${id}`,
  name: `type-${id}`,
  description: null,
  is_public: 1,
  is_default: 0,
  applied_by: null,
  ...times,
})
const backend = (provider_id: number): Row<'share_backends'> => ({
  provider_id,
  host: 'farm',
  name: 'alpha',
  driver: 'simulated',
  settings: '{}',
  capabilities: '{}',
  availability_zone: 'nova',
  is_disabled: 0,
  disabled_reason: null,
  applied_by: null,
  ...times,
})
const pool = (provider_id: number, backend_id: number, capabilities = '{}'): Row<'share_pools'> => ({
  provider_id,
  backend_id,
  name: 'a1',
  reserved_percentage: 0,
  capabilities,
  ...times,
})
const share = (id: number, more: Partial<Row<'shares'>> = {}): Row<'shares'> => ({
  id,
  uuid: `s-${id}`,
  project_id: 'p',
  user_id: 'u',
  name: null,
  description: null,
  size: 1,
  protocol: 'NFS',
  type_id: 1,
  pool_id: null,
  status: 'error',
  task_state: null,
  is_public: 0,
  availability_zone: null,
  snapshot: null,
  export_path: null,
  target_pool_id: null,
  target_type_id: null,
  target_path: null,
  target_size: null,
  is_move_forced: 0,
  is_forced: 0,
  applied_by: null,
  deleted_at: null,
  ...times,
  ...more,
})
const snapshot = (id: number, share_id: number): Row<'share_snapshots'> => ({
  id,
  uuid: `n-${id}`,
  share_id,
  project_id: 'p',
  user_id: 'u',
  name: null,
  description: null,
  size: 1,
  protocol: 'NFS',
  status: 'available',
  ...times,
})
const accessRule = (id: number, share_id: number, metadata = '{}'): Row<'share_access_rules'> => ({
  id,
  uuid: `a-${id}`,
  share_id,
  access_type: 'ip',
  access_to: '10.0.0.1',
  access_level: 'rw',
  state: 'active',
  is_denied: 0,
  metadata,
  ...times,
})
const step = (id: number, pool_id: number, facts = '{}'): Row<'share_steps'> => ({
  id,
  uuid: `step-${id}`,
  kind: 'create',
  backend_id: 2,
  pool_id,
  share: 's-1',
  facts,
  epoch: null,
  attempts: 0,
  created_at: 0,
})

const groupClaim = {
  consumer: 'c-0',
  group_uuid: 'g',
  policy: 'affinity',
  max_per_host: 1,
  members: '[]',
  expires_at: 0,
}

const manilaClaim = {
  share: 's',
  operation: 'create',
  backend: 'farm@alpha',
  same_host: '',
  different_host: 'a,b',
  is_kept: 0,
  placed_at: 0,
  expires_at: 0,
}

const reservation = {
  id: 1,
  uuid: 'res',
  name: 'kept',
  kind: 'project',
  project_id: 'p',
  aggregate: null,
  servers: 1,
  request: '{}',
  from_at: 0,
  until_at: null,
  used: 0,
  short: 0,
  created_at: 0,
}

/** A small whole world: a root with a child, one consumer on both, a trait and an aggregate. */
const whole = (): Required<Rows> => ({
  resource_classes: [{ id: 0, name: 'VCPU', updated_at: 0 }],
  traits: [{ id: 0, name: 'CUSTOM_A', updated_at: 0 }],
  aggregates: [{ id: 0, uuid: 'agg' }],
  resource_providers: [provider(0), provider(1, 0), provider(2), provider(3, 2)],
  inventories: [inventory(0), inventory(1)],
  provider_traits: [{ provider_id: 0, trait_id: 0 }],
  provider_aggregates: [{ provider_id: 1, aggregate_id: 0 }],
  consumers: [consumer(0)],
  allocations: [allocation(0, 0), allocation(0, 1)],
  metadef_namespaces: [namespace(1)],
  metadef_resource_types: [{ id: 1, name: 'OS::Nova::Flavor', ...times }],
  metadef_associations: [association(1, 1, 1)],
  metadef_properties: [property(1, 1)],
  metadef_objects: [object(1, 1)],
  metadef_tags: [{ id: 1, namespace_id: 1, name: 'tag', ...times }],
  metadef_builtins: [{ id: 1, namespace: 'ns-1', loaded_at: 0 }],
  flavors: [flavor(1)],
  flavor_extra_specs: [{ flavor_id: 1, key: 'a', value: 'b' }],
  flavor_access: [{ flavor_id: 1, project_id: 'p' }],
  hosts: [host(0)],
  host_aggregates: [{ id: 1, uuid: 'agg', name: 'rack', applied_by: null, ...times }],
  host_aggregate_metadata: [{ aggregate_id: 1, key: 'a', value: 'b' }],
  host_aggregate_hosts: [{ aggregate_id: 1, provider_id: 1, made_member: 0 }],
  server_groups: [serverGroup(1)],
  server_group_members: [{ consumer_id: 0, group_id: 1 }],
  server_requests: [{ consumer_id: 0, name: 'web', decision: 'd', request: '{}', applied_by: null }],
  reservations: [reservation],
  reservation_slots: [{ consumer_id: 0, reservation_id: 1 }],
  group_claims: [groupClaim],
  manila_claims: [manilaClaim],
  users: [user(1)],
  projects: [{ id: 1, uuid: 'p', name: 'p', description: '', is_enabled: 1, created_at: 0 }],
  roles: [{ id: 1, uuid: 'r', name: 'reader', created_at: 0 }],
  role_assignments: [{ user_id: 1, project_id: 1, role_id: 1 }],
  application_credentials: [applicationCredential(1, 1, 1)],
  static_tokens: [staticToken(1)],
  revoked_tokens: [{ audit_id: 'a', expires_at: 0 }],
  shadow_settings: [],
  share_types: [shareType(1)],
  share_type_extra_specs: [{ type_id: 1, key: 'a', value: 'b' }],
  share_type_access: [{ type_id: 1, project_id: 'p' }],
  share_backends: [backend(2)],
  share_pools: [pool(3, 2)],
  shares: [share(1)],
  share_metadata: [{ share_id: 1, key: 'a', value: 'b' }],
  share_hints: [{ share_id: 1, kind: 'same_host', other: 's-9', place: 0 }],
  share_snapshots: [snapshot(1, 1)],
  share_access_rules: [accessRule(1, 1)],
  share_steps: [step(1, 3)],
  share_leases: [{ backend_id: 2, holder: 'x', epoch: 1, expires_at: 0 }],
  share_quotas: [{ scope: 'project:p', resource: 'shares', hard_limit: 1 }],
})

function worldOf(rows: Rows): World {
  const world = new World()
  for (const [table, list] of Object.entries(rows))
    for (const row of list) world.load(table as TableName, row)
  return world
}

const kinds = (world: World) => checkWorld(world).items.map(problem => problem.kind)

describe('checkWorld', () => {
  test('a whole world has no problem', () => {
    expect(checkWorld(worldOf(whole()))).toEqual({ items: [], count: 0 })
  })

  test('finds a provider or a consumer that its name does not lead to', () => {
    const world = worldOf(whole())
    const [host, other] = [provider(0), provider(1)]
    // A before-image that is not what memory has takes the name of another away.
    world.apply({
      ops: [update('resource_providers', { ...host, name: other.name }, { ...host, name: 'new' })],
    })
    expect(kinds(world)).toEqual(['index.wrong'])
    const [held, second] = [consumer(0), consumer(1)]
    const allocations = [allocation(0, 0), allocation(1, 0)]
    const twisted = worldOf({ ...whole(), consumers: [held, second], allocations })
    twisted.apply({ ops: [update('consumers', { ...held, uuid: second.uuid }, { ...held, uuid: 'new' })] })
    expect(kinds(twisted)).toContain('index.wrong')
  })

  const breaks: [string, Partial<Rows>, string[]][] = [
    [
      'a parent that does not exist',
      { resource_providers: [provider(0), provider(1, 7), provider(2), provider(3, 2)] },
      ['provider.parent-missing'],
    ],
    [
      'an inventory of no provider',
      { inventories: [inventory(0), inventory(1), inventory(9)] },
      ['inventory.provider-missing'],
    ],
    [
      'an inventory of no class',
      { inventories: [inventory(0), inventory(1), inventory(1, 5)] },
      ['inventory.class-missing'],
    ],
    [
      'a trait that does not exist',
      { provider_traits: [{ provider_id: 0, trait_id: 3 }] },
      ['membership.other-missing'],
    ],
    [
      'a trait of no provider',
      { provider_traits: [{ provider_id: 5, trait_id: 0 }] },
      ['membership.provider-missing'],
    ],
    [
      'an aggregate that does not exist',
      { provider_aggregates: [{ provider_id: 0, aggregate_id: 3 }] },
      ['membership.other-missing'],
    ],
    [
      'an aggregate of no provider',
      { provider_aggregates: [{ provider_id: 5, aggregate_id: 0 }] },
      ['membership.provider-missing'],
    ],
    ['a property of no namespace', { metadef_properties: [property(1, 9)] }, ['metadef.namespace-missing']],
    [
      'an association with no type',
      { metadef_associations: [association(1, 1, 7)] },
      ['metadef.resource-type-missing'],
    ],
    [
      'a property whose schema is not JSON',
      { metadef_properties: [property(1, 1, '{')] },
      ['metadef.not-json'],
    ],
    ['an object that requires no JSON', { metadef_objects: [object(1, 1, '[')] }, ['metadef.not-json']],
    ['an allocation without an inventory', { inventories: [inventory(0)] }, ['allocation.inventory-missing']],
    ['an allocation of nothing', { allocations: [allocation(0, 0, 0, 0)] }, ['allocation.amount-wrong']],
    [
      'an allocation of no consumer',
      { consumers: [] },
      [
        'usage.wrong',
        'usage.wrong',
        'allocation.consumer-missing',
        'server-group.consumer-missing',
        'server-request.consumer-missing',
        'reservation.consumer-missing',
      ],
    ],
    [
      'an allocation of no provider',
      { allocations: [allocation(0, 6)] },
      ['allocation.provider-missing', 'allocation.inventory-missing'],
    ],
    [
      'an allocation of no class',
      { allocations: [allocation(0, 0, 4)] },
      ['allocation.class-missing', 'allocation.inventory-missing'],
    ],
    [
      'an extra spec of no flavor',
      { flavor_extra_specs: [{ flavor_id: 7, key: 'a', value: 'b' }] },
      ['flavor.missing'],
    ],
    ['access to no flavor', { flavor_access: [{ flavor_id: 7, project_id: 'p' }] }, ['flavor.missing']],
    ['a host of no provider', { hosts: [host(5)] }, ['host.provider-missing']],
    ['a host whose capabilities are no object', { hosts: [host(0, '[]')] }, ['host.not-json']],
    [
      'metadata of no aggregate',
      { host_aggregate_metadata: [{ aggregate_id: 7, key: 'a', value: 'b' }] },
      ['host-aggregate.missing'],
    ],
    [
      'a host in no aggregate',
      { host_aggregate_hosts: [{ aggregate_id: 7, provider_id: 1, made_member: 1 }] },
      ['host-aggregate.missing'],
    ],
    [
      'an aggregate of no host',
      { host_aggregate_hosts: [{ aggregate_id: 1, provider_id: 5, made_member: 0 }] },
      ['host-aggregate.provider-missing'],
    ],
    [
      'a host that Placement does not have in its aggregate',
      { host_aggregate_hosts: [{ aggregate_id: 1, provider_id: 0, made_member: 1 }] },
      ['host-aggregate.membership-missing'],
    ],
    [
      'a member of no group',
      { server_group_members: [{ consumer_id: 0, group_id: 7 }] },
      ['server-group.missing'],
    ],
    [
      'the request of a server that is not JSON',
      { server_requests: [{ consumer_id: 0, name: null, decision: 'd', request: '{', applied_by: null }] },
      ['server-request.not-json'],
    ],
    [
      'an extra spec of no share type',
      { share_type_extra_specs: [{ type_id: 7, key: 'a', value: 'b' }] },
      ['share-type.missing'],
    ],
    ['a share of no type', { shares: [share(1, { type_id: 7 })] }, ['share-type.missing']],
    [
      'a back end of no provider',
      { share_backends: [backend(2), backend(9)] },
      ['share-backend.provider-missing'],
    ],
    [
      'a pool that is not below its back end',
      { share_pools: [pool(3, 2), pool(1, 2)] },
      ['share-backend.provider-missing', 'share.ledger-wrong'],
    ],
    [
      'a pool whose capabilities are no object',
      { share_pools: [pool(3, 2, '1')] },
      ['share-backend.not-json'],
    ],
    [
      'a lease of no back end',
      { share_leases: [{ backend_id: 8, holder: 'x', epoch: 1, expires_at: 0 }] },
      ['share-backend.missing'],
    ],
    ['an access rule of no share', { share_access_rules: [accessRule(1, 8)] }, ['share.missing']],
    [
      'an access rule whose metadata is no JSON',
      { share_access_rules: [accessRule(1, 1, '[')] },
      ['share-backend.not-json'],
    ],
    [
      'access that could not be changed five times',
      { share_steps: [{ ...step(1, 3, '{"failures":5,"error":"away"}'), kind: 'access' }] },
      ['share.access-stuck'],
    ],
    ['a snapshot of no share', { share_snapshots: [snapshot(1, 8)] }, ['share.missing']],
    [
      'a hint of no share',
      { share_hints: [{ share_id: 8, kind: 'same_host', other: 's-1', place: 0 }] },
      ['share.missing'],
    ],
    [
      'a place of no reservation',
      { reservation_slots: [{ consumer_id: 0, reservation_id: 9 }] },
      ['reservation.missing'],
    ],
    ['a step of no pool', { share_steps: [step(1, 1)] }, ['share-backend.missing']],
    [
      'a share that holds nothing of its pool',
      { shares: [share(1, { pool_id: 3 })] },
      ['share.ledger-wrong'],
    ],
    [
      'a share without a pool that holds something',
      { shares: [share(1, { uuid: 'c-0' })] },
      ['share.ledger-wrong'],
    ],
  ]
  test.each(breaks)('finds %s', (_, broken, expected) => {
    expect(kinds(worldOf({ ...whole(), ...broken }))).toEqual(expected)
  })

  test('finds a usage that is not the sum of the allocations', () => {
    const world = worldOf(whole())
    world.inventories.use(providerSlot(1), classId(0), 1)
    expect(checkWorld(world)).toEqual({
      items: [{ kind: 'usage.wrong', what: 'usage of class 0 of provider 1 is 3, its allocations hold 2' }],
      count: 1,
    })
  })

  test('finds providers that are below themselves', () => {
    const world = worldOf(whole())
    world.providers.parent[0] = 1
    expect(kinds(world)).toEqual(['provider.loop', 'provider.loop'])
  })

  test('finds a root that is not the end of the way up', () => {
    const world = worldOf(whole())
    world.providers.root[1] = 1
    expect(kinds(world)).toEqual(['provider.root-wrong'])
  })

  test('lists the first hundred and counts all', () => {
    const lost = Array.from({ length: 250 }, (_, at) => property(at + 1, 9))
    const found = checkWorld(worldOf({ ...whole(), metadef_properties: lost }))
    expect([found.items.length, found.count]).toEqual([100, 250])
  })
})

describe('diffWorlds', () => {
  test('a world differs in nothing from itself loaded in another order', () => {
    const reversed = Object.fromEntries(
      Object.entries(whole()).map(([name, rows]) => [name, [...rows].reverse()]),
    )
    expect(diffWorlds(worldOf(whole()), worldOf(reversed))).toEqual({ items: [], count: 0 })
  })

  test('a row changed, missing here, missing there: each is named with both sides', () => {
    const b = whole()
    b.traits = [{ id: 1, name: 'CUSTOM_B', updated_at: 0 }]
    b.allocations = [allocation(0, 0, 0, 7), allocation(0, 1)]
    const found = diffWorlds(worldOf(whole()), worldOf(b))
    expect(found).toEqual({
      items: [
        { table: 'traits', key: '0', a: whole().traits[0], b: null },
        { table: 'traits', key: '1', a: null, b: b.traits[0] },
        { table: 'allocations', key: '0 0 0', a: allocation(0, 0), b: b.allocations[0] },
      ],
      count: 3,
    })
  })

  test('lists the first hundred and counts all', () => {
    const many = Array.from({ length: 150 }, (_, id) => ({ id, name: `CUSTOM_${id}`, updated_at: 0 }))
    const found = diffWorlds(worldOf({ traits: many }), worldOf({}))
    expect([found.items.length, found.count]).toEqual([100, 150])
  })
})

describe('verifyStore', () => {
  async function written(changesCountMax: number, tamper: string | null): Promise<string[]> {
    const directory = mkdtempSync(join(tmpdir(), 'berth-verify-'))
    const store = await openSqlite({ directory, changesCountMax })
    onTestFinished(async () => {
      await store.close()
      rmSync(directory, { recursive: true })
    })
    await fill(store)
    if (tamper !== null) {
      const other = new DatabaseSync(join(directory, 'berth.sqlite'))
      other.exec(tamper)
      other.close()
    }
    return (await verifyStore(store)).items.map(problem => problem.kind)
  }

  async function fill(store: Store): Promise<void> {
    let head = GENESIS
    for (let at = 0; at < 4; at++) {
      const trait = (id: number): Change => ({
        ops: [insert('traits', { id, name: `T${id}`, updated_at: 0 })],
      })
      head = await store.write(head, () => ({
        id: `b${at}`,
        atMs: at,
        changes: [trait(at * 2), trait(at * 2 + 1)].map(change => ({ change, names: {} })),
      }))
    }
  }

  const cases: [string, number, string | null, string[]][] = [
    ['a whole history has no problem', 100, null, []],
    ['a history whose beginning was trimmed has no problem', 3, null, []],
    ['a change that is gone is a gap', 100, 'DELETE FROM changes WHERE revision = 4', ['history.gap']],
    [
      'a change of another batch breaks the chain',
      100,
      "UPDATE changes SET batch_id = 'x' WHERE revision = 5",
      ['history.chain-wrong'],
    ],
    [
      'also after trimming',
      3,
      "UPDATE changes SET batch_id = 'x' WHERE revision = 8",
      ['history.chain-wrong'],
    ],
    [
      'a chain value that does not follow shows twice',
      100,
      "UPDATE changes SET chain = 'x' WHERE revision = 5",
      ['history.chain-wrong', 'history.chain-wrong'],
    ],
    [
      'a last change that is gone does not reach the head',
      100,
      'DELETE FROM changes WHERE revision = 8',
      ['history.head-wrong'],
    ],
    ['a head of another history', 100, "UPDATE head SET chain = 'x'", ['history.head-wrong']],
    [
      'a head that fell back',
      100,
      'UPDATE head SET revision = 7, chain = (SELECT chain FROM changes WHERE revision = 7)',
      ['history.head-wrong'],
    ],
  ]
  test.each(cases)('%s', async (_, changesCountMax, tamper, expected) => {
    expect(await written(changesCountMax, tamper)).toEqual(expected)
  })
})
