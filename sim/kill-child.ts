import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../src/kernel/clock.ts'
import { loadWorld } from '../src/store/load-world.ts'
import { Sequencer } from '../src/store/sequencer/sequencer.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import type { Store } from '../src/store/store.ts'
import { toyRules } from '../src/store/toy-rules.fixture.ts'
import { HOSTS, hostsOf, lifeOf } from './kill-plan.ts'

/** Writes from many clients at once until it is killed, and prints what was acknowledged. */

const CLIENTS = 24
const [directory, run] = process.argv.slice(2) as [string, string]

/** Each change carries the size of its batch, as the name of an aggregate that does not exist, so that half a batch shows. */
function sized(inner: Store): Store['write'] {
  return (from, decide) =>
    inner.write(from, missed => {
      const batch = decide(missed)
      if (batch === null) return null
      const names = { aggregates: { size: String(batch.changes.length) } }
      return { ...batch, changes: batch.changes.map(({ change }) => ({ change, names })) }
    })
}

const inner = await openSqlite({ directory, changesCountMax: 400 })
const { world, head } = await loadWorld(inner)
const store: Store = {
  write: sized(inner),
  load: onRows => inner.load(onRows),
  head: () => inner.head(),
  snapshot: () => inner.snapshot(),
  changesAfter: (revision, limit) => inner.changesAfter(revision, limit),
  plainRow: (table, key, nowMs) => inner.plainRow(table, key, nowMs),
  plainRows: (table, query, nowMs) => inner.plainRows(table, query, nowMs),
  close: () => inner.close(),
}
const sequencer = new Sequencer({
  world,
  store,
  head,
  rules: toyRules,
  clock: systemClock,
  newBatchId: randomUUID,
})

async function step(consumer: string, number: number, from: number, to: number): Promise<void> {
  const submitted =
    from === 0
      ? sequencer.submit({ kind: 'claim', consumer, hosts: hostsOf(number), amount: to })
      : to === 0
        ? sequencer.submit({ kind: 'release', consumer })
        : sequencer.submit({ kind: 'resize', consumer, amount: to })
  const outcome = await submitted
  if (!outcome.ok) throw new Error(`${consumer}: ${outcome.refusal}`)
}

/** Whole lines: what the parent has read was acknowledged before the kill. The parent may read slower than we write. */
async function tell(line: string): Promise<void> {
  for (;;)
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      await nextTurn()
    }
}

async function client(first: number): Promise<never> {
  for (let number = first; ; number += CLIENTS) {
    const life = lifeOf(number)
    for (let at = 1; at < life.length; at++) {
      await step(`${run}/${number}`, number, life[at - 1] as number, life[at] as number)
      await tell(`${run}/${number} ${at}\n`)
    }
  }
}

await Promise.all(HOSTS.map(host => sequencer.submit({ kind: 'add-host', host, total: 1_000_000 })))
await Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)))
