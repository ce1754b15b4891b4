import { expect, test } from 'vitest'
import { World } from '../world/world.ts'
import { ShadowControl } from './control.ts'
import { shadowRules } from './rules.ts'

const HOUR_MS = 3_600_000

/** A control of process `one`, which confirms each hold; time passes while it waits. */
class Processes {
  readonly world = new World()
  nowMs = 1_000_000
  readonly control: ShadowControl

  constructor(inDoubt = 0) {
    const submit = async (command: { kind: string }): Promise<unknown> => {
      const decision = this.#do(command)
      if (command.kind === 'shadow:hold') this.#do({ kind: 'shadow:confirm-hold', member: 'one' } as never)
      return decision
    }
    this.control = new ShadowControl({
      world: this.world,
      sequencer: { submit } as never,
      clock: { nowMs: () => (this.nowMs += 500) },
      repair: { compare: async () => [] } as never,
      sweep: { listDifferingNames: async () => new Set(), listProviders: async () => [] } as never,
      outbox: { countQueued: async () => 0, drop: async () => undefined } as never,
      countWork: () => ({ underWay: 0, toApply: 0, inDoubt }),
      watchTouched: () => () => undefined,
    })
  }

  #do({ kind, ...command }: { kind: string }) {
    const rule = shadowRules[kind as keyof typeof shadowRules] as (...args: unknown[]) => never
    // biome-ignore lint/suspicious/noExplicitAny: rules have every shape
    const decision = rule(this.world, command, this.nowMs) as any
    if (decision.ok) this.world.apply(decision.change)
    return decision
  }

  beat(member: string, url = 'http://placement') {
    return this.#do({ kind: 'shadow:beat', member, url, isAlone: false } as never)
  }
}

test('Berth begins to answer writes only an hour after a process ended without notice', async () => {
  const some = new Processes()
  some.beat('other')
  some.nowMs += 60_000
  some.beat('one')
  expect(await some.control.set({ reads: 'berth' }, false)).toMatchObject({ ok: true })
  expect(await some.control.set({ writes: 'berth' }, false)).toMatchObject({
    ok: false,
    refused: { reason: 'busy', detail: expect.stringContaining('ended without notice in the last hour') },
  })
  some.nowMs += HOUR_MS
  some.beat('one')
  expect(await some.control.set({ writes: 'berth' }, false)).toMatchObject({ ok: true })
  expect(await some.control.set({ writes: 'placement' }, false)).toMatchObject({ ok: true })
})

test('a process that ended without notice delays no way back', async () => {
  const some = new Processes()
  some.beat('one')
  await some.control.set({ reads: 'berth', writes: 'berth' }, false)
  some.beat('other')
  some.nowMs += 60_000
  some.beat('one')
  expect(await some.control.set({ writes: 'placement', reads: 'placement' }, false)).toMatchObject({
    ok: true,
  })
})

test('a process that does not confirm in time makes a switch busy, which says what is left to do', async () => {
  const some = new Processes(7)
  some.beat('one')
  some.nowMs += 30_000
  some.beat('other')
  some.nowMs -= 30_000
  const found = await some.control.set({ reads: 'berth' }, false)
  expect(found).toMatchObject({
    ok: false,
    refused: { reason: 'busy', detail: expect.stringContaining('and 7 to compare, or another process') },
  })
})

test('a process with another Placement is refused while one with this one is there', () => {
  const some = new Processes()
  some.beat('one')
  const refused = some.beat('other', 'http://elsewhere')
  expect(refused).toMatchObject({ refusal: { kind: 'other-placement', url: 'http://placement' } })
  some.nowMs += 60_000
  expect(some.beat('other', 'http://elsewhere').ok).toBe(true)
})
