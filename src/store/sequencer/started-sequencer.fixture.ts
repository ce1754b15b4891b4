import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { checkWorld } from '../../server/check-world.ts'
import { insert } from '../../world/change.ts'
import type { ChangeRefused } from '../../world/change-refused.ts'
import { accept } from '../../world/decision.ts'
import { decideInSequence } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { loadWorld } from '../load-world.ts'
import { openSqlite } from '../sqlite/open.ts'
import type { Batch, Head, Store } from '../store.ts'
import { toyRules } from '../toy-rules.fixture.ts'
import { diffWorlds } from '../verify/verify.ts'
import type { SequencerLimits } from './limits.ts'
import type { Applied, SequencerObserver } from './observer.ts'
import { Sequencer } from './sequencer.ts'

/** A real store with a gate in front of its commits: they can be held back, or made to fail. */
class GatedStore implements Store {
  readonly batches: Batch[] = []
  beforeCommit: () => Promise<void> = async () => {}
  readonly #inner: Store

  constructor(inner: Store) {
    this.#inner = inner
  }

  async write(from: Head, decide: Parameters<Store['write']>[1]): Promise<Head> {
    const batch = decide([])
    if (batch === null) return from
    await this.beforeCommit()
    this.batches.push(batch)
    return this.#inner.write(from, () => batch)
  }

  load: Store['load'] = onRows => this.#inner.load(onRows)
  head: Store['head'] = () => this.#inner.head()
  snapshot: Store['snapshot'] = () => this.#inner.snapshot()
  changesAfter: Store['changesAfter'] = (revision, limit) => this.#inner.changesAfter(revision, limit)
  plainRows: Store['plainRows'] = (table, query, nowMs) => this.#inner.plainRows(table, query, nowMs)
  plainRow: Store['plainRow'] = (table, key, nowMs) => this.#inner.plainRow(table, key, nowMs)
  close: Store['close'] = () => this.#inner.close()
}

class Recorder implements SequencerObserver {
  readonly committed: [number, number][] = []
  readonly failed: unknown[] = []
  readonly revisions: number[] = []
  readonly reasons: unknown[] = []
  batchCommitted(commands: number, changes: number) {
    this.committed.push([commands, changes])
  }
  batchFailed(_commands: number, reason: unknown) {
    this.failed.push(reason)
  }
  readonly applieds: Applied[] = []
  onApplied: (change: Applied) => void = () => {}
  applied(change: Applied) {
    this.revisions.push(change.revision)
    this.applieds.push(change)
    this.onApplied(change)
  }
  readonly misfits: string[] = []
  misfitted(kind: string, { why, index }: ChangeRefused) {
    this.misfits.push(`${kind}: ${index} ${why}`)
  }
  broken(reason: unknown) {
    this.reasons.push(reason)
  }
}

const twice = (id: number) => ({
  ops: [
    insert('aggregates', { id, uuid: `aggregate ${id}` }),
    insert('traits', { id, name: 'CUSTOM_TWICE', updated_at: 0 }),
  ],
})

const bugs = {
  trip: (): never => {
    throw new Error('tripped')
  },
  /** Accepts a change that tears the world: a provider that is its own parent. */
  clash: (_world: World, _command: object) => {
    const trait = { id: 900, name: 'CUSTOM_A', updated_at: 0 }
    const row = { id: 900, uuid: 'a', name: 'a', generation: 0, parent_id: 900, updated_at: 0 }
    return accept({ ops: [insert('traits', trait), insert('resource_providers', row)] }, null)
  },
  /** Accepts a change that the world refuses the second time: a duplicate name. */
  twice: (_world: World, { id }: { id: number }) => accept(twice(id), null),
  /** The same, found by a rehearsal while the rule decides. */
  'twice-tried': (world: World, { id }: { id: number }) =>
    decideInSequence(world, [() => accept(twice(id), null), () => accept(twice(id + 1), null)]),
  /** Accepts a change that the store refuses: the row is gone when it is written. */
  'store-clash': (_world: World, { id }: { id: number }) =>
    accept({ ops: [insert('traits', { id, name: 'CUSTOM_STORED', updated_at: 0 })] }, null),
}

const rules = { ...toyRules, ...bugs }

export async function started(limits: Partial<SequencerLimits> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'berth-sequencer-'))
  const store = new GatedStore(await openSqlite({ directory }))
  onTestFinished(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })
  const { world, head } = await loadWorld(store)
  const observer = new Recorder()
  let batches = 0
  const sequencer = new Sequencer({
    world,
    store,
    head,
    limits,
    rules,
    clock: { nowMs: () => 1_000 },
    newBatchId: () => `batch-${++batches}`,
  })
  sequencer.subscribe(observer)
  return { store, world, sequencer, observer }
}

export const claimed = (sequencer: Sequencer<typeof rules>, consumer: string, amount = 1) =>
  sequencer.submit({ kind: 'claim', consumer, hosts: ['one'], amount })

export async function expectAsStored(world: World, store: Store): Promise<void> {
  const again = await loadWorld(store)
  expect(diffWorlds(world, again.world)).toEqual({ items: [], count: 0 })
  expect(world.revision).toBe(again.head.revision)
  expect(checkWorld(world)).toEqual({ items: [], count: 0 })
}
