import { expect, test } from 'vitest'
import type { RecordedChange } from '../../wire/changes.ts'
import { listEventColumns } from '../../world/naming.ts'
import { changeText, idsIn } from './change-text.ts'

type Op = RecordedChange['ops'][number]

const op = (table: string, before: Op['before'], after: Op['after']): Op => ({ table, before, after })
const definedFields = (...ops: Op[]) =>
  changeText({ revision: 8, at: '2031-05-01T00:00:00.000Z', ops }, uuid =>
    uuid === 'p1' ? 'compute-1' : uuid,
  )

const provider = (generation: number, more = {}) => ({
  uuid: 'p1',
  name: 'compute-1',
  generation,
  parent: null,
  ...more,
})
const vcpu = (total: number, reserved = 0) => ({ provider: 'p1', resource_class: 'VCPU', total, reserved })

const taken = (provider: string, resource_class: string, used: number) => ({
  consumer: 'c1',
  provider,
  resource_class,
  used,
})

test.each<[string, Op[]]>([
  ['provider compute-1 created', [op('resource_providers', null, provider(0))]],
  [
    'provider nic created below compute-1',
    [op('resource_providers', null, { uuid: 'p2', name: 'nic', parent: 'p1' })],
  ],
  ['provider compute-1 deleted', [op('resource_providers', provider(0), null)]],
  [
    'provider compute-1 renamed to compute-01',
    [op('resource_providers', provider(0), provider(1, { name: 'compute-01' }))],
  ],
  [
    'provider compute-1 moved below p9',
    [op('resource_providers', provider(0), provider(1, { parent: 'p9' }))],
  ],
  [
    'provider compute-1 moved to the root',
    [op('resource_providers', provider(0, { parent: 'p9' }), provider(1))],
  ],
  ['trait CUSTOM_A created', [op('traits', null, { name: 'CUSTOM_A' })]],
  ['resource class CUSTOM_B deleted', [op('resource_classes', { name: 'CUSTOM_B' }, null)]],
  [
    'compute-1: +VCPU 64, -DISK_GB',
    [
      op('inventories', null, vcpu(64)),
      op('inventories', { provider: 'p1', resource_class: 'DISK_GB', total: 1 }, null),
      op('resource_providers', provider(0), provider(1)),
    ],
  ],
  ['compute-1: VCPU total 64 → 128 reserved 0 → 2', [op('inventories', vcpu(64), vcpu(128, 2))]],
  [
    'compute-1: +CUSTOM_A, -CUSTOM_B, +aggregate a1',
    [
      op('provider_traits', null, { provider: 'p1', trait: 'CUSTOM_A' }),
      op('provider_traits', { provider: 'p1', trait: 'CUSTOM_B' }, null),
      op('aggregates', null, { uuid: 'a1' }),
      op('provider_aggregates', null, { provider: 'p1', aggregate: 'a1' }),
    ],
  ],
  [
    'consumer c1 changed: +VCPU 2, MEMORY_MB 1 → 3 on compute-1, -DISK_GB 5 on p2',
    [
      op('consumers', null, { uuid: 'c1', project_id: 'p' }),
      op('allocations', null, { consumer: 'c1', provider: 'p1', resource_class: 'VCPU', used: 2 }),
      op(
        'allocations',
        { consumer: 'c1', provider: 'p1', resource_class: 'MEMORY_MB', used: 1 },
        { consumer: 'c1', provider: 'p1', resource_class: 'MEMORY_MB', used: 3 },
      ),
      op('allocations', { consumer: 'c1', provider: 'p2', resource_class: 'DISK_GB', used: 5 }, null),
    ],
  ],
  [
    'consumer c1 changed hands',
    [op('consumers', { uuid: 'c1', project_id: 'p' }, { uuid: 'c1', project_id: 'q' })],
  ],
  [
    'host aggregate rack: ssd=1',
    [
      op('host_aggregates', { name: 'rack', created_at: 1 }, { name: 'rack', created_at: 1 }),
      op('host_aggregate_metadata', null, { host_aggregate: 'rack', key: 'ssd', value: '1' }),
    ],
  ],
  [
    'share back end compute-1: served by w; share s1: create is being done',
    [
      op(
        'share_leases',
        { backend: 'p1', holder: 'w', expires_at: 1 },
        { backend: 'p1', holder: 'w', expires_at: 2 },
      ),
      op(
        'share_steps',
        { uuid: 's', share: 's1', kind: 'create' },
        { uuid: 's', share: 's1', kind: 'create' },
      ),
    ],
  ],
  ['server c1: its request was stored', [op('server_requests', null, { consumer: 'c1' })]],
  [
    'server c1: named web',
    [op('server_requests', { consumer: 'c1', name: null }, { consumer: 'c1', name: 'web' })],
  ],
  ['compute-1: written, nothing changed', [op('resource_providers', provider(0), provider(1))]],
  [
    'consumer c1 placed on compute-1 and p2: VCPU 4, DISK_GB 5',
    [taken('p1', 'VCPU', 2), taken('p2', 'VCPU', 2), taken('p2', 'DISK_GB', 5)].map(row =>
      op('allocations', null, row),
    ),
  ],
  ['consumer c1 removed from compute-1: VCPU 2', [op('allocations', taken('p1', 'VCPU', 2), null)]],
  [
    'consumer c1 moved from compute-1 to p2',
    [op('allocations', taken('p1', 'VCPU', 2), null), op('allocations', null, taken('p2', 'VCPU', 2))],
  ],
  [
    'host compute-1 enabled; host compute-1 marked down',
    [
      op(
        'hosts',
        { provider: 'p1', is_disabled: 1, is_forced_down: 0 },
        { provider: 'p1', is_disabled: 0, is_forced_down: 1, disabled_reason: null },
      ),
    ],
  ],
  ['host compute-1 is silent', [op('hosts', { provider: 'p1', is_down: 0 }, { provider: 'p1', is_down: 1 })]],
  [
    'host compute-1 disabled: fan',
    [op('hosts', null, { provider: 'p1', is_disabled: 1, is_forced_down: 0, disabled_reason: 'fan' })],
  ],
  [
    'host compute-1 disabled: fan',
    [
      op(
        'hosts',
        { provider: 'p1', is_disabled: 0, is_forced_down: 0, disabled_reason: null, created_at: 1 },
        { provider: 'p1', is_disabled: 1, is_forced_down: 0, disabled_reason: 'fan', created_at: 1 },
      ),
    ],
  ],
  [
    'host compute-1 added to host aggregate a1; host aggregate a1: ssd=true; host aggregate a1: tier=b (was a)',
    [
      op('host_aggregate_hosts', null, { host_aggregate: 'a1', provider: 'p1', made_member: 1 }),
      op('host_aggregate_metadata', null, { host_aggregate: 'a1', key: 'ssd', value: 'true' }),
      op(
        'host_aggregate_metadata',
        { host_aggregate: 'a1', key: 'tier', value: 'a' },
        { host_aggregate: 'a1', key: 'tier', value: 'b' },
      ),
    ],
  ],
  [
    'flavor m1.small created; flavor 1: tier removed',
    [
      op('flavors', null, { flavorid: '1', name: 'm1.small' }),
      op('flavor_extra_specs', { flavor: '1', key: 'tier', value: 'a' }, null),
    ],
  ],
  [
    'role reader given to user u1 in project p2',
    [op('role_assignments', null, { user: 'u1', project: 'p2', role: 'reader' })],
  ],
  [
    'share s1 tied to s2 by same_host; share data: status creating → available',
    [
      op('share_hints', null, { share: 's1', kind: 'same_host', other: 's2', place: 0 }),
      op(
        'shares',
        { uuid: 's1', name: 'data', status: 'creating' },
        { uuid: 's1', name: 'data', status: 'available' },
      ),
    ],
  ],
  [
    'share data: no task state any more, pool compute-1 → p2, public yes, restored',
    [
      op(
        'shares',
        { uuid: 's1', name: 'data', task_state: 'x', pool: 'p1', is_public: null, deleted_at: 9 },
        { uuid: 's1', name: 'data', task_state: null, pool: 'p2', is_public: 1, deleted_at: null },
      ),
    ],
  ],
  [
    'share data: target pool compute-1, public yes → no, soft-deleted; static token t: expires at 2031-05-01T00:00:00Z, capabilities changed',
    [
      op(
        'shares',
        { uuid: 's1', name: 'data', target_pool: null, is_public: 1, deleted_at: null },
        { uuid: 's1', name: 'data', target_pool: 'p1', is_public: 0, deleted_at: 9 },
      ),
      op(
        'static_tokens',
        { name: 't', expires_at: null, capabilities: '{"a":1}' },
        { name: 't', expires_at: Date.UTC(2031, 4, 1), capabilities: '{"a":2}' },
      ),
    ],
  ],
  ['widgets: a row created', [op('widgets', null, { id: 1 })]],
  ['nothing', []],
])('%s', (line, ops) => expect(definedFields(...ops)).toBe(line))

test('a change of very many rows is cut', () => {
  const ops = Array.from({ length: 30 }, (_, at) => op('traits', null, { name: `CUSTOM_${at}` }))
  expect(definedFields(...ops)).toMatch(/^trait CUSTOM_0 created; .*CUSTOM_7 created; and 22 more$/)
})

test('the ids of a change are those that its rows have', () => {
  const ops = [
    op('inventories', vcpu(1), null),
    op('resource_providers', provider(0), provider(0, { parent: 'p9' })),
  ]
  expect(idsIn({ revision: 1, at: '', ops })).toEqual(
    new Map([
      ['p1', 'providers'],
      ['p9', 'providers'],
    ]),
  )
})

test('every mirrored table has its own words', () => {
  for (const [table, columns] of listEventColumns()) {
    const row = Object.fromEntries(columns.map(column => [column, 'x']))
    const after = { ...row, [columns.at(-1) as string]: 'y' }
    for (const one of [op(table, null, row), op(table, row, null), op(table, row, after)])
      expect(definedFields(one)).not.toContain('a row')
  }
})
