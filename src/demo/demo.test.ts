import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { computeRules } from '../compute/rules.ts'
import { Query } from '../http/request/query.ts'
import { classId, type ProviderSlot } from '../kernel/ids.ts'
import { parseCandidateRequest } from '../placement/candidates/candidates.query.ts'
import standardClasses from '../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../placement/data/standard-traits.json' with { type: 'json' }
import { type Explanation, explain } from '../placement/explain/explain.ts'
import { placementRules } from '../placement/rules.ts'
import { featuresOf } from '../placement/versions.ts'
import { DEFAULT_SETUP } from '../scheduling/framework/setup.ts'
import { chooseAndClaim } from '../scheduling/hosts/claim.ts'
import { explainSchedule } from '../scheduling/hosts/explain.ts'
import { EMPTY_SPEC } from '../scheduling/hosts/known-server.ts'
import { toFlavorSpec } from '../scheduling/hosts/server-spec.ts'
import { checkWorld } from '../server/check-world.ts'
import { shareRules } from '../shares/rules.ts'
import type { Decision } from '../world/decision.ts'
import { World } from '../world/world.ts'
import { demoCommands } from './commands.ts'
import { fillWithDemo } from './fill.ts'
import { demoUuid, rackAggregate, racksOf, zoneAggregate, zones } from './names.ts'
import { filer, shareUuid } from './shares.ts'
import { trouble } from './trouble.ts'

const page = readFileSync(new URL('../../docs/how-to/demo.md', import.meta.url), 'utf8')

/** Decides one command on a world and applies its change. */
const rules = { ...placementRules, ...computeRules, ...shareRules }

function decide(world: World, command: { readonly kind: keyof typeof rules }) {
  const rule = rules[command.kind] as (...args: unknown[]) => Decision<unknown, unknown>
  const decision = rule(world, command, 1)
  if (decision.ok) world.apply(decision.change)
  return decision
}

function standardWorld(): World {
  const world = new World()
  const standards = { classes: standardClasses, traits: standardTraits }
  decide(world, { kind: 'placement:sync-standards', ...standards } as { kind: 'placement:sync-standards' })
  return world
}

let world: World
beforeAll(() => {
  world = standardWorld()
  for (const command of demoCommands())
    expect(decide(world, command), JSON.stringify(command)).toMatchObject({ ok: true })
})

const named = (name: string): ProviderSlot => world.providers.findName(name) as ProviderSlot
const roots = () => [...world.providers.all()].filter(slot => world.providers.rootOf(slot) === slot)
const traitsOf = (slot: ProviderSlot) => world.providerTraits.list(slot).map(id => world.traits.name(id))

describe('the demo', () => {
  test('is a sound world', () => {
    expect(checkWorld(world)).toEqual({ count: 0, items: [] })
  })

  test('is the same every time', () => {
    expect([...demoCommands()]).toEqual([...demoCommands()])
  })

  test('has 60 hosts with two NUMA nodes each, and three storage pools', () => {
    const { providers } = world
    const pools = roots().filter(slot => traitsOf(slot).includes('MISC_SHARES_VIA_AGGREGATE'))
    const filers = roots().filter(slot => providers.name(slot).startsWith(`${filer}@`))
    const hosts = roots().filter(slot => !pools.includes(slot) && !filers.includes(slot))
    expect(pools.map(slot => providers.name(slot))).toEqual(['ceph-a', 'ceph-b', 'ceph-c'])
    expect(hosts).toHaveLength(60)
    for (const host of hosts) {
      const nodes = providers.listSubtree(host).filter(slot => traitsOf(slot).includes('HW_NUMA_ROOT'))
      expect(nodes, providers.name(host)).toHaveLength(2)
    }
  })

  test('has processors on hosts and on NUMA nodes, and every kind of device', () => {
    const owners = (name: string) => {
      const present = world.inventories.columns(world.classes.id(name)!)?.present ?? []
      return [...present].map(slot => world.providers.name(slot as ProviderSlot))
    }
    expect(owners('VCPU').some(name => name.includes('_numa'))).toBe(true)
    expect(owners('VCPU').some(name => !name.includes('_numa'))).toBe(true)
    for (const name of ['PCPU', 'PGPU', 'VGPU', 'SRIOV_NET_VF', 'NET_BW_EGR_KILOBIT_PER_SEC', 'DISK_GB'])
      expect(owners(name), name).not.toEqual([])
  })

  test('has as many consumers as its page says, of four types', () => {
    const rows = [...world.consumers.rows()]
    expect(page).toContain(`${rows.length} consumers`)
    expect(new Set(rows.map(row => row.consumer_type))).toEqual(
      new Set(['INSTANCE', 'MIGRATION', 'VOLUME', 'SHARE']),
    )
    for (const { project_id } of rows) expect(page).toContain(`\`${project_id}\``)
  })

  test('has the aggregates that its page lists, and no others', () => {
    const listed = [...page.matchAll(/^\| (zone|rack|\w+(?= hosts)) (\w+) \| `(.+)` \|$/gm)].map(
      ([, kind, name, uuid]) => [kind, name, uuid],
    )
    const hostAggregates = ['gpu', 'memory', 'storage', 'certified']
    expect(listed).toEqual([
      ...zones.flatMap(zone => [
        ['zone', zone, zoneAggregate(zone)],
        ...racksOf(zone).map(rack => ['rack', rack, rackAggregate(rack)]),
      ]),
      ...hostAggregates.map(name => [name, 'hosts', demoUuid(`host aggregate ${name} hosts`)]),
    ])
    expect(world.aggregates.size).toBe(listed.length)
  })

  test('derives uuids that are of version 5 and differ', () => {
    const uuids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(demoUuid)
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(uuids).size).toBe(uuids.length)
  })
})

