import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision } from '../../world/decision.ts'
import { World } from '../../world/world.ts'
import { placementRules } from '../rules.ts'

const HOSTS = ['h0', 'h1', 'h2']
const SERVERS = ['s0', 's1', 's2', 's3', 's4']
const KEEP_MS = 100

/** Hosts with one nested provider each, and storage that they all share. */
class Cloud {
  readonly world = new World()
  nowMs = 0

  constructor() {
    this.do('placement:sync-standards', {
      classes: ['VCPU', 'DISK_GB'],
      traits: ['MISC_SHARES_VIA_AGGREGATE'],
    })
    for (const host of HOSTS) {
      this.#addProvider(host, null, 'VCPU')
      this.#addProvider(`${host}-numa`, host, 'VCPU')
    }
    this.#addProvider('storage', null, 'DISK_GB')
    this.do('placement:set-provider-traits', {
      provider: 'storage',
      generation: 1,
      traits: ['MISC_SHARES_VIA_AGGREGATE'],
    })
  }

  #addProvider(uuid: string, parent: string | null, name: string): void {
    this.do('placement:create-provider', { uuid, name: uuid, parent })
    const record = { total: 99, reserved: 0, minUnit: 1, maxUnit: 99, stepSize: 1, allocationRatio: 1 }
    this.do('placement:replace-inventories', {
      provider: uuid,
      generation: 0,
      inventories: [[name, record]],
      mayBeFullyReserved: true,
    })
  }

  do(kind: keyof typeof placementRules, body: unknown): Decision<unknown, { readonly kind: string }> {
    const rule = placementRules[kind] as unknown as (
      world: World,
      body: unknown,
      nowMs: number,
    ) => Decision<unknown, { readonly kind: string }>
    const decision = rule(this.world, body, this.nowMs)
    if (decision.ok) this.world.apply(decision.change)
    return decision
  }

  announce(consumer: string, group: object): void {
    expect(this.do('placement:expect-group-claim', { consumer, group, keepMs: KEEP_MS }).ok).toBe(true)
  }

  /** The kind of the refusal; null if the claim succeeded. */
  claim(consumer: string, hosts: readonly string[]): string | null {
    const decision = this.do('placement:claim-allocations', { claim: claimOf(consumer, hosts) })
    return decision.ok ? null : decision.refusal.kind
  }
}

const claimOf = (consumer: string, hosts: readonly string[]) => ({
  consumer,
  projectId: 'p',
  userId: 'u',
  generation: undefined,
  type: undefined,
  allocations: [
    ...hosts.map((host, at) => ({
      provider: at === 0 ? `${host}-numa` : host,
      resources: [['VCPU', 1]],
    })),
    ...(hosts.length === 0 ? [] : [{ provider: 'storage', resources: [['DISK_GB', 1]] }]),
  ],
})

const server = fc.constantFrom(...SERVERS)
const host = fc.constantFrom(...HOSTS)

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('announce' as const), server }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), server, host }) },
  fc.record({ do: fc.constant('evacuate' as const), server, host }),
  fc.record({ do: fc.constant('delete' as const), server }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(KEEP_MS) }),
)

interface Model {
  readonly hosts: Map<string, Set<string>>
  readonly announcedUntil: Map<string, number>
}

function isAllowed(model: Model, policy: string, max: number, server: string, host: string): boolean {
  if (model.hosts.get(server)?.has(host) === true) return true
  const others = [...model.hosts].filter(([other]) => other !== server)
  const there = others.filter(([, hosts]) => hosts.has(host)).length
  return policy === 'affinity' ? others.length === 0 || there > 0 : there < max
}

test('an announced claim is made exactly if it keeps the policy, after any history', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('affinity', 'anti-affinity'),
      fc.integer({ min: 1, max: 2 }),
      fc.array(step, { maxLength: 30 }),
      (policy, maxPerHost, steps) => {
        const cloud = new Cloud()
        const model: Model = { hosts: new Map(), announcedUntil: new Map() }
        const group = { uuid: 'g', policy, maxPerHost, members: SERVERS }
        for (const one of steps) {
          if (one.do === 'wait') cloud.nowMs += one.ms
          else if (one.do === 'announce') {
            cloud.announce(one.server, group)
            model.announcedUntil.set(one.server, cloud.nowMs + KEEP_MS)
          } else if (one.do === 'delete') {
            cloud.do('placement:delete-allocations', { consumer: one.server })
            model.hosts.delete(one.server)
          } else {
            const kept = one.do === 'evacuate' ? [...(model.hosts.get(one.server) ?? [])] : []
            const hosts = [...new Set([...kept, one.host])]
            const isBound = (model.announcedUntil.get(one.server) ?? 0) > cloud.nowMs
            const isMade = !isBound || isAllowed(model, policy, maxPerHost, one.server, one.host)
            expect(cloud.claim(one.server, hosts)).toBe(isMade ? null : 'group-policy')
            if (isMade) model.hosts.set(one.server, new Set(hosts))
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})

const apart = (members: readonly string[] = []) => ({
  uuid: 'g',
  policy: 'anti-affinity',
  maxPerHost: 1,
  members,
})

test('a member that joined after the list was read counts once it was announced', () => {
  const cloud = new Cloud()
  cloud.announce('early', apart(['early']))
  cloud.announce('late', apart(['early', 'late']))
  expect(cloud.claim('late', ['h0'])).toBeNull()
  expect(cloud.claim('early', ['h0'])).toBe('group-policy')
  expect(cloud.claim('early', ['h1'])).toBeNull()
})

test('a server whose allocations a migration holds does not conflict with itself, and gets them back', () => {
  const cloud = new Cloud()
  cloud.announce('s0', apart(['s0']))
  expect(cloud.claim('s0', ['h0'])).toBeNull()
  const move = (from: string, to: string) =>
    cloud.do('placement:replace-allocations', { claims: [claimOf(from, []), claimOf(to, ['h0'])] }).ok
  expect(move('s0', 'migration')).toBe(true)
  cloud.announce('s0', apart(['s0']))
  expect(cloud.claim('s0', ['h0'])).toBeNull()
  expect(cloud.claim('s0', [])).toBeNull()
  // Another member takes the host meanwhile. The revert is still accepted, because it is not a placement.
  cloud.announce('s1', apart(['s0', 's1']))
  expect(cloud.claim('s1', ['h0'])).toBeNull()
  expect(move('migration', 's0')).toBe(true)
})

test('expired rows go when others are announced', () => {
  const cloud = new Cloud()
  for (const name of SERVERS) cloud.announce(name, apart())
  cloud.nowMs = KEEP_MS
  cloud.announce('other', apart())
  expect([...cloud.world.groupClaims.rows()].map(({ consumer }) => consumer)).toEqual(['other'])
})
