import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { ByteWriter } from '../../http/byte-writer.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { SummaryFragments } from './summaries.answer.ts'

const HOSTS = 60

class Summaries {
  readonly cloud = new SmallCloud()
  readonly fragments = new SummaryFragments(this.cloud.world)
  #consumers = 0

  constructor() {
    const traits = [1, 2, 3, 4, 5].map(nth => `CUSTOM_RATHER_LONG_NAME_OF_TRAIT_${nth}`)
    for (let nth = 0; nth < HOSTS; nth++) {
      this.cloud.add(`host${nth}`, { has: { VCPU: 1_000 }, traits })
      if (nth % 3 === 0) this.cloud.add(`numa${nth}`, { parent: `host${nth}`, has: { PGPU: 2 } })
    }
  }

  roots(hosts: readonly number[]): ProviderSlot[] {
    const { cloud } = this
    return hosts.map(nth => cloud.world.providers.find(cloud.uuid(`host${nth}`)) as ProviderSlot)
  }

  write(hosts: readonly number[]): Buffer[] {
    const writer = new ByteWriter(16)
    this.fragments.write(writer, this.roots(hosts))
    return writer.written()
  }

  /** As it would be written if nothing were kept. */
  anew(hosts: readonly number[]): string {
    const { providers } = this.cloud.world
    const all = this.roots(hosts).flatMap(root => [...providers.subtree(root)])
    const shape = { traits: true, tree: true, onlyClasses: null }
    return all.map(provider => this.fragments.make(provider, shape)).join(',')
  }

  claim(host: number): void {
    this.cloud.claim(`consumer${this.#consumers++}`, { [`host${host}`]: { VCPU: 1 } })
  }
}

const text = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString()
const ALL = Array.from({ length: HOSTS }, (_, nth) => nth)

test('whatever was written and changed before, what is written is up to date', () => {
  const host = fc.nat({ max: HOSTS - 1 })
  const step = fc.oneof(
    fc.record({ write: fc.uniqueArray(host, { maxLength: HOSTS }) }),
    fc.record({ write: fc.tuple(host, host).map(([from, to]) => ALL.slice(from, to)) }),
    fc.record({ write: fc.constant(ALL) }),
    fc.record({ claim: fc.array(host, { maxLength: 20 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      const summaries = new Summaries()
      for (const one of steps)
        if ('claim' in one) for (const nth of one.claim) summaries.claim(nth)
        else expect(text(summaries.write(one.write))).toBe(summaries.anew(one.write))
    }),
    { numRuns: 60 },
  )
})

test('what did not change is not written anew, and not even copied', () => {
  const summaries = new Summaries()
  summaries.write(ALL)
  const [before] = summaries.write(ALL)
  const [after] = summaries.write(ALL)
  expect(after?.length).toBeGreaterThan(16 * 1024)
  expect(after?.buffer).toBe(before?.buffer)
})

test('an answer on its way stays as it was made', () => {
  const summaries = new Summaries()
  summaries.write(ALL)
  const onItsWay = summaries.write(ALL)
  const asMade = text(onItsWay)
  for (const nth of ALL) summaries.claim(nth)
  expect(text(summaries.write(ALL))).not.toBe(asMade)
  summaries.write(ALL)
  expect(text(onItsWay)).toBe(asMade)
})

test('a world that was replaced is told as it is now', () => {
  const summaries = new Summaries()
  summaries.write(ALL)
  const other = new SmallCloud().add('host0', { has: { VCPU: 3 } })
  summaries.cloud.world.become(other.world)
  expect(text(summaries.write([0]))).toContain('"VCPU":{"capacity":3,"used":0}')
})
