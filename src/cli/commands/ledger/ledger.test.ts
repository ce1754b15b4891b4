/** The commands that need only the Placement API, against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { Answering, answerJson, passOn } from '../../../client/answering.fixture.ts'
import type { Candidate } from '../questions/candidates.ts'
import { run } from '../run.fixture.ts'

const AGGREGATE = uuid(900)
const CONSUMER = uuid(500)
let berth: Berth

beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'admin'])
const json = async (...args: string[]) => (await at(...args, '--json')).json

describe('a cloud is made, looked at and taken apart', () => {
  test('provider create makes roots and children, by names', async () => {
    const made = await at('provider', 'create', 'host-1', '--uuid', uuid(1))
    expect(made).toMatchObject({ exitCode: 0, err: '' })
    expect(made.out).toBe(`name        host-1
uuid        ${uuid(1)}
generation  0
parent      -
root        ${uuid(1)}
`)
    const child = await json('provider', 'create', 'numa-0', '--uuid', uuid(2), '--parent', 'host-1')
    expect(child).toEqual({
      uuid: uuid(2),
      name: 'numa-0',
      generation: 0,
      parent_provider_uuid: uuid(1),
      root_provider_uuid: uuid(1),
    })
    expect((await at('provider', 'create', 'host-10', '--uuid', uuid(10))).exitCode).toBe(0)
    expect((await at('provider', 'create', 'host-9', '--uuid', uuid(9))).exitCode).toBe(0)
  })

  test('a name that is taken is one line and the exit code of a conflict', async () => {
    expect(await at('provider', 'create', 'host-1')).toMatchObject({
      exitCode: 75,
      out: '',
      err: 'berth: Conflicting resource provider name: host-1 already exists.\n',
    })
  })

  test('inventory set replaces, --amend amends', async () => {
    expect((await at('inventory', 'set', 'host-1', 'MEMORY_MB=4096,reserved=96', 'VCPU=1')).exitCode).toBe(0)
    expect((await at('inventory', 'set', 'host-1', 'MEMORY_MB=4096,reserved=96', 'DISK_GB=100')).out).toBe(
      `CLASS      TOTAL  RESERVED  RATIO  CAPACITY  USED  FREE
MEMORY_MB   4096        96      1      4000     0  4000
DISK_GB      100         0      1       100     0   100
`,
    )
    const amended = await json('inventory', 'set', uuid(1), '--amend', 'DISK_GB=allocation_ratio=1.5')
    expect(amended).toMatchObject({
      provider: { uuid: uuid(1), name: 'host-1' },
      inventories: {
        MEMORY_MB: { total: 4096, reserved: 96 },
        DISK_GB: { total: 100, allocation_ratio: 1.5 },
      },
      usages: { MEMORY_MB: 0, DISK_GB: 0 },
    })
    await at('inventory', 'set', 'numa-0', 'VCPU=16,allocation_ratio=4,max_unit=8')
    expect((await at('inventory', 'list', 'numa-0')).out).toBe(
      `CLASS  TOTAL  RESERVED  RATIO  MAX  CAPACITY  USED  FREE
VCPU      16         0      4    8        64     0    64
`,
    )
    expect((await at('inventory', 'list', 'host-9')).err).toBe('berth: host-9 has no inventory\n')
  })

  test('a class that does not exist is refused with its name', async () => {
    const { exitCode, err } = await at('inventory', 'set', 'host-9', 'CUSTOM_NOPE=1')
    expect(exitCode).toBe(65)
    expect(err).toContain('No such resource class CUSTOM_NOPE.')
  })

  test('traits are created, set, shown and listed', async () => {
    expect((await at('trait', 'create', 'CUSTOM_RAIL')).out).toBe('created CUSTOM_RAIL\n')
    expect((await at('trait', 'create', 'CUSTOM_RAIL')).out).toBe('CUSTOM_RAIL already exists\n')
    expect((await at('trait', 'set', 'numa-0', 'HW_CPU_X86_AVX2', 'CUSTOM_RAIL')).out).toBe(
      'CUSTOM_RAIL\nHW_CPU_X86_AVX2\n',
    )
    expect(await json('trait', 'show', 'numa-0')).toEqual({
      provider: { uuid: uuid(2), name: 'numa-0' },
      generation: 2,
      traits: ['CUSTOM_RAIL', 'HW_CPU_X86_AVX2'],
    })
    expect(await json('trait', 'list', '--associated')).toEqual(
      expect.arrayContaining(['CUSTOM_RAIL', 'HW_CPU_X86_AVX2']),
    )
    expect((await at('trait', 'list', '--prefix', 'CUSTOM_')).out).toBe('CUSTOM_RAIL\n')
    expect(await at('trait', 'delete', 'CUSTOM_RAIL')).toMatchObject({ exitCode: 75 })
    expect(await at('trait', 'show', 'host-9')).toMatchObject({
      out: '',
      err: 'berth: host-9 has no trait\n',
    })
  })

  test('aggregates are set, listed and taken away', async () => {
    expect((await at('aggregate', 'set', 'host-1', AGGREGATE)).out).toBe(`${AGGREGATE}\n`)
    expect(await json('aggregate', 'list', 'host-1')).toMatchObject({
      provider: { name: 'host-1' },
      aggregates: [AGGREGATE],
    })
    await at('aggregate', 'set', 'host-9', AGGREGATE)
    expect((await at('aggregate', 'set', 'host-9')).err).toBe('berth: host-9 is in no aggregate\n')
  })

  test('resource classes are created, listed and deleted', async () => {
    expect((await at('resource-class', 'create', 'CUSTOM_FPGA')).out).toBe('created CUSTOM_FPGA\n')
    expect((await at('resource-class', 'create', 'CUSTOM_FPGA')).out).toBe('CUSTOM_FPGA already exists\n')
    const classes: string[] = await json('resource-class', 'list')
    expect(classes).toContain('CUSTOM_FPGA')
    expect(classes).toEqual(classes.toSorted())
    expect((await at('resource-class', 'delete', 'CUSTOM_FPGA')).out).toBe('deleted CUSTOM_FPGA\n')
    expect((await at('resource-class', 'delete', 'CUSTOM_FPGA')).exitCode).toBe(66)
    expect((await at('resource-class', 'delete', 'VCPU')).exitCode).toBe(65)
  })

  test('allocation set claims from several providers by their names', async () => {
    const claimed = await at(
      ...['allocation', 'set', CONSUMER, 'numa-0:VCPU=2', 'host-1:MEMORY_MB=1000,DISK_GB=10'],
      ...['--project', 'p1', '--user', 'u1'],
    )
    expect(claimed).toMatchObject({ exitCode: 0, err: '' })
    const row = (name: string, number: number, rest: string) => `${name.padEnd(8)}  ${uuid(number)}  ${rest}`
    expect(claimed.out.split('\n')).toEqual([
      `consumer    ${CONSUMER}`,
      'type        -',
      'project     p1',
      'user        u1',
      'generation  1',
      '',
      'PROVIDER  UUID                                  CLASS      AMOUNT',
      row('numa-0', 2, 'VCPU            2'),
      row('host-1', 1, 'MEMORY_MB    1000'),
      row('host-1', 1, 'DISK_GB        10'),
      '',
    ])
  })

  test('what a consumer already is need not be said again', async () => {
    expect((await at('allocation', 'set', CONSUMER, 'numa-0:VCPU=4', '--type', 'INSTANCE')).exitCode).toBe(0)
    const again = await json('allocation', 'set', CONSUMER, 'numa-0:VCPU=8')
    expect(again).toEqual({
      consumer: CONSUMER,
      generation: 3,
      project_id: 'p1',
      user_id: 'u1',
      consumer_type: 'INSTANCE',
      allocations: [{ provider: { uuid: uuid(2), name: 'numa-0' }, resources: { VCPU: 8 } }],
    })
    expect(await at('allocation', 'set', uuid(501), 'numa-0:VCPU=1')).toMatchObject({
      exitCode: 64,
      err: 'berth: a consumer that holds nothing yet needs both --project and --user\n',
    })
  })

  test('more than there is, is a conflict', async () => {
    const { exitCode, err } = await at('allocation', 'set', CONSUMER, 'host-1:MEMORY_MB=9999')
    expect(exitCode).toBe(75)
    expect(err).toContain('The requested amount would exceed the capacity.')
  })

  test('usage show, of a provider and of a project', async () => {
    expect((await at('usage', 'show', 'numa-0')).out).toBe(
      `CLASS  USED  CAPACITY  FREE  USED %
VCPU      8        64    56    12.5
`,
    )
    expect(await json('usage', 'show', 'numa-0')).toEqual({
      provider: { uuid: uuid(2), name: 'numa-0' },
      usages: { VCPU: { used: 8, capacity: 64 } },
    })
    expect((await at('usage', 'show', '--project', 'p1', '--user', 'u1')).out).toBe(
      `TYPE      CONSUMERS  CLASS  USED
INSTANCE          1  VCPU      8
`,
    )
    expect(await json('usage', 'show', '--project', 'p1')).toEqual({
      project_id: 'p1',
      user_id: null,
      usages: { INSTANCE: { consumer_count: 1, VCPU: 8 } },
    })
    expect((await at('usage', 'show', '--project', 'nobody')).err).toBe(
      'berth: project nobody uses nothing\n',
    )
    expect((await at('usage', 'show')).exitCode).toBe(64)
    expect((await at('usage', 'show', 'host-1', '--project', 'p1')).exitCode).toBe(64)
  })

  test('provider list filters, and sorts names as people do', async () => {
    expect(
      (await at('provider', 'list', '--name', 'host-*')).out.split('\n').map(line => line.split(' ')[0]),
    ).toEqual(['NAME', 'host-1', 'host-9', 'host-10', ''])
    const names = async (...filters: string[]) =>
      (await json('provider', 'list', ...filters)).map(({ name }: { name: string }) => name)
    expect(await names('--in-tree', 'numa-0')).toEqual(['host-1', 'numa-0'])
    expect(await names('--required', 'CUSTOM_RAIL,!COMPUTE_NODE')).toEqual(['numa-0'])
    expect(await names('--required', 'in:CUSTOM_RAIL,COMPUTE_NODE', '--required', 'HW_CPU_X86_AVX2')).toEqual(
      ['numa-0'],
    )
    expect(await names('--member-of', AGGREGATE)).toEqual(['host-1'])
    expect(await names('--resource', 'MEMORY_MB:1', '--resource', 'DISK_GB:1')).toEqual(['host-1'])
    expect(await names('--name', 'host-9')).toEqual(['host-9'])
    expect(await at('provider', 'list', '--name', 'nope*')).toMatchObject({
      exitCode: 0,
      out: '',
      err: 'berth: no provider\n',
    })
  })

  test('provider show has everything, by name and by uuid in any form', async () => {
    const shown = await json('provider', 'show', 'numa-0')
    expect(shown).toMatchObject({
      uuid: uuid(2),
      inventories: { VCPU: { total: 16 } },
      usages: { VCPU: 8 },
      traits: expect.arrayContaining(['CUSTOM_RAIL']),
      aggregates: [],
    })
    expect(await json('provider', 'show', uuid(2).replaceAll('-', '').toUpperCase())).toEqual(shown)
    expect((await at('provider', 'show', 'host-9')).out).toContain('\ntraits      -\naggregates  -\n')
  })

  test('provider tree draws used and total, and traits', async () => {
    expect((await at('provider', 'tree', 'numa-0')).out).toBe(`host-1  ${uuid(1)}
│  MEMORY_MB 0/4096 (reserved 96)  DISK_GB 0/100 (ratio 1.5)
└─ numa-0  ${uuid(2)}
      VCPU 8/16 (ratio 4)
      traits CUSTOM_RAIL, HW_CPU_X86_AVX2
`)
    expect(await json('provider', 'tree')).toMatchObject([
      { name: 'host-1', children: [{ name: 'numa-0', children: [] }] },
      { name: 'host-9' },
      { name: 'host-10' },
    ])
  })

  test('candidates name the hosts, the providers and the groups', async () => {
    expect((await at('candidates', '--resources', 'VCPU:2,MEMORY_MB:512')).out).toBe(
      `#  HOST    PROVIDER  RESOURCES      FREE NOW
1  host-1  numa-0    VCPU 2         VCPU 56
   host-1  host-1    MEMORY_MB 512  MEMORY_MB 4000
`,
    )
    const grouped = await json(
      ...['candidates', '--group', '_CPU', 'resources=VCPU:1', 'required=in:CUSTOM_RAIL,COMPUTE_NODE'],
      ...[
        '--group',
        '_DISK',
        'resources=DISK_GB:1;in_tree=host-1',
        '--group-policy',
        'isolate',
        '--limit',
        '1',
      ],
    )
    expect(grouped).toEqual({
      candidates: [
        {
          allocations: expect.arrayContaining([
            {
              provider: { uuid: uuid(2), name: 'numa-0' },
              root: { uuid: uuid(1), name: 'host-1' },
              resources: { VCPU: 1 },
              free: { VCPU: 56 },
              groups: ['_CPU'],
            },
          ]),
        },
      ],
      limit: 1,
    })
    const raw = await at('candidates', '--query', 'resources=DISK_GB:1&required=!CUSTOM_RAIL')
    expect(raw.out.split('\n')[1]).toBe('1  host-1  host-1    DISK_GB 1  DISK_GB 150')
  })

  test('many candidates have their names, too', async () => {
    for (let number = 100; number < 112; number++) {
      await berth.ask('POST', '/resource_providers', { body: { name: `many-${number}`, uuid: uuid(number) } })
      const path = `/resource_providers/${uuid(number)}/inventories`
      await berth.ask('POST', path, { body: { resource_class: 'VGPU', total: 1 } })
    }
    const { candidates } = await json('candidates', '--resources', 'VGPU:1')
    const names = candidates.map((one: Candidate) => one.allocations[0]?.provider.name)
    expect(names.toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `many-${100 + at}`))
    for (let number = 100; number < 112; number++)
      await berth.ask('DELETE', `/resource_providers/${uuid(number)}`)
  })

  test('a reached limit is printed; no candidate is exit code 2', async () => {
    const args = ['candidates', '--resources', 'DISK_GB:1', '--limit']
    expect((await at(...args, '1')).err).toBe('berth: the first 1 candidates; --limit none shows all\n')
    expect((await at(...args, 'none')).err).toBe('')
    expect((await at(...args, '0')).exitCode).toBe(64)
    expect(await at('candidates', '--resources', 'VCPU:2', '--forbidden', 'CUSTOM_RAIL')).toMatchObject({
      exitCode: 2,
      out: '',
      err: "berth: no candidate: 'berth explain' with the same options says why\n",
    })
    expect(await at('candidates', '--resources', 'VCPU:99', '--json')).toMatchObject({
      exitCode: 2,
      json: { candidates: [] },
    })
  })

  test('provider set renames and moves', async () => {
    expect(await json('provider', 'set', 'host-9', '--name', 'host-09')).toMatchObject({ name: 'host-09' })
    expect(await json('provider', 'set', 'host-09', '--parent', 'host-10')).toMatchObject({
      name: 'host-09',
      parent_provider_uuid: uuid(10),
    })
    expect(await json('provider', 'set', 'host-09', '--name', 'host-9')).toMatchObject({
      parent_provider_uuid: uuid(10),
    })
    expect(await json('provider', 'set', 'host-9', '--parent', 'none')).toMatchObject({
      parent_provider_uuid: null,
    })
    expect((await at('provider', 'set', 'host-9')).exitCode).toBe(64)
  })

  test('what is in use stays, what is not goes', async () => {
    expect((await at('provider', 'delete', 'host-1')).exitCode).toBe(75)
    expect((await at('inventory', 'delete', 'numa-0', 'VCPU')).exitCode).toBe(75)
    expect((await at('allocation', 'delete', CONSUMER)).out).toBe(`deleted the allocations of ${CONSUMER}\n`)
    expect(await at('allocation', 'delete', CONSUMER)).toMatchObject({ exitCode: 66 })
    expect(await at('allocation', 'show', CONSUMER)).toMatchObject({
      exitCode: 66,
      err: `berth: ${CONSUMER} holds nothing\n`,
    })
    expect((await at('inventory', 'delete', 'host-1', 'DISK_GB')).out).toBe('deleted DISK_GB of host-1\n')
    expect((await at('inventory', 'delete', 'host-1')).out).toBe('deleted all inventories of host-1\n')
    expect((await at('provider', 'delete', 'numa-0')).out).toBe(`deleted numa-0 (${uuid(2)})\n`)
    expect((await at('provider', 'delete', 'numa-0')).exitCode).toBe(66)
  })
})

describe('a server that serves Placement at its root', () => {
  test('is found there', async () => {
    const alone = await Berth.start({ only: 'placement' })
    try {
      const args = ['--url', alone.server.url, '--token', 'admin']
      expect((await run(['provider', 'create', 'host-1', ...args])).exitCode).toBe(0)
      expect((await run(['provider', 'tree', ...args])).out).toMatch(/^host-1 /)
    } finally {
      await alone.end()
    }
  })
})

describe('a Placement that is no Berth', () => {
  test('gives the same trees and the same names, by more requests', async () => {
    const server = await Berth.start()
    const plain = await Answering.start((asked, response) =>
      asked.url.startsWith('/v1')
        ? answerJson(response, 404, {})
        : passOn(server.server.url, asked, response),
    )
    try {
      for (let number = 1; number <= 12; number++) {
        const body = { name: `host-${number}`, uuid: uuid(number) }
        await server.ask('POST', '/resource_providers', { body })
        const path = `/resource_providers/${uuid(number)}/inventories`
        await server.ask('POST', path, { body: { resource_class: 'VCPU', total: number } })
      }
      for (const args of [
        ['provider', 'tree', '--json'],
        ['provider', 'tree', 'host-7'],
        ['candidates', '--resources', 'VCPU:1', '--json'],
      ]) {
        const [there, here] = [plain.url, server.server.url].map(url =>
          run([...args, '--url', url, '--token', 'admin']),
        )
        expect(await there).toEqual(await here)
        expect(await there).toMatchObject({ exitCode: 0, out: expect.stringContaining('host-7') })
      }
    } finally {
      plain.stop()
      await server.end()
    }
  })
})
