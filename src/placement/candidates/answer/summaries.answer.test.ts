import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SmallCloud } from '../../../../test/small-cloud.ts'
import { ByteWriter } from '../../../http/formats/byte-writer.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import { Summaries } from './summaries.answer.ts'

const HOSTS = 60
const ALL = Array.from({ length: HOSTS }, (_, nth) => nth)
const TRAITS = [1, 2, 3, 4, 5].map(nth => `CUSTOM_RATHER_LONG_NAME_OF_TRAIT_${nth}`)

class Hosts {
  readonly cloud = new SmallCloud()
  readonly summaries = new Summaries(this.cloud.world)
  #consumers = 0

  /** Adds this many other providers first. */
  constructor({ others = 0, vcpus = 1_000 } = {}) {
    for (let nth = 0; nth < others; nth++) this.cloud.add(`other${nth}`, {})
    for (const nth of ALL) {
      this.cloud.add(`host${nth}`, { has: { VCPU: vcpus }, traits: TRAITS })
      if (nth % 3 === 0) this.cloud.add(`numa${nth}`, { parent: `host${nth}`, has: { PGPU: 2 } })
    }
  }

  /** The roots among the existing hosts. */
  roots(hosts: readonly number[]): ProviderSlot[] {
    const { providers } = this.cloud.world
    return hosts.flatMap(nth => {
      const slot = providers.find(this.cloud.uuid(`host${nth}`))
      return slot === undefined || providers.rootOf(slot) !== slot ? [] : [slot]
    })
  }

  write(hosts: readonly number[]): Buffer[] {
    const writer = new ByteWriter(16)
    this.summaries.write(writer, this.roots(hosts))
    return writer.toPieces()
  }

  /** The summaries, written without a cache. */
  anew(hosts: readonly number[]): string {
    const { providers } = this.cloud.world
    const all = this.roots(hosts).flatMap(root => [...providers.listSubtree(root)])
    const shape = { traits: true, tree: true, onlyClasses: null }
    return all.map(provider => this.summaries.make(provider, shape)).join(',')
  }

  claim(host: number): void {
    this.cloud.claim(`consumer${this.#consumers++}`, { [`host${host}`]: { VCPU: 1 } })
  }

  /** Moves a host below another, or back to the top. */
  move(host: number, below: number | null): void {
    const name = `host${host}`
    const provider = this.cloud.uuid(name)
    const parent = below === null ? null : this.cloud.uuid(`host${below}`)
    this.#attempt(() =>
      this.cloud.do('placement:update-provider', { provider, name, parent, mayReparent: true }),
    )
  }

  /** Replaces a host; the next provider gets its slot. */
  replace(host: number): void {
    this.#attempt(() => {
      this.cloud.do('placement:delete-provider', { provider: this.cloud.uuid(`host${host}`) })
      this.cloud.add(`host${host}`, { has: { VCPU: 2_000 } })
    })
  }

  /** Ignores refusals: loops, and providers in use. */
  #attempt(change: () => void): void {
    try {
      change()
    } catch (error) {
      if (!(error as Error).message.startsWith('refused')) throw error
    }
  }
}

const text = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString()

test('summaries are current after any changes', () => {
  const host = fc.nat({ max: HOSTS - 1 })
  const some = fc.array(host, { maxLength: 20 })
  const step = fc.oneof(
    fc.record({ write: fc.uniqueArray(host, { maxLength: HOSTS }) }),
    fc.record({ write: fc.tuple(host, host).map(([from, to]) => ALL.slice(from, to)) }),
    { weight: 3, arbitrary: fc.record({ write: fc.constant(ALL) }) },
    fc.record({ claim: some }),
    fc.record({ replace: some }),
    fc.record({ move: host, below: fc.option(host) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const hosts = new Hosts()
      for (const one of steps)
        if ('claim' in one) for (const nth of one.claim) hosts.claim(nth)
        else if ('replace' in one) for (const nth of one.replace) hosts.replace(nth)
        else if ('move' in one) hosts.move(one.move, one.below)
        else expect(text(hosts.write(one.write))).toBe(hosts.anew(one.write))
    }),
    { numRuns: 60 },
  )
})

test.each([0, 1_000])('what did not change is not even copied, behind %i others', others => {
  const hosts = new Hosts({ others })
  hosts.write(ALL)
  const before = hosts.write(ALL)
  const after = hosts.write(ALL)
  expect(text(after)).toBe(hosts.anew(ALL))
  expect(Math.max(...after.map(piece => piece.length))).toBeGreaterThan(16 * 1024)
  after.forEach((piece, nth) => {
    if (piece.length > 16 * 1024) expect(piece.buffer).toBe(before[nth]?.buffer)
  })
})

test('an answer on its way stays as it was made', () => {
  const hosts = new Hosts()
  hosts.write(ALL)
  const onItsWay = hosts.write(ALL)
  const asMade = text(onItsWay)
  for (const nth of ALL) hosts.claim(nth)
  expect(text(hosts.write(ALL))).not.toBe(asMade)
  hosts.write(ALL)
  expect(text(onItsWay)).toBe(asMade)
})

test('summaries of a replaced world are those of the new one', () => {
  const hosts = new Hosts()
  hosts.write(ALL)
  hosts.cloud.world.replaceBy(new Hosts({ vcpus: 3 }).cloud.world)
  expect(text(hosts.write([0]))).toContain('"VCPU":{"capacity":3,"used":0}')
})
