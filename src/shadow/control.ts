import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../client/in-parallel.ts'
import type { Clock } from '../kernel/clock.ts'
import type { LedgerDifference } from '../openstack/placement/compare.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import type { Outbox } from './outbox.loop.ts'
import type { Repair } from './repair.ts'
import { listAllProcesses, listProcesses, parseHeld, type ShadowRules, type Side } from './rules.ts'
import type { Sweep } from './sweep.loop.ts'

interface ShadowModes {
  readonly reads: Side
  readonly writes: Side
  readonly is_ended: boolean
}

/** Why a switch was refused. */
interface SwitchRefused {
  readonly reason: 'order' | 'busy' | 'different' | 'unreachable' | 'queued'
  readonly detail: string
  readonly differences: readonly LedgerDifference[]
}

type Switched =
  | {
      readonly ok: true
      readonly lost: readonly LedgerDifference[]
      readonly unsent: number
      /** Why the ledgers could not be compared; null if they were, or did not have to be. */
      readonly notCompared: string | null
    }
  | { readonly ok: false; readonly refused: SwitchRefused }

interface ControlParts {
  readonly world: World
  readonly sequencer: Pick<Sequencer<ShadowRules>, 'submit'>
  readonly clock: Clock
  readonly repair: Repair
  readonly sweep: Sweep
  readonly outbox: Outbox
  /** The work that this process has left, without the queue for Placement. */
  readonly countWork: () => { readonly underWay: number; readonly toApply: number; readonly inDoubt: number }
  /** Calls back with what each later write touches, until the returned function is called. */
  readonly watchTouched: (touched: (subjects: ReadonlySet<string>) => void) => () => void
}

const HOLD_MS = 30_000
const DRAIN_MS_MAX = 20_000
/** How long to wait until little is left to send and to compare. */
const WORK_MS_MAX = 120_000
const WORK_MAX = 20
const AT_ONCE = 8
const LISTED_MAX = 100

/** Switches between the two sides, one switch at a time. */
export class ShadowControl {
  readonly #parts: ControlParts
  #isSwitching = false

  constructor(parts: ControlParts) {
    this.#parts = parts
  }

  get modes(): ShadowModes {
    const { row } = this.#parts.world.shadow
    return {
      reads: (row?.reads ?? 'placement') as Side,
      writes: (row?.writes ?? 'placement') as Side,
      is_ended: row?.is_ended === 1,
    }
  }

  async set(wanted: { readonly reads?: Side; readonly writes?: Side }, force: boolean): Promise<Switched> {
    const now = this.modes
    const reads = wanted.reads ?? now.reads
    const writes = wanted.writes ?? now.writes
    if (writes === 'berth' && reads === 'placement')
      return refuse(
        'order',
        'writes=berth needs reads=berth: reads would miss what Placement has not got yet',
      )
    // The side that answers writes may always answer reads too.
    const isSafe = writes === 'placement' && now.writes === 'placement' && reads === 'placement'
    const isSame = reads === now.reads && writes === now.writes && !now.is_ended
    return this.#switch({ reads, writes, isEnded: false }, { force, checks: !isSafe && !isSame })
  }

  /** Ends the shadow: Placement gets no further writes. */
  async end(force: boolean): Promise<Switched> {
    const { reads, writes } = this.modes
    if (writes !== 'berth')
      return refuse('order', 'Placement still answers writes: set reads=berth and writes=berth first')
    return this.#switch({ reads, writes, isEnded: true }, { force, checks: true })
  }

