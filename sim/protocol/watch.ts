import { describeHead } from '../../src/store/chain.ts'
import type { Head } from '../../src/store/store.ts'
import { makeRowKey } from '../../src/world/table.ts'
import { allocations, consumers, resourceProviders } from '../../src/world/tables.ts'
import type { World } from '../../src/world/world.ts'
import type { Read } from './ledger.ts'
import type { Running, SimProcess } from './process.ts'
import { type Rows, sameRow } from './state.ts'
import { type Timeline, wasHeadBetween } from './timeline.ts'

/** The tables that claims change. */
const MOVING = [resourceProviders, consumers, allocations] as const

/** Checks every process whenever it is idle: what a reader could see there must be exactly what is stored. */
export class Watch {
  readonly #timeline: Timeline
  readonly #violated: (what: string) => void
  readonly #lastSeen = new Map<SimProcess, Head>()

  constructor(timeline: Timeline, violated: (what: string) => void) {
    this.#timeline = timeline
    this.#violated = violated
  }

  look(process: SimProcess): void {
    const { running } = process
    if (running === null || this.#lastSeen.get(process) === running.sequencer.head) return
    this.#lastSeen.set(process, running.sequencer.head)
    this.#compare(process.name, running)
  }

  /** A read must show a state that was the newest at some moment between request and answer. */
  read({ process, startMs, endMs, head }: Read, running: Running): void {
    this.#compare(process, running)
    const moment = this.#timeline.find(head)
    if (moment !== undefined && !wasHeadBetween(moment, startMs, endMs))
      this.#violated(
        `a read on ${process} from ${startMs.toFixed(1)} to ${endMs.toFixed(1)} saw ${describeHead(head)}, which was the head ${moment.periods.map(({ fromMs, untilMs }) => `from ${fromMs.toFixed(1)} until ${untilMs.toFixed(1)}`).join(', ')}`,
      )
  }

  #compare(name: string, { world, sequencer }: Running): void {
    const { head } = sequencer
    const moment = this.#timeline.find(head)
    if (world.revision !== head.revision)
      this.#violated(`${name} is at ${world.revision}, but its head says ${head.revision}`)
    else if (moment === undefined) this.#violated(`${name} shows ${describeHead(head)}, which is not stored`)
    else {
      const difference = differenceBetween(world, moment.rows)
      if (difference !== null) this.#violated(`${name} at ${describeHead(head)}: ${difference}`)
    }
  }
}

function differenceBetween(world: World, rows: Rows): string | null {
  if (world.aggregates.size !== rows.get('aggregates')?.size)
    return 'other requests are in memory than are stored'
  for (const table of MOVING) {
    const stored = rows.get(table.name)
    let count = 0
    for (const row of world.rows(table.name)) {
      count++
      const key = makeRowKey(table, row)
      const same = stored?.get(key)
      if (same === undefined || !sameRow(table, row, same))
        return `${table.name} ${key} is ${JSON.stringify(row)} in memory, ${JSON.stringify(same)} is stored`
    }
    if (count !== stored?.size) return `${count} ${table.name} are in memory, ${stored?.size} are stored`
  }
  return null
}
