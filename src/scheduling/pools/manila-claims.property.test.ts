import fc from 'fast-check'
import { expect, test } from 'vitest'
import { World } from '../../world/world.ts'
import type { HintedUuids } from './hints.ts'
import { placeManilaShare } from './manila-claims.ts'
import { ManilaShares } from './manila-hints.ts'
import type { ManilaRequest, ManilaShare } from './manila-request.ts'

const POOLS = ['f@a#1', 'f@a#2', 'f@b#1', 'f@c#1'].map((host, at) => ({ host, weight: -at }))
const KEEP_MS = 600_000
const STALE_MS = 40_000
const STORED_MAX = 3

/** Models a Manila whose schedulers read its database, ask Berth and write to the database, each with any delay. */
class Farm {
  readonly #world = new World()
  readonly #shares = new Map<string, ManilaShare>()
  readonly #asked = new Map<string, HintedUuids>()
  /** What a scheduler has read of the database. */
  readonly #read = new Map<
    string,
    { readonly shares: ReadonlyMap<string, ManilaShare>; readonly atMs: number }
  >()
  /** Where Berth placed the shares. */
  readonly #decided = new Map<string, string>()
  #nowMs = 0

  create(same: readonly number[], different: readonly number[]): void {
    const uuid = `s${this.#asked.size}`
    const listNamed = (numbers: readonly number[]) => [
      ...new Set(numbers.map(at => `s${at}`).filter(name => this.#shares.has(name))),
    ]
    const hints = { same_host: listNamed(same), different_host: listNamed(different) }
    this.#asked.set(uuid, hints)
    this.#shares.set(uuid, {
      uuid,
      host: null,
      hosts: [],
      status: 'creating',
      is_moving: false,
      hints: { same_host: [], different_host: [] },
    })
    for (const kind of ['same_host', 'different_host'] as const)
      for (const other of hints[kind]) {
        this.#store(uuid, kind, other)
        this.#store(other, kind, uuid)
      }
    this.#readAll(uuid)
  }

  #store(uuid: string, kind: keyof HintedUuids, named: string): void {
    const share = this.#shares.get(uuid) as ManilaShare
    const hints = { ...share.hints, [kind]: [...share.hints[kind], named].slice(0, STORED_MAX) }
    this.#shares.set(uuid, { ...share, hints })
  }

  #readAll(uuid: string): void {
    this.#read.set(uuid, { shares: new Map(this.#shares), atMs: this.#nowMs })
  }

  /** A scheduler asks Berth with the data that it has read, and reads more if Berth asks for it. */
  place(at: number): void {
    const uuid = `s${at}`
    if (!this.#shares.has(uuid) || this.#decided.has(uuid)) return
    if ((this.#read.get(uuid)?.atMs ?? 0) + STALE_MS < this.#nowMs) this.#readAll(uuid)
    const read = this.#read.get(uuid)?.shares as ReadonlyMap<string, ManilaShare>
    const hints = this.#asked.get(uuid) as HintedUuids
    let named: readonly string[] = [...hints.same_host, ...hints.different_host]
    let request: ManilaRequest = {
      operation: 'create',
      share: read.get(uuid) as ManilaShare,
      hints,
      force: false,
      shares: [],
      missing: [],
      pools: POOLS,
    }
    for (let round = 0; named.length > 0; round++) {
      const source = round === 0 ? read : this.#shares
      const found = [...new Set(named)].map(one => [one, source.get(one)] as const)
      request = {
        ...request,
        shares: [...request.shares, ...found.flatMap(([, share]) => share ?? [])],
        missing: [...request.missing, ...found.flatMap(([one, share]) => (share === undefined ? [one] : []))],
      }
      named = new ManilaShares(this.#world, request, this.#nowMs).listUnasked()
    }
    const decision = placeManilaShare(this.#world, { request, keepMs: KEEP_MS }, this.#nowMs)
    if (!decision.ok) {
      this.#fail(uuid)
      return
    }
    this.#world.apply(decision.change)
    this.#decided.set(uuid, POOLS[decision.answer.pool]?.host as string)
  }

  #fail(uuid: string): void {
    const share = this.#shares.get(uuid) as ManilaShare
    this.#shares.set(uuid, { ...share, status: 'error' })
  }

  /** The decision reaches Manila's database. */
  write(at: number): void {
    const uuid = `s${at}`
    const [share, host] = [this.#shares.get(uuid), this.#decided.get(uuid)]
    if (share === undefined || host === undefined) return
    this.#shares.set(uuid, { ...share, host, hosts: [host], status: 'available' })
  }

  remove(at: number): void {
    this.#shares.delete(`s${at}`)
    this.#decided.delete(`s${at}`)
  }

  wait(ms: number): void {
    this.#nowMs += ms
  }

  check(): void {
    const backendOf = (uuid: string) => this.#decided.get(uuid)?.split('#')[0]
    for (const [uuid, hints] of this.#asked) {
      const here = backendOf(uuid)
      if (here === undefined) continue
      for (const other of hints.different_host) expect(backendOf(other), `${uuid} ${other}`).not.toBe(here)
      for (const other of hints.same_host)
        if (this.#shares.has(other)) expect(backendOf(other), `${uuid} ${other}`).toBe(here)
    }
  }
}

const which = fc.nat({ max: 5 })
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      create: fc.tuple(fc.array(which, { maxLength: 1 }), fc.array(which, { maxLength: 6 })),
    }),
  },
  { weight: 6, arbitrary: fc.record({ place: which }) },
  { weight: 3, arbitrary: fc.record({ write: which }) },
  { weight: 1, arbitrary: fc.record({ remove: which }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.nat({ max: 9_000 }) }) },
)

test('however schedulers read, ask and write, placed shares keep every hint', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), events => {
      const farm = new Farm()
      for (const one of events) {
        if ('create' in one) farm.create(...one.create)
        else if ('place' in one) farm.place(one.place)
        else if ('write' in one) farm.write(one.write)
        else if ('remove' in one) farm.remove(one.remove)
        else farm.wait(one.wait)
        farm.check()
      }
    }),
    { numRuns: 2_000 },
  )
})
