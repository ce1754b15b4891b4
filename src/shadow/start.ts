import { setTimeout as sleep } from 'node:timers/promises'
import type { Authenticator } from '../http/authenticator.ts'
import type { FrontParts, RequestFront } from '../http/mounted-services.ts'
import type { Log } from '../http/ops/log.ts'
import { makeTrustingFetch } from '../http/outgoing/trusting-fetch.ts'
import type { Service } from '../http/service.ts'
import type { Clock } from '../kernel/clock.ts'
import { PlacementApi } from '../openstack/placement/placement-api.ts'
import type { PlacementRules } from '../placement/rules.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../world/change.ts'
import type { World } from '../world/world.ts'
import { ApplyQueue } from './apply-queue.ts'
import { ShadowControl } from './control.ts'
import { Doubts } from './doubts.loop.ts'
import { Forwarder } from './forwarder.ts'
import { HiddenConsumers } from './hidden-consumers.ts'
import { Orphans } from './orphans.ts'
import { Outbox } from './outbox.loop.ts'
import { ReadsAgain } from './reads-again.loop.ts'
import { Repair } from './repair.ts'
import { type ReportObserver, ShadowReport } from './report.ts'
import { listProcesses, parseHeld, type ShadowRules } from './rules.ts'
import { ShadowFront } from './shadow.ts'
import { Sides } from './sides.ts'
import { Sweep } from './sweep.loop.ts'
import { listTouched } from './touched.ts'
import { WritesUnderWay } from './writes-under-way.ts'

interface ShadowOptions {
  readonly url: string
  readonly timeoutMs: number
  /** Certificate authorities in PEM; null for those of Node. */
  readonly authorities: string | null
  readonly sweepPerSecond: number
  readonly mount: string
  readonly bodyBytesMax: number
  readonly member: string
  readonly world: World
  readonly store: Store
  readonly sequencer: Sequencer<PlacementRules & ShadowRules>
  readonly clock: Clock
  readonly log: Log
  readonly observer: ReportObserver
  /** The Placement service with a sequencer that decides writes but does not commit them. */
  // biome-ignore lint/suspicious/noExplicitAny: every service has its own features, which only its routes read
  readonly dryService: Service<any>
  /** Accepts every caller: Placement has checked them. */
  readonly trusting: Authenticator
  /** Headers that identify this server to Placement, with `X-Auth-Token`. */
  readonly signIn: () => Promise<Readonly<Record<string, string>>>
  readonly upToDate: () => Promise<void> | null
}

const BEAT_MS = 5_000
const TICK_MS = 25
/** How long a process without its store goes on: others may finish a switch that it knows of, and forget the process after an hour. */
const UNSEEN_MS_MAX = 10_000
const ALONE_MS_MAX = 50 * 60_000
const FINISH_MS_MAX = 5_000

/** The server would contradict other processes that shadow a Placement. */
export class ShadowRefused extends Error {}

const describeOther = (url: string): string =>
  `other processes on this database shadow the Placement at ${url}: set shadow_of as they do, or stop them first`

/** Starts, connects and stops all parts of shadowing a Placement. */
export class Shadow {
  readonly report: ShadowReport
  readonly control: ShadowControl
  readonly sweep: Sweep
  readonly outbox: Outbox
  readonly orphans: Orphans
  readonly url: string
  readonly #options: ShadowOptions
  readonly #forwarder: Forwarder
  readonly #fetch: typeof globalThis.fetch | undefined
  readonly #writes = new WritesUnderWay()
  readonly #hidden: HiddenConsumers
  readonly #doubts: Doubts
  readonly #watchers = new Set<(subjects: ReadonlySet<string>) => void>()
  #queue: ApplyQueue | null = null
  #again: ReadsAgain | null = null
  #api: { readonly token: string; readonly api: PlacementApi } | null = null
  #beatMs = 0
  #confirmed = 0
  #isStopped = false
  #lastFailure = ''