  async #switch(
    next: { readonly reads: Side; readonly writes: Side; readonly isEnded: boolean },
    { force, checks }: { readonly force: boolean; readonly checks: boolean },
  ): Promise<Switched> {
    if (this.#isSwitching) return refuse('busy', 'another switch is under way')
    this.#isSwitching = true
    try {
      return await this.#switchAlone(next, force, checks)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (!force) return refuse('unreachable', `the ledgers cannot be compared: ${why}`)
      const { sequencer, outbox } = this.#parts
      const unsent = await outbox.countQueued()
      await sequencer.submit({ kind: 'shadow:configure', ...next, needsHold: false })
      await this.#dropQueue(next)
      return { ok: true, lost: [], unsent, notCompared: why }
    } finally {
      this.#isSwitching = false
      const { world, sequencer } = this.#parts
      if ((world.shadow.row?.hold_until ?? 0) > 0) await sequencer.submit({ kind: 'shadow:hold', ms: 0 })
    }
  }

  async #switchAlone(
    next: { readonly reads: Side; readonly writes: Side; readonly isEnded: boolean },
    force: boolean,
    checks: boolean,
  ): Promise<Switched> {
    const { sequencer, outbox } = this.#parts
    const touched = new Set<string>()
    const end = this.#parts.watchTouched(subjects => subjects.forEach(one => void touched.add(one)))
    try {
      // Compared before writes are held, as it may take minutes. What changes meanwhile is compared again below.
      const doubtful = checks ? await this.#findDiffering() : new Set<string>()
      await this.#waitForLittleWork()
      const begins = this.modes.writes === 'placement' && next.writes === 'berth'
      const held = await this.#holdWrites(begins)
      const unsent = await outbox.countQueued()
      if (!held && !force)
        return unsent > 0
          ? refuse('queued', `${unsent} writes wait for Placement, which does not take them`)
          : refuse('busy', this.#describeSilent(begins) ?? this.#describeWork())
      const lost = checks ? await this.#parts.repair.compare(new Set([...doubtful, ...touched])) : []
      if (lost.length > 0 && !force)
        return refuse('different', `the ledgers differ in ${lost.length} places`, lost.slice(0, LISTED_MAX))
      const outcome = await sequencer.submit({ kind: 'shadow:configure', ...next, needsHold: !force })
      if (!outcome.ok) return refuse('busy', 'the comparison took longer than writes may wait')
      await this.#dropQueue(next)
      return { ok: true, lost: lost.slice(0, LISTED_MAX), unsent, notCompared: null }
    } finally {
      end()
    }
  }

  /** Drops queued writes if Placement answers writes again or gets none any more. */
  async #dropQueue({ isEnded, writes }: { readonly isEnded: boolean; readonly writes: Side }): Promise<void> {
    if (isEnded || writes === 'placement') await this.#parts.outbox.drop()
  }

  /** What differs now. Writes that are under way may be the only reason. */
  async #findDiffering(): Promise<Set<string>> {
    const { sweep, repair } = this.#parts
    const found = await sweep.listDifferingNames()
    await inParallel(await sweep.listProviders(), AT_ONCE, async uuid => {
      for (const { key } of await repair.compare(new Set([uuid]))) found.add(key)
    })
    return found
  }

  /** Placement may be slower than Berth, so writes are held only once little is left to do. */
  async #waitForLittleWork(): Promise<void> {
    const { outbox, clock, countWork } = this.#parts
    const endMs = clock.nowMs() + WORK_MS_MAX
    const isMuch = async () => countWork().inDoubt > WORK_MAX || (await outbox.countQueued()) > WORK_MAX
    while ((await isMuch()) && clock.nowMs() < endMs) await sleep(250)
  }

  /** Why Berth must not answer writes yet; null if no process ended without notice. */
  #describeSilent(begins: boolean): string | null {
    const { world, clock } = this.#parts
    const { row } = world.shadow
    if (!begins || row === null) return null
    const silent = new Set(listAllProcesses(row)).difference(new Set(listProcesses(row, clock.nowMs())))
    if (silent.size === 0) return null
    return (
      `processes of Berth that ended without notice in the last hour: ${silent.size}. They may still pass writes to Placement: ` +
      'wait until the hour is over, or use --force if they have certainly ended'
    )
  }

  #describeWork(): string {
    const { underWay, toApply, inDoubt } = this.#parts.countWork()
    return (
      `after ${DRAIN_MS_MAX / 1000} s not all was done: Placement has ${underWay} writes to answer, ` +
      `Berth ${toApply} to apply and ${inDoubt} to compare, or another process has some. Try again`
    )
  }

  /**
   * True once no process has a write under way and Placement has got all of them. Before Berth begins to answer writes, silent processes
   * must confirm too.
   */
  async #holdWrites(begins: boolean): Promise<boolean> {
    const { sequencer, world, clock } = this.#parts
    await sequencer.submit({ kind: 'shadow:hold', ms: HOLD_MS })
    const endMs = clock.nowMs() + DRAIN_MS_MAX
    while (clock.nowMs() < endMs) {
      const { row } = world.shadow
      if (row !== null) {
        const held = new Set(parseHeld(row))
        const asked = begins ? listAllProcesses(row) : listProcesses(row, clock.nowMs())
        if (asked.every(id => held.has(id))) return true
      }
      await sleep(20)
    }
    return false
  }
}

const refuse = (
  reason: SwitchRefused['reason'],
  detail: string,
  differences: readonly LedgerDifference[] = [],
): Switched => ({ ok: false, refused: { reason, detail, differences } })
