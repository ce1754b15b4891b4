import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { insert } from '../../world/change.ts'
import { ChangeRefused } from '../../world/change-refused.ts'
import type { Rules } from '../../world/decision.ts'
import { NotStorable } from '../../world/storable.ts'
import { computeHeads, isSameHead } from '../chain.ts'
import { type Head, StoreDiverged, StoreRejected, StoreSilent, StoreUnavailable } from '../store.ts'
import { SequencerBroken } from './failures.ts'
import type { Sequencer } from './sequencer.ts'
import { claimed, expectAsStored, started } from './started-sequencer.fixture.ts'

describe('claims', () => {
  test('of 64 at once for the last unit exactly one wins', async () => {
    const { sequencer, world, store } = await started()
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 1 })
    const outcomes = await Promise.all(Array.from({ length: 64 }, (_, at) => claimed(sequencer, `c${at}`)))
    expect(outcomes.filter(outcome => outcome.ok)).toHaveLength(1)
    const refusals = outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome.refusal]))
    expect(new Set(refusals)).toEqual(new Set(['no-room']))
    await expectAsStored(world, store)
  })

  test('that arrive together share one commit, and each has its own revision', async () => {
    const { sequencer, store, observer } = await started()
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 100 })
    await Promise.all([1, 2, 3].map(at => claimed(sequencer, `c${at}`)))
    expect(store.batches.map(batch => batch.changes.length)).toEqual([1, 3])
    expect(observer.committed).toEqual([
      [1, 1],
      [3, 3],
    ])
    expect(observer.revisions).toEqual([1, 2, 3, 4])
    expect(isSameHead(sequencer.head, await store.head())).toBe(true)
  })

  test('so do those that come one by one within a turn of the event loop, as requests from several sockets', async () => {
    const { sequencer, store } = await started()
    const one = sequencer.submit({ kind: 'add-host', host: 'one', total: 100 })
    await promisify(process.nextTick)()
    const other = claimed(sequencer, 'a')
    await Promise.all([one, other])
    expect(store.batches.map(batch => batch.changes.length)).toEqual([2])
  })

  test('a number that no store holds refuses its command alone, before anything is written', async () => {
    const { sequencer, world, store } = await started()
    const submitted = [2 ** 63, 1, 2 ** 53, Number.NaN].map((total, at) =>
      sequencer.submit({ kind: 'add-host', host: `h${at}`, total }).catch(error => error),
    )
    const [first, second, ...others] = await Promise.all(submitted)
    expect(second).toMatchObject({ ok: true })
    for (const one of [first, ...others]) expect(one).toBeInstanceOf(NotStorable)
    expect(first.message).toBe(
      'inventories.total cannot be 9223372036854776000: it must be a whole number, at most 9007199254740991 and at least -9007199254740991',
    )
    expect(store.batches.map(batch => batch.changes.length)).toEqual([1])
    await expectAsStored(world, store)
  })

  test('later commands of a batch see what the earlier ones did', async () => {
    const { sequencer, store } = await started()
    const outcomes = await Promise.all([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 1 }),
      claimed(sequencer, 'a'),
      sequencer.submit({ kind: 'release', consumer: 'a' }),
      claimed(sequencer, 'b'),
    ])
    expect(outcomes.map(outcome => outcome.ok)).toEqual([true, true, true, true])
    expect(store.batches).toHaveLength(1)
  })

  test('a batch of nothing but refusals writes nothing', async () => {
    const { sequencer, store } = await started()
    expect(await claimed(sequencer, 'a')).toEqual({ ok: false, refusal: 'unknown' })
    expect(store.batches).toHaveLength(0)
    expect(sequencer.head.revision).toBe(0)
  })
})