  constructor(options: ShadowOptions) {
    const { world, sequencer, clock, store } = options
    this.#options = options
    this.url = options.url
    this.report = new ShadowReport(options.observer)
    this.#forwarder = new Forwarder(options.url, options.timeoutMs, options.authorities)
    this.#fetch = options.authorities === null ? undefined : makeTrustingFetch(options.authorities)
    const connect = () => this.#connect()
    const truth = () => this.control.modes.writes
    const stillness = (subjects: ReadonlySet<string>) =>
      this.outbox.hasAny(subjects) ? null : this.#writes.stillness(subjects)
    const failing = (why: string) => this.#fail(why)
    const leads = () => !this.#isStopped && this.#leads()
    const { report } = this
    this.#hidden = new HiddenConsumers(world)
    const hidden = this.#hidden
    this.orphans = new Orphans({ report, connect, stillness })
    const { orphans } = this
    const alsoWrote = (providers: ReadonlySet<string>) =>
      this.#doubts.add(providers, 'a repair wrote allocations on it')
    const repair = new Repair({ world, sequencer, connect, orphans, alsoWrote })
    const perSecond = options.sweepPerSecond
    this.sweep = new Sweep({ world, repair, report, connect, truth, stillness, leads, perSecond, failing })
    const sweepAll = (why: string) => this.sweep.sweepAll(why)
    this.#doubts = new Doubts({ repair, report, truth, stillness, sweepAll })
    const signIn = async () => Object.entries(await options.signIn()).flat()
    const forwarder = this.#forwarder
    const doubts = this.#doubts
    this.outbox = new Outbox({
      world,
      store,
      sequencer,
      clock,
      forwarder,
      doubts,
      report,
      orphans,
      hidden,
      mayDiffer: subjects => this.#mayDiffer(subjects),
      signIn,
      leads,
      failing,
    })
    const watchTouched = (touched: (subjects: ReadonlySet<string>) => void) => {
      this.#watchers.add(touched)
      return () => void this.#watchers.delete(touched)
    }
    const { sweep, outbox } = this
    const countWork = () => {
      const { writes_under_way: underWay, to_apply: toApply, in_doubt: inDoubt } = this.backlog
      return { underWay, toApply, inDoubt }
    }
    this.control = new ShadowControl({
      world,
      sequencer,
      clock,
      repair,
      sweep,
      outbox,
      countWork,
      watchTouched,
    })
    sequencer.subscribe({ applied: ({ change }) => this.#noteChange(change) })
  }

  #noteChange(change: Change): void {
    if (this.#watchers.size > 0) {
      const touched = listTouched(this.#options.world, change)
      for (const watcher of this.#watchers) watcher(touched)
    }
    if (this.control.modes.writes === 'berth') this.outbox.wake()
  }

  /** The front that takes requests before Berth's own handler of Placement does. */
  makeFront({ handler, makeQuiet, reporting }: FrontParts): RequestFront {
    const { world, clock, log, mount, bodyBytesMax, dryService, trusting, upToDate } = this.#options
    const handlers = {
      real: makeQuiet(handler.service),
      dry: makeQuiet(dryService),
      trusted: makeQuiet(handler.service, trusting),
    }
    const { report, control, outbox, orphans } = this
    const forwarder = this.#forwarder
    const writes = this.#writes
    const doubts = this.#doubts
    const sides = new Sides(forwarder, handlers, mount, report)
    const again = new ReadsAgain({ world, sides, report, orphans, stillness: () => this.#stillnessOfAll() })
    const mayDiffer = (subjects: ReadonlySet<string>) =>
      this.#countProcesses() > 1 || this.#mayDiffer(subjects)
    const queue = new ApplyQueue({
      world,
      sides,
      report,
      writes,
      doubts,
      again,
      orphans,
      hidden: this.#hidden,
      mayDiffer,
    })
    this.#again = again
    this.#queue = queue
    const findObstacle = () => this.#findObstacle()
    return new ShadowFront({
      world,
      clock,
      log,
      reporting,
      handler,
      mount,
      bodyBytesMax,
      forwarder,
      sides,
      report,
      writes,
      queue,
      again,
      outbox,
      control,
      upToDate,
      findObstacle,
    })
  }

  async start(): Promise<void> {
    await this.#beat()
    void this.outbox.run()
    void this.sweep.run()
    void this.#tick()
  }

  /** Applies what Placement has answered, if that takes only a moment, and stops. */
  async stop(): Promise<void> {
    const endMs = this.#options.clock.nowMs() + FINISH_MS_MAX
    while (!this.#isSettled() && this.#options.clock.nowMs() < endMs) await sleep(TICK_MS)
    this.#isStopped = true
    for (const loop of [this.sweep, this.outbox, this.#doubts, this.#again]) loop?.stop()
    const { member, sequencer } = this.#options
    await sequencer.submit({ kind: 'shadow:leave', member }).catch(() => undefined)
    this.#forwarder.close()
  }

  /** The work that is left, for status and metrics. */
  get backlog() {
    return {
      writes_under_way: this.#writes.sent,
      to_apply: this.#queue?.length ?? 0,
      to_ask_again: this.#again?.length ?? 0,
      in_doubt: this.#doubts.length,
      to_send: this.outbox.length,
    }
  }

  /** Whether Placement answers everything, so that Berth's store is not needed. */
  get isForwarding(): boolean {
    const { reads, writes } = this.control.modes
    return reads === 'placement' && writes === 'placement' && this.#findObstacle() === null
  }

  get leader(): string | null {
    return this.#options.world.shadow.row?.leader ?? null
  }

  get member(): string {
    return this.#options.member
  }

  /** Whether these are in doubt or have not been compared since the start. */
  #mayDiffer(subjects: ReadonlySet<string>): boolean {
    return this.sweep.status.hurry !== null || this.#doubts.hasAny(subjects)
  }

  #isSettled(): boolean {
    return this.#writes.isIdle && this.#queue?.isIdle !== false && this.#doubts.length === 0
  }

  #stillnessOfAll(): string | null {
    if (!this.#writes.isIdle || this.#doubts.length > 0 || this.outbox.length > 0) return null
    if (this.sweep.status.hurry !== null) return null
    return `${this.#writes.now} ${this.#options.world.revision}`
  }

  async #connect(): Promise<PlacementApi> {
    const { 'x-auth-token': token = '' } = await this.#options.signIn()
    if (this.#api?.token !== token)
      this.#api = { token, api: await PlacementApi.connect(this.url, token, this.#fetch) }
    return this.#api.api
  }

  #leads(): boolean {
    const { row } = this.#options.world.shadow
    return (
      row !== null && row.leader === this.#options.member && row.leader_until > this.#options.clock.nowMs()
    )
  }

  #countProcesses(): number {
    const { row } = this.#options.world.shadow
    return row === null ? 1 : listProcesses(row, this.#options.clock.nowMs()).length
  }

  /** A process that cannot reach the shared store may have missed a switch by others. */
  #findObstacle(): string | null {
    const { store, clock, world } = this.#options
    const unseenMs = store.isShared === true ? clock.nowMs() - this.#beatMs : 0
    const knowsSwitch = (world.shadow.row?.hold_until ?? 0) > 0
    if (unseenMs < UNSEEN_MS_MAX || (unseenMs < ALONE_MS_MAX && !knowsSwitch)) return null
    return 'The store does not answer, and another process may answer writes by now. Nothing was changed.'
  }

  async #beat(): Promise<void> {
    const { sequencer, member, store, clock } = this.#options
    const startMs = clock.nowMs()
    const isAlone = store.isShared !== true
    const outcome = await sequencer.submit({ kind: 'shadow:beat', member, url: this.url, isAlone })
    if (!outcome.ok) throw new ShadowRefused(describeOther(outcome.refusal.url))
    this.#beatMs = startMs
  }

  async #tick(): Promise<void> {
    const { store, clock } = this.#options
    while (!this.#isStopped) {
      try {
        const isDue = store.isShared === true && clock.nowMs() - this.#beatMs > BEAT_MS
        if (isDue) await this.#beat()
        await this.#confirmHold()
      } catch (error) {
        this.#fail(error instanceof Error ? error.message : String(error))
        await sleep(1_000)
      }
      await sleep(TICK_MS)
    }
  }

  /** While writes are held, confirms once this process has none under way. */
  async #confirmHold(): Promise<void> {
    const { world, clock, sequencer, member } = this.#options
    const { row } = world.shadow
    if (row === null || row.hold_until <= clock.nowMs() || row.hold_until === this.#confirmed) return
    if (!this.#isSettled() || parseHeld(row).includes(member)) return
    if (this.#leads() && !(await this.outbox.isEmpty())) return
    await sequencer.submit({ kind: 'shadow:confirm-hold', member })
    this.#confirmed = row.hold_until
  }

  #fail(why: string): void {
    if (why === this.#lastFailure) return
    this.#lastFailure = why
    this.#options.log.warn('cannot follow the shadowed Placement', { reason: why })
  }
}
