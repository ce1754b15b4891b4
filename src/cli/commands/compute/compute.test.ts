/** The commands about hosts, flavors and host aggregates, against a real server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let directory: string
beforeAll(async () => {
  berth = await Berth.start()
  directory = await mkdtemp(join(tmpdir(), 'berth-compute-'))
})
afterAll(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])

describe('host', () => {
  test('is added with what it has, shown, changed and removed', async () => {
    const added = await at(
      ...[
        'host',
        'add',
        'compute-1',
        '--inventory',
        'VCPU=8,allocation_ratio=2',
        '--inventory',
        'MEMORY_MB=1024',
      ],
      ...[
        '--trait',
        'CUSTOM_FAST',
        '--capability',
        'hypervisor_type=QEMU',
        '--capability',
        'hypervisor_version=7',
      ],
    )
    expect(added).toMatchObject({ exitCode: 0, err: '' })
    expect(added.out).toContain('0/16 x2 (total 8)')
    expect(added.out).toContain('hypervisor_version  7\n')
    expect((await at('host', 'list')).out).toMatch(/compute-1 +nova +enabled +up +0\/16 x2 +0\/1024 +0\/0 +0/)
    const disabled = await at('host', 'set', 'compute-1', '--disable', 'a fan is broken', '--force-down')
    expect(disabled.out).toContain('disabled: a fan is broken')
    expect(JSON.parse((await at('host', 'show', 'compute-1', '--json')).out)).toMatchObject({ state: 'down' })
    const enabled = await at('host', 'set', 'compute-1', '--enable', '--up', '--json')
    expect(JSON.parse(enabled.out)).toMatchObject({ status: 'enabled', state: 'up', disabled_reason: null })
    expect((await at('host', 'remove', 'compute-1')).out).toBe('removed compute-1\n')
    expect((await at('host', 'list')).err).toBe('berth: no host\n')
  })

  test('many are changed in one commit, previewed before and undone after', async () => {
    for (const name of ['r1-a', 'r1-b']) await at('host', 'add', name, '--inventory', 'VCPU=8')
    await at('host-aggregate', 'create', 'rack-1')
    await at('host-aggregate', 'create', 'first', 'rack=one')
    await at('host-aggregate', 'add-host', 'rack-1', 'r1-a', 'r1-b')
    await at('host-aggregate', 'add-host', 'first', 'r1-a')
    for (const [rack, count] of [
      ['rack-1', '2 hosts'],
      ['one', '1 host'],
      ['Rack one', '1 host'],
    ] as const)
      expect((await at('host', 'change', '--rack', rack, '--disable', '--preview')).out).toContain(
        `${count} would change`,
      )
    expect(await at('host', 'change', '--rack', 'first', '--disable')).toMatchObject({
      exitCode: exitCodes.missing,
      err: 'berth: there is no rack first; there are one, rack-1\n',
    })
    await at('allocation', 'set', uuid(7), 'r1-a:VCPU=6', '--project', 'p', '--user', 'u')
    const disable = ['host', 'change', '--aggregate', 'rack-1', '--disable', 'new switch']
    const preview = await at(...disable, '--drain', '--preview')
    expect(preview.out).toContain('2 hosts would change, 0 are so already; 1 server and 0 other')
    expect(preview.out).toContain('no: 1 of 1 server finds no other place')
    expect(preview.exitCode).toBe(exitCodes.nothing)
    expect((await at('host', 'list', '--disabled', '--json')).out).toBe('[]\n')
    const done = await at(...disable)
    const [, revision = ''] = /berth host undo (\d+)/.exec(done.out) ?? []
    expect(done.out).toBe(`changed 2 hosts; to undo it: berth host undo ${revision}\n`)
    expect((await at(...disable)).out).toBe('nothing to change: 2 hosts are so already\n')
    const undone = await at('host', 'undo', revision)
    expect(undone.out).toMatch(/^revision \d+ is undone for 2 hosts; to undo that: berth host undo \d+\n$/)
    expect((await at('host', 'undo', revision)).exitCode).toBe(exitCodes.conflict)
    const ratio = await at(
      'host',
      'change',
      'r1-a',
      'r1-b',
      '--ratio',
      'VCPU=4',
      '--leave',
      'rack-1',
      '--json',
    )
    expect(JSON.parse(ratio.out)).toMatchObject({ changed: ['r1-a', 'r1-b'] })
    expect((await at('host', 'show', 'r1-a')).out).toContain('6/32 x4')
    for (const wrong of [
      ['host', 'change', '--disable'],
      [...disable, '--drain'],
      [...disable, 'r1-a'],
    ])
      expect((await at(...wrong)).exitCode).toBe(exitCodes.usage)
    await at('allocation', 'delete', uuid(7))
    for (const name of ['r1-a', 'r1-b']) await at('host', 'remove', name)
    for (const name of ['rack-1', 'first']) await at('host-aggregate', 'delete', name)
  })

  test('is listed by what it holds and what it is', async () => {
    for (const name of ['node-2', 'node-10'])
      await at('host', 'add', name, '--inventory', 'VCPU:8', '--inventory', 'MEMORY_MB=64')
    await at('host', 'set', 'node-10', '--disable')
    const owner = ['--project', 'p', '--user', 'u']
    await at('allocation', 'set', uuid(8), 'node-2:VCPU=6', ...owner)
    await at('allocation', 'set', uuid(9), 'node-10:VCPU=1,MEMORY_MB=32', ...owner)
    await at('inventory', 'set', 'node-2', 'VCPU=4', 'MEMORY_MB=64')
    const names = async (...args: string[]) =>
      JSON.parse((await at('host', 'list', '--json', ...args)).out).map((one: { name: string }) => one.name)
    expect(await names()).toEqual(['node-2', 'node-10'])
    expect(await names('--sort', 'memory')).toEqual(['node-10', 'node-2'])
    expect(await names('--sort', 'cpu')).toEqual(['node-2', 'node-10'])
    expect(await names('--over')).toEqual(['node-2'])
    expect(await names('--disabled')).toEqual(['node-10'])
    expect(await names('--name', '*-2')).toEqual(['node-2'])
    expect(await names('--zone', 'elsewhere')).toEqual([])
    expect((await at('host', 'list', '--over')).out).toMatch(/up +! 6\/4 +0\/64 /)
    expect((await at('host', 'show', 'node-2')).out).toMatch(/cpu +! 6\/4 \(total 4\), 2 over capacity\n/)
    expect((await at('host', 'list', '--sort', 'luck')).exitCode).toBe(exitCodes.usage)
    for (const consumer of [uuid(8), uuid(9)]) await at('allocation', 'delete', consumer)
    for (const name of ['node-2', 'node-10']) await at('host', 'remove', name)
  })

  test('ends as it should when something is wrong', async () => {
    expect((await at('host', 'show', 'nobody')).exitCode).toBe(exitCodes.missing)
    expect((await at('host', 'set', 'nobody')).exitCode).toBe(exitCodes.usage)
    expect((await at('host', 'set', 'x', '--enable', '--disable')).exitCode).toBe(exitCodes.usage)
    await at('host', 'add', 'twice')
    expect((await at('host', 'add', 'twice')).exitCode).toBe(exitCodes.conflict)
    await at('host', 'remove', 'twice')
  })
})

describe('flavor', () => {
  test('is created, set, unset and deleted', async () => {
    const size = ['--ram', '512', '--vcpus', '1', '--disk', '1']
    const made = await at(
      'flavor',
      'create',
      'small',
      ...size,
      '--id',
      's',
      '--private',
      '--spec',
      'tier=gold',
    )
    expect(made).toMatchObject({ exitCode: 0, err: 'berth: warning: tier: Nothing defines "tier".\n' })
    expect((await at('flavor', 'list')).out).toMatch(/s +small +512 +1 +1 +no +tier=gold\n/)
    const set = await at('flavor', 'set', 'small', 'acme:x=1=2', '--description', 'ours')
    expect(set.out).toContain('acme:x        1=2\n')
    expect(set.out).toContain('description   ours\n')
    const { extra_specs } = JSON.parse((await at('flavor', 'unset', 's', 'tier', '--json')).out)
    expect(extra_specs).toEqual({ 'acme:x': '1=2' })
    const refused = await at('flavor', 'set', 'small', 'trait:ANY=in:A,!B')
    expect([refused.exitCode, refused.err]).toEqual([
      exitCodes.invalid,
      expect.stringContaining("trait:ANY is wrong: 'in:A,!B' cannot forbid B"),
    ])
    expect((await at('flavor', 'create', 'odd', ...size, '--spec', 'trait:ANY=in:')).exitCode).toBe(
      exitCodes.invalid,
    )
    expect((await at('flavor', 'show', 'odd')).exitCode).toBe(exitCodes.missing)
    expect((await at('flavor', 'unset', 's', 'tier')).exitCode).toBe(exitCodes.missing)
    expect((await at('flavor', 'create', 'small', ...size)).exitCode).toBe(exitCodes.conflict)
    expect((await at('flavor', 'delete', 'small')).out).toBe('deleted small (s)\n')
    expect((await at('flavor', 'show', 'small')).exitCode).toBe(exitCodes.missing)
  })

  test('that contradicts itself is warned about', async () => {
    await at('flavor', 'create', 'odd', '--ram', '1', '--vcpus', '1', '--disk', '0')
    const { exitCode, err } = await at('flavor', 'set', 'odd', 'tier=<or> * <or> !')
    expect(exitCode).toBe(0)
    expect(err).toContain('warning')
    expect((await at('flavor', 'set', 'odd', 'tier')).exitCode).toBe(exitCodes.usage)
    await at('flavor', 'delete', 'odd')
    const made = await at(
      'flavor',
      'create',
      'odd',
      '--ram',
      '1',
      '--vcpus',
      '1',
      '--disk',
      '0',
      '--spec',
      'tier=<or> ~ <or> !',
    )
    expect(made).toMatchObject({ exitCode: 0, err: expect.stringContaining('warning: the flavor has tier') })
    await at('flavor', 'delete', 'odd')
    const created = await at('host-aggregate', 'create', 'odd', 'tier=!,~', 'force_metadata_check=true')
    expect(created).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining('warning: aggregate odd has tier'),
    })
    const set = await at('host-aggregate', 'set', 'odd', 'tier=!,*')
    expect(set).toMatchObject({ exitCode: 0, err: expect.stringContaining('"!,*"') })
    await at('host-aggregate', 'delete', 'odd')
  })
})

test('a host aggregate is created, changed, filled, emptied and deleted', async () => {
  await at('host', 'add', 'compute-1')
  const made = await at('host-aggregate', 'create', 'rack', 'ssd=true', '--zone', 'west')
  expect(made.out).toContain('availability_zone=west, ssd=true')
  expect((await at('host-aggregate', 'add-host', 'rack', 'compute-1')).out).toContain('hosts     compute-1\n')
  const { id } = JSON.parse((await at('host-aggregate', 'show', 'rack', '--json')).out)
  for (const name of ['rack', String(id)])
    expect((await at('host', 'list', '--aggregate', name)).out).toContain('\ncompute-1 ')
  expect(await at('host', 'list', '--aggregate', 'none')).toMatchObject({
    exitCode: exitCodes.missing,
    err: 'berth: there is no host aggregate none\n',
  })
  expect((await at('host-aggregate', 'list')).out).toMatch(
    /rack +west +1 +availability_zone=west, ssd=true\n/,
  )
  expect((await at('host-aggregate', 'unset', 'rack', 'ssd')).out).not.toContain('ssd')
  expect((await at('host-aggregate', 'unset', 'rack', 'ssd')).exitCode).toBe(exitCodes.missing)
  expect((await at('host-aggregate', 'set', 'rack', '--name', 'shelf', 'a=b')).out).toContain('a=b')
  expect((await at('host-aggregate', 'delete', 'shelf')).exitCode).toBe(exitCodes.invalid)
  expect((await at('host-aggregate', 'remove-host', 'shelf', 'compute-1')).out).toContain('hosts     -\n')
  expect((await at('host-aggregate', 'delete', 'shelf')).exitCode).toBe(0)
  expect((await at('host-aggregate', 'show', 'shelf')).exitCode).toBe(exitCodes.missing)
  await at('host', 'remove', 'compute-1')
})

test('apply shows the plan, does it, and has nothing to do then', async () => {
  const file = join(directory, 'cloud.json')
  const write = (content: unknown) =>
    writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  await write({
    hosts: [{ name: 'h', inventories: { VCPU: { total: 4 } } }],
    aggregates: [{ name: 'a', hosts: ['h'] }],
  })
  const planned = await at('apply', file, '--dry-run')
  expect(planned.out).toContain('+ host h\n')
  expect(planned.out).toContain('2 to create, 0 to change, 0 to remove, 0 unchanged\n')
  expect((await at('host', 'list')).err).toBe('berth: no host\n')
  expect((await at('apply', file)).out).toMatch(/\+ aggregate a\n(.*\n)*applied 2 changes\n$/)
  expect((await at('apply', file)).out).toBe('0 to create, 0 to change, 0 to remove, 2 unchanged\n')
  await write({ hosts: [], aggregates: [{ name: 'a', hosts: [] }] })
  const dropped = await at('apply', file)
  expect(dropped.out).toContain('- host h\n')
  expect(dropped.out).toContain('~ aggregate a\n    ~ hosts: ["h"] -> []\n')
  await write({ aggregates: [{ name: 'a', hosts: ['nobody'] }] })
  expect(await at('apply', file)).toMatchObject({ exitCode: exitCodes.conflict })
  await write('{')
  expect((await at('apply', file)).exitCode).toBe(exitCodes.invalid)
  expect((await at('apply', join(directory, 'none.json'))).exitCode).toBe(exitCodes.missing)
})

describe('what may land where', () => {
  test('flavors and violations of a host and of an aggregate', async () => {
    const declared = {
      hosts: [
        { name: 'land-1', inventories: { VCPU: { total: 4 }, MEMORY_MB: { total: 4096 } } },
        { name: 'land-2', inventories: { VCPU: { total: 4 }, MEMORY_MB: { total: 4096 } } },
      ],
      flavors: [
        { name: 'land-fast', vcpus: 1, ram: 256, disk: 0, extra_specs: { speed: 'high' } },
        { name: 'land-plain', vcpus: 1, ram: 256, disk: 0 },
      ],
      aggregates: [{ name: 'land-ssd', metadata: { speed: 'high' }, hosts: ['land-1'] }],
    }
    const file = join(directory, 'landing.json')
    const apply = async (cloud: object) => {
      await writeFile(file, JSON.stringify(cloud))
      expect(await at('apply', file, '--owner', 'landing')).toMatchObject({ exitCode: 0 })
    }
    await apply(declared)
    const on = await at('host', 'flavors', 'land-2')
    expect(on).toMatchObject({ exitCode: 0, err: '' })
    expect(on.out).toMatch(/land-fast +forbidden +0\/1 +AggregateInstanceTypeFilter: /)
    expect(on.out).toMatch(/land-plain +fits +1\/1 +-/)
    const only = await at('host-aggregate', 'flavors', 'land-ssd', '--verdict', 'fits', '--json')
    expect(only.json.flavors.map((one: { name: string }) => one.name)).toContain('land-fast')
    expect((await at('host', 'flavors', 'nobody')).exitCode).toBe(exitCodes.missing)
    expect(await at('schedule', 'land-fast')).toMatchObject({ exitCode: 0 })
    expect((await at('host', 'violations', 'land-1')).err).toContain('0 of 1 server break a rule')
    const slow = [{ name: 'land-ssd', metadata: { speed: 'low' }, hosts: ['land-1'] }]
    await apply({ ...declared, aggregates: slow })
    const broken = await at('host-aggregate', 'violations', 'land-ssd')
    expect(broken.out).toMatch(/land-1 +land-fast +AggregateInstanceTypeFilter: .*speed/)
    expect(broken.err).toContain('1 of 1 server breaks a rule')
  })
})