describe('durability', () => {
  test('no reader sees a revision, and no client is answered, before its commit is durable', async () => {
    const { sequencer, world, store } = await started()
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    store.beforeCommit = () => {
      reached.resolve()
      return gate.promise
    }
    let answered = false
    const claim = claimed(sequencer, 'a').then(() => {
      answered = true
    })
    await reached.promise
    expect(world.consumers.find('a')).toBeUndefined()
    expect([world.revision, sequencer.head.revision, answered]).toEqual([1, 1, false])
    await expectAsStored(world, store)
    gate.resolve()
    await claim
    expect(world.consumers.find('a')).toBeDefined()
    expect([world.revision, sequencer.head.revision]).toEqual([2, 2])
  })

  test('a commit that fails leaves memory as the disk has it, rejects its batch, and the next works', async () => {
    const { sequencer, world, store, observer } = await started()
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    await claimed(sequencer, 'a', 3)
    const full = new StoreUnavailable('the disk is full')
    store.beforeCommit = () => Promise.reject(full)
    const lost = await Promise.allSettled([
      sequencer.submit({ kind: 'resize', consumer: 'a', amount: 1 }),
      claimed(sequencer, 'b', 4),
      // A refusal may rest on what was not stored, so it is no answer either.
      claimed(sequencer, 'c', 4),
      sequencer.submit({ kind: 'release', consumer: 'a' }),
    ])
    expect(lost.map(one => one.status === 'rejected' && one.reason)).toEqual([full, full, full, full])
    await expectAsStored(world, store)
    store.beforeCommit = async () => {}
    expect(await claimed(sequencer, 'b', 2)).toEqual({ ok: true, answer: { generation: 1 } })
    await expectAsStored(world, store)
    expect([observer.failed, observer.reasons]).toEqual([[full], []])
  })
})