/** Runs the question under a heading of the page. */
async function askedUnder(heading: string, alter = (query: string) => query): Promise<Explanation> {
  const section = page.split(/^### /m).find(part => part.startsWith(`${heading}\n`))
  const query = /^berth explain candidates --query '(.+)'$/m.exec(section ?? '')?.[1]
  if (query === undefined) throw new Error(`the page has no question under '${heading}'`)
  const request = parseCandidateRequest(Query.parse(alter(query))!, featuresOf(40), 200)
  const said = await explain(world, request, { nested: true, inTreeTouches: true }, async () => undefined)
  if (said.kind !== 'explanation') throw new Error(JSON.stringify(said))
  return said
}

/** The first miss of the nearest tree, with the name of the provider. */
function firstMiss({ nearest }: Explanation) {
  const miss = nearest[0]?.misses[0]
  return miss && { ...miss, provider: world.providers.name(miss.provider) }
}

describe('trouble shows', () => {
  test('a host that lost memory: the only place where more is used than there is', async () => {
    const over = [...world.inventories.rows()]
      .filter(row => {
        const used = world.inventories.used(row.provider_id as ProviderSlot, classId(row.class_id))
        return used > (row.total - row.reserved) * row.allocation_ratio
      })
      .map(row => world.providers.name(row.provider_id as ProviderSlot))
    expect(over).toEqual([trouble.shrunkHost])
    const said = await askedUnder('A host that lost memory')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({
      kind: 'short',
      provider: trouble.shrunkHost,
      free: -12288,
      capacity: 188416,
    })
  })

  test('a rack without memory: 8192 is too much, 4096 is not', async () => {
    const said = await askedUnder('A rack without memory')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({ kind: 'short', class: 'MEMORY_MB', free: 4096 })
    const half = await askedUnder('A rack without memory', query => query.replace('8192', '4096'))
    expect(half.candidates).toBeGreaterThan(0)
  })

  test('a GPU that one host has: one is free, two are not', async () => {
    const said = await askedUnder('A GPU that one host has')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({ kind: 'not-together', provider: trouble.onlyGpuHost })
    const one = await askedUnder('A GPU that one host has', query => query.replaceAll(/&\w+2=[^&]+/g, ''))
    expect(one.candidates).toBe(1)
  })

  test('a host that hides its processor: it is empty, and only the trait is in the way', async () => {
    expect(world.consumers.onProvider(named(trouble.traitlessHost)).size).toBe(0)
    const said = await askedUnder('A host that hides its processor')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({ kind: 'trait-missing', provider: trouble.traitlessHost })
    const without = await askedUnder('A host that hides its processor', query =>
      query.replace(`&required=${trouble.missingTrait}`, ''),
    )
    expect(without.candidates).toBeGreaterThan(0)
  })

  test('storage at its limit: the disk is 20 GB short, without it there is room', async () => {
    const said = await askedUnder('Storage at its limit')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({
      provider: trouble.fullPool,
      need: 80,
      free: trouble.fullPoolLeftGb,
    })
    const without = await askedUnder('Storage at its limit', query => query.replace(',DISK_GB:80', ''))
    expect(without.candidates).toBeGreaterThan(0)
  })

  test('a disabled host: it has room, and migrations under way', async () => {
    const said = await askedUnder('A disabled host')
    expect(said.candidates).toBe(0)
    expect(firstMiss(said)).toMatchObject({ kind: 'root-trait-forbidden', provider: trouble.disabledHost })
    const allowed = await askedUnder('A disabled host', query => query.replace(/&root_required=.*/, ''))
    expect(allowed.candidates).toBeGreaterThan(0)
    const migrations = [...world.consumers.rows()].filter(row => row.consumer_type === 'MIGRATION')
    expect(migrations).toHaveLength(3)
  })
})

test('a flavor without a home: eight hosts would do but for how their certification is written', async () => {
  expect(page).toContain(`explain schedule ${trouble.homelessFlavor}\n`)
  const row = world.compute.findFlavorByName(trouble.homelessFlavor)!
  const flavor = toFlavorSpec(row, world.compute.getExtraSpecs(row.id))
  const ask = {
    ...({
      operation: 'create',
      instances: [demoUuid('new')],
      project: 'p',
      user: 'u',
      generation: null,
      host: null,
    } as const),
    spec: { ...EMPTY_SPEC, flavor },
    not_hosts: [],
    group: null,
  }
  const answer = await explainSchedule(
    world,
    ask,
    DEFAULT_SETUP,
    async () => undefined,
    8,
    one => one,
  )
  if (answer.kind !== 'rendered') throw new Error(answer.kind)
  const said = answer.rendered
  expect([said.hosts, said.withRoom, said.passed]).toEqual([60, 52, 0])
  expect(page).toContain('52 hosts have room and none fits.')
  for (const { host, refusals } of said.reports) {
    expect(host).toMatch(/^hm-[ab]3-/)
    expect(refusals).toMatchObject([{ reasons: [{ code: 'extra-spec.mismatch' }] }])
  }
  const { certification: _, ...extra_specs } = flavor.extra_specs
  const without = { ...ask, spec: { ...ask.spec, flavor: { ...flavor, extra_specs } } }
  const better = await explainSchedule(
    world,
    without,
    DEFAULT_SETUP,
    async () => undefined,
    0,
    one => one.passed,
  )
  expect(better).toEqual({ kind: 'rendered', rendered: 12 })
})

test('every other flavor finds a host', () => {
  for (const row of world.compute.flavors.all()) {
    const spec = { ...EMPTY_SPEC, flavor: toFlavorSpec(row, world.compute.getExtraSpecs(row.id)) }
    const ask = {
      ...({
        operation: 'create',
        instances: [demoUuid('new')],
        project: 'p',
        user: 'u',
        generation: null,
        host: null,
      } as const),
      spec,
      not_hosts: [],
      group: null,
    }
    const command = { ask, setup: DEFAULT_SETUP, seed: 0, decision: demoUuid('decision'), alternates: 0 }
    const { ok } = chooseAndClaim(world, { ...command, sourceHolder: null, rankedHosts: [] }, 1)
    expect([row.name, ok]).toEqual([row.name, row.name !== trouble.homelessFlavor])
  }
})

describe('filling a store', () => {
  const sequencerOf = (filled: World) =>
    ({ submit: async (command: never) => decide(filled, command) }) as unknown as Parameters<
      typeof fillWithDemo
    >[0]

  test('an empty one is filled, one with providers is left as it is', async () => {
    const fresh = standardWorld()
    expect(await fillWithDemo(sequencerOf(fresh), fresh)).toEqual({ filled: true })
    expect(fresh.providers.size).toBe(world.providers.size)
    expect(fresh.consumers.size).toBe(world.consumers.size)
    const again = await fillWithDemo(sequencerOf(fresh), fresh)
    expect(again).toEqual({
      filled: false,
      reason: `the store has ${world.providers.size} providers already; the demo fills only an empty one`,
    })
  })

  test('shares are as people left them: with a snapshot, on the move, in the bin, and without a place', async () => {
    const fresh = standardWorld()
    await fillWithDemo(sequencerOf(fresh), fresh)
    expect(checkWorld(fresh)).toEqual({ count: 0, items: [] })
    const { shares } = fresh
    expect(shares.steps.all()).toEqual([])
    const share = (name: string) => shares.findShare(shareUuid(name))!
    const states = shares.shares.all().map(({ name, status }) => [name, status])
    expect(states.filter(([, status]) => status !== 'available')).toEqual([
      [trouble.homelessShare, 'error'],
      ['genomes-results', 'migrating'],
    ])
    expect(share('genomes-results').task_state).toBe('migration_driver_phase1_done')
    expect(share('old-newsletters').deleted_at).not.toBeNull()
    expect(shares.listSnapshots(share('homes').id)).toMatchObject([{ status: 'available' }])
    const retired = shares.backends.get(shares.findBackend(share('tapes-2024').pool_id)!)!
    expect([retired.name, retired.is_disabled]).toEqual([trouble.retiredBackend, 1])
  })

  test('a refusal is a bug, and says which command', async () => {
    // A world without the standard traits and classes.
    const bare = new World()
    await expect(fillWithDemo(sequencerOf(bare), bare)).rejects.toThrow('the demo is refused')
  })
})
