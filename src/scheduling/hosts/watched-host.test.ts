import { expect, test } from 'vitest'
import { DEFAULT_SETUP } from '../framework/setup.ts'
import { chooseAndClaim } from './claim.ts'
import { CHANGED_BY_CLAIMS, type HostView } from './host-view.ts'
import { findHostByName } from './hosts.ts'
import { askOf, numbered, recordHosts, type SmallAsk } from './small-hosts.fixture.ts'
import { WatchedHost } from './watched-host.ts'
import { WorldHost } from './world-host.ts'

type Member = keyof HostView
const MEMBERS = Object.keys(CHANGED_BY_CLAIMS) as Member[]

/** The value of a member; calls methods as filters would. */
function read(host: HostView, member: Member): unknown {
  const value = host[member]
  if (typeof value !== 'function') return value
  const call = value as (name: string) => unknown
  const result = call.call(host, numbered('f', 1))
  return member === 'instanceImages' ? [...(result as Iterable<ReadonlyMap<string, unknown>>)] : result
}

function cloud() {
  const told = recordHosts({
    hosts: [{ vcpus: 4, isDisabled: false, isDown: false, aggregates: [0] }],
    metadata: [{}, {}, {}],
  })
  const host = () => findHostByName(told.world, 'host-0') as never
  return { told, host }
}

const SMALL: SmallAsk = {
  vcpus: 1,
  extraSpecs: {},
  zone: null,
  count: 1,
  host: null,
  group: null,
  near: null,
  away: null,
}

test('every member that a claim changes is declared so', () => {
  const { told, host } = cloud()
  const look = () => MEMBERS.map(member => JSON.stringify(read(new WorldHost(told.world, host()), member)))
  const before = look()
  const small = askOf(SMALL, 1, 1)
  const image = { id: null, disk_format: null, properties: { os: 'x' } }
  const order = {
    ask: { ...small, spec: { ...small.spec, image } },
    setup: DEFAULT_SETUP,
    seed: 0,
    alternates: 0,
  }
  told.does(chooseAndClaim(told.world, { ...order, sourceHolder: null, decision: 'd', rankedHosts: [] }, 0))
  const after = look()
  const changed = MEMBERS.filter((_, at) => before[at] !== after[at])
  expect(changed.length).toBeGreaterThan(2)
  expect(changed.filter(member => !CHANGED_BY_CLAIMS[member])).toEqual([])
})

test.each(MEMBERS)('a host notes that %s was read just if claims change it', member => {
  const { told, host } = cloud()
  const watched = new WatchedHost(told.world, host())
  expect(JSON.stringify(read(watched, member))).toBe(
    JSON.stringify(read(new WorldHost(told.world, host()), member)),
  )
  expect(watched.readsUsage).toBe(CHANGED_BY_CLAIMS[member])
})

test('figures that are read by Nova’s name are noted too', () => {
  const { told, host } = cloud()
  const watched = new WatchedHost(told.world, host())
  watched.attribute('vcpus_total')
  expect(watched.readsUsage).toBe(false)
  watched.attribute('free_ram_mb')
  expect(watched.readsUsage).toBe(true)
})