describe('bugs', () => {
  test('a rule that throws rejects its own command only', async () => {
    const { sequencer, world, store, observer } = await started()
    const [added, tripped, unknown, claim] = await Promise.allSettled([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }),
      sequencer.submit({ kind: 'trip' }),
      (sequencer as unknown as Sequencer<Rules>).submit({ kind: 'nobody-knows' }),
      claimed(sequencer, 'a'),
    ])
    expect([added.status, tripped.status, unknown.status, claim.status]).toEqual([
      ...['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    ])
    expect(observer.reasons).toEqual([])
    await expectAsStored(world, store)
  })

  test('a change that the world does not take rejects its own command only, whether it is alone or not', async () => {
    const { sequencer, world, store, observer } = await started()
    await sequencer.submit({ kind: 'twice', id: 1 })
    const [added, clash, tried, claim] = await Promise.allSettled([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }),
      sequencer.submit({ kind: 'twice', id: 2 }),
      sequencer.submit({ kind: 'twice-tried', id: 3 }),
      claimed(sequencer, 'a'),
    ])
    expect([added.status, claim.status]).toEqual(['fulfilled', 'fulfilled'])
    for (const one of [clash, tried])
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(ChangeRefused)
    const last = [
      sequencer.submit({ kind: 'add-host', host: 'two', total: 5 }),
      sequencer.submit({ kind: 'twice', id: 4 }),
    ]
    expect((await Promise.allSettled(last)).map(one => one.status)).toEqual(['fulfilled', 'rejected'])
    await expect(sequencer.submit({ kind: 'twice', id: 5 })).rejects.toBeInstanceOf(ChangeRefused)
    expect(observer.misfits).toEqual([
      ...['twice: traits (name) taken', 'twice-tried: traits (name) taken'],
      ...['twice: traits (name) taken', 'twice: traits (name) taken'],
    ])
    expect([observer.reasons, observer.failed]).toEqual([[], []])
    expect(observer.revisions).toEqual([1, 2, 3, 4])
    // The store never sees it.
    expect(store.batches.map(({ changes }) => changes.length)).toEqual([1, 2, 1])
    await expectAsStored(world, store)
    expect((await sequencer.submit({ kind: 'add-host', host: 'three', total: 5 })).ok).toBe(true)
    await expectAsStored(world, store)
  })

  test('what another process stored and memory does not take breaks it: they would differ from then on', async () => {
    const { sequencer, world, store, observer } = await started()
    await sequencer.submit({ kind: 'twice', id: 1 })
    const op = {
      table: 'traits',
      before: null,
      after: { id: 2, name: 'CUSTOM_TWICE', updated_at: 0 },
    } as const
    const [head] = computeHeads(sequencer.head, 'theirs', 1) as [Head]
    const theirs = { ...head, batchId: 'theirs', atMs: 1, change: { ops: [op] }, names: {} }
    store.write = async (_from, decide) => {
      decide([theirs])
      return theirs
    }
    await expect(claimed(sequencer, 'a')).rejects.toBeInstanceOf(SequencerBroken)
    expect(observer.reasons).toHaveLength(1)
    expect(world.revision).toBe(1)
  })

  test('a world that is torn breaks the sequencer: everything is rejected, then and later', async () => {
    const { sequencer, store, observer } = await started()
    const all = await Promise.allSettled([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }),
      sequencer.submit({ kind: 'clash' }),
      claimed(sequencer, 'a'),
    ])
    for (const one of all) expect(one.status === 'rejected' && one.reason).toBeInstanceOf(SequencerBroken)
    await expect(claimed(sequencer, 'b')).rejects.toBeInstanceOf(SequencerBroken)
    await sequencer.waitUntilIdle()
    expect(observer.reasons).toHaveLength(1)
    expect((await store.head()).revision).toBe(0)
  })

  test('also where it throws for a command that is alone: nothing is stored', async () => {
    const { sequencer, store, observer } = await started()
    await expect(sequencer.submit({ kind: 'clash' })).rejects.toBeInstanceOf(SequencerBroken)
    expect(observer.reasons).toHaveLength(1)
    expect((await store.head()).revision).toBe(0)
  })

  test('and at once, however long the store takes to give up the batch: no reader sees half a change', async () => {
    const { sequencer, store, observer } = await started()
    const reasons: number[] = []
    store.write = async (from, decide) => {
      try {
        decide([])
      } finally {
        reasons.push(observer.reasons.length)
      }
      return from
    }
    await expect(sequencer.submit({ kind: 'clash' })).rejects.toBeInstanceOf(SequencerBroken)
    expect([reasons, observer.reasons.length]).toEqual([[1], 1])
  })

  test('a world that is torn at a later attempt: nothing of the earlier one was stored, and all commands fail so', async () => {
    const { sequencer, store } = await started()
    const submitted: Promise<unknown>[] = []
    store.write = async (from, decide) => {
      decide([])
      submitted.push(sequencer.submit({ kind: 'clash' }))
      decide([])
      return from
    }
    submitted.push(sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }))
    await sequencer.waitUntilIdle()
    expect(submitted).toHaveLength(2)
    for (const one of submitted) await expect(one).rejects.toBeInstanceOf(SequencerBroken)
  })

  test('a store that fails in any other way than "unavailable" breaks it too: what was being written is not known', async () => {
    const { sequencer, store, observer } = await started()
    const diverged = new StoreDiverged('another history')
    store.beforeCommit = async () => {
      await Promise.resolve()
      throw diverged
    }
    const claim = sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    await Promise.resolve()
    const later = claimed(sequencer, 'a')
    for (const one of await Promise.allSettled([claim, later]))
      expect(one).toMatchObject({ reason: { name: 'StoreUncertain', cause: diverged } })
    await expect(claimed(sequencer, 'b')).rejects.toBeInstanceOf(SequencerBroken)
    expect(observer.reasons).toEqual([diverged])
  })

  test('a change that the real store does not take is turned down alone; its neighbours go through', async () => {
    const { sequencer, world, store, observer } = await started()
    await sequencer.submit({ kind: 'store-clash', id: 1 })
    // As if memory had missed it.
    world.undo({ ops: [insert('traits', { id: 1, name: 'CUSTOM_STORED', updated_at: 0 })] })
    const [added, clash, claim] = await Promise.allSettled([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }),
      sequencer.submit({ kind: 'store-clash', id: 2 }),
      claimed(sequencer, 'a'),
    ])
    expect([added.status, clash.status, claim.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(clash.status === 'rejected' && clash.reason).toBeInstanceOf(StoreRejected)
    expect(observer.reasons).toEqual([])
    expect((await store.head()).revision).toBe(3)
    world.apply({ ops: [insert('traits', { id: 1, name: 'CUSTOM_STORED', updated_at: 0 })] })
    await expectAsStored(world, store)
    await sequencer.submit({ kind: 'add-host', host: 'two', total: 5 })
    expect(store.batches.at(-1)?.changes).toHaveLength(1)
  })
})

describe('a store that does not answer', () => {
  test('keeps no client waiting: the batch is unknown, the rest untried, and it resumes with the store', async () => {
    const { sequencer, world, store, observer } = await started({ outcomeMsMax: 5_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const gate = Promise.withResolvers<void>()
    store.beforeCommit = () => gate.promise
    const first = sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    await nextTurn()
    const second = claimed(sequencer, 'a')
    vi.advanceTimersByTime(5_000)
    const [written, waiting] = await Promise.allSettled([first, second])
    expect(written).toMatchObject({ reason: { name: 'StoreUncertain', cause: { name: 'StoreSilent' } } })
    expect(waiting).toMatchObject({ reason: { name: 'StoreSilent' } })
    await expect(claimed(sequencer, 'b')).rejects.toBeInstanceOf(StoreSilent)
    gate.resolve()
    store.beforeCommit = async () => {}
    await sequencer.waitUntilIdle()
    expect(await claimed(sequencer, 'c')).toEqual({ ok: true, answer: { generation: 1 } })
    expect(observer.reasons).toEqual([])
    await expectAsStored(world, store)
  })

  test('is not known to have stored what is being written when something else makes memory useless', async () => {
    const { sequencer, store } = await started()
    const gate = Promise.withResolvers<void>()
    store.beforeCommit = () => gate.promise
    const first = sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    await nextTurn()
    const second = claimed(sequencer, 'a')
    sequencer.giveUp(new StoreDiverged('its file is gone'))
    const [written, waiting] = await Promise.allSettled([first, second])
    expect(written).toMatchObject({ reason: { name: 'StoreUncertain' } })
    expect(waiting).toMatchObject({ reason: { name: 'SequencerBroken' } })
    gate.resolve()
    await sequencer.waitUntilIdle()
  })
})

describe('turns', () => {
  test('a command that arrives at any moment around the end of a turn is not forgotten', async () => {
    const { sequencer } = await started()
    for (let ticks = 0; ticks < 30; ticks++) {
      await claimed(sequencer, 'refused')
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      await claimed(sequencer, 'refused')
    }
    await sequencer.waitUntilIdle()
  })

  test('idle waits for everything that was submitted', async () => {
    const { sequencer, world } = await started({ commandsPerBatchMax: 1 })
    for (const host of ['a', 'b', 'c']) void sequencer.submit({ kind: 'add-host', host, total: 5 })
    await sequencer.waitUntilIdle()
    expect(world.providers.size).toBe(3)
  })
})

describe('limits', () => {
  test('a batch takes no more commands than its limit', async () => {
    const { sequencer, store } = await started({ commandsPerBatchMax: 2 })
    await Promise.all(
      [1, 2, 3, 4, 5].map(at => sequencer.submit({ kind: 'add-host', host: `h${at}`, total: 5 })),
    )
    expect(store.batches.map(batch => batch.changes.length)).toEqual([2, 2, 1])
  })

  test('a batch takes no more row ops than its limit, but one large command goes through alone', async () => {
    const { sequencer, store, world } = await started({ opsPerBatchMax: 6 })
    const add = (host: string) => sequencer.submit({ kind: 'add-host', host, total: 5 })
    await Promise.all(['one', 'b', 'c', 'd'].map(add))
    // The first host brings the classes along: five ops, the others three.
    expect(store.batches.map(batch => batch.changes.length)).toEqual([1, 2, 1])
    const wide = { kind: 'claim', consumer: 'wide', hosts: ['one', 'b', 'c'], amount: 1 } as const
    const outcomes = await Promise.all([
      claimed(sequencer, 'a'),
      sequencer.submit(wide),
      claimed(sequencer, 'z'),
    ])
    expect(outcomes.every(outcome => outcome.ok)).toBe(true)
    expect(store.batches.slice(3).map(batch => batch.changes.map(({ change }) => change.ops.length))).toEqual(
      [[4], [10], [4]],
    )
    await expectAsStored(world, store)
  })

  test('past the limit of waiting commands a new one is turned away and may come again', async () => {
    const { sequencer } = await started({ waitingMax: 2 })
    const waiting = [claimed(sequencer, 'a'), claimed(sequencer, 'b')]
    await expect(claimed(sequencer, 'c')).rejects.toBeInstanceOf(StoreUnavailable)
    await Promise.all(waiting)
    expect((await claimed(sequencer, 'c')).ok).toBe(false)
  })
})
