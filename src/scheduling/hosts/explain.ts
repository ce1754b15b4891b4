import type { ProviderSlot } from '../../kernel/ids.ts'
import { readConsistently } from '../../placement/explain/consistent-read.ts'
import { type Explanation, explainStill } from '../../placement/explain/explain.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import type { Change } from '../../world/change.ts'
import { NO_CHANGE } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { getOrCompute } from '../framework/memoize.ts'
import {
  type FilterNote,
  type FilterRefusal,
  type FunnelStep,
  type HistogramBar,
  type Judgement,
  makeFunnelOfAlike,
  makeHistogramOfAlike,
} from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { type Contribution, weighHosts } from '../framework/weighing.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { chooseHosts } from './choose.ts'
import { chooseAndClaim } from './claim.ts'
import { releaseServer } from './host-candidate.ts'
import { type AskRefusal, BEHAVIOUR, HostSelection, type ServerQuery } from './host-selection.ts'
import type { ScheduleOrder } from './place-servers.ts'
import { limitToTree, renderParameters, toCandidateRequest } from './query/placement-query.ts'
import { type RequestRemedy, requestRemedies } from './request-remedies.ts'
import type { ServerAsk } from './server-spec.ts'
import { HostColumns, type WorldHost } from './world-host.ts'

export interface HostReport {
  readonly host: string
  readonly provider: string
  /** What it lacks in Placement; empty if it has space. */
  readonly misses: readonly Miss[]
  /** The host was skipped: the server is there already, or the request names another host. */
  readonly isLeftOut: boolean
  readonly refusals: readonly FilterRefusal[]
  readonly notes: readonly FilterNote[]
  /** Null if it does not pass. */
  readonly weight: number | null
  readonly contributions: readonly Contribution[]
}

export interface ScheduleExplanation {
  readonly kind: 'explanation'
  readonly revision: number
  readonly parameters: readonly (readonly [string, string])[]
  readonly prefilters: ServerQuery['prefilters']
  readonly warnings: ServerQuery['warnings']
  readonly placement: Explanation
  /** The number of all hosts, of hosts with space, and of hosts that pass all filters. */
  readonly hosts: number
  readonly withRoom: number
  readonly passed: number
  readonly funnel: readonly FunnelStep[]
  /** Every reason of every filter, for hosts with space. */
  readonly histogram: readonly HistogramBar[]
  /** Hosts that pass, best first; then those with the fewest reasons. */
  readonly reports: readonly HostReport[]
  readonly changes: readonly RequestRemedy[]
}

type Seen = ScheduleExplanation | AskRefusal

/** Hosts between two calls of `pause`. */
const HOSTS_PER_TURN = 100

/**
 * Explains where a server would go, or why it would go nowhere. Every filter judges every host. `render` runs
 * before the world can change.
 */
export async function explainSchedule<T>(
  world: World,
  ask: ServerAsk,
  setup: SchedulingSetup,
  turn: () => Promise<void>,
  reportsMax: number,
  render: (explanation: ScheduleExplanation) => T,
): Promise<{ readonly kind: 'rendered'; readonly rendered: T } | AskRefusal | { readonly kind: 'restless' }> {
  const look = async (pause: () => Promise<void>) => {
    const seen = await new Look(world, ask, setup, pause, reportsMax).run()
    if (seen.kind !== 'explanation') return seen
    await pause()
    return { kind: 'rendered', rendered: render(seen) } as const
  }
  return (await readConsistently(world, turn, look)) ?? { kind: 'restless' }
}

/**
 * The change that must be applied before the first server without a host can be explained: it releases the
 * allocations of a server that moves, and places the earlier servers of a count.
 */
export function prepareChange(
  world: World,
  order: Omit<ScheduleOrder, 'alternates'>,
): { readonly change: Change; readonly instance: string } {
  const { ask, sourceHolder } = order
  const [first] = ask.instances as [string]
  if (ask.operation === 'move')
    return { change: sourceHolder === null ? releaseServer(world, first) : NO_CHANGE, instance: first }
  const whole = { ...order, alternates: 0 }
  const chosen = chooseHosts(world, whole)
  if (chosen.ok || chosen.refusal.kind !== 'no-host') return { change: NO_CHANGE, instance: first }
  const { placed } = chosen.refusal
  const earlier = { ...whole, ask: { ...ask, instances: ask.instances.slice(0, placed) } }
  const before = placed === 0 ? null : chooseAndClaim(world, { ...earlier, decision: '', rankedHosts: [] }, 0)
  const change = before?.ok === true ? before.change : NO_CHANGE
  return { change, instance: ask.instances[placed] as string }
}

/** A host with what all filters say about it. Valid until the world changes. */
interface JudgedHost {
  readonly slot: ProviderSlot
  readonly hasRoom: boolean
  readonly judgement: Judgement
}

/** Missing space counts as one reason. */
const RANK_WITHOUT_ROOM = 1

/** All hosts, counted by what the filters say; of those that fail, only as many as can be reported are kept. */
class Verdicts {
  readonly #keptMax: number
  hosts = 0
  withRoom = 0
  readonly passed: JudgedHost[] = []
  /** By the number of reasons. */
  readonly #failed = new Map<number, JudgedHost[]>()
  /** How many of them come before any further host without space. */
  #best = 0
  /** How many hosts with space have this judgement. */
  readonly #roomy = new Map<Judgement, number>()

  constructor(keptMax: number) {
    this.#keptMax = keptMax
  }

  add(one: JudgedHost): void {
    const { hasRoom, judgement } = one
    this.hosts++
    if (hasRoom) {
      this.withRoom++
      this.#roomy.set(judgement, (this.#roomy.get(judgement) ?? 0) + 1)
      if (judgement.refusals.length === 0) {
        this.passed.push(one)
        return
      }
    }
    let rank = hasRoom ? 0 : RANK_WITHOUT_ROOM
    for (const { reasons } of judgement.refusals) rank += reasons.length
    const alike = getOrCompute(this.#failed, rank, () => [])
    if (alike.length >= this.#keptMax) return
    alike.push(one)
    if (rank <= RANK_WITHOUT_ROOM) this.#best++
  }

  /** Counts a host without space that is not kept, whatever the filters say. Only if `hasEnough`. */
  addWithoutRoom(): void {
    this.hosts++
  }

  /** No further host without space can be among those that are kept. */
  get hasEnough(): boolean {
    return this.#best >= this.#keptMax
  }

  /** Those with the fewest reasons first. */
  listFailed(): JudgedHost[] {
    const byRank = [...this.#failed].sort(([a], [b]) => a - b)
    return byRank.flatMap(([, alike]) => alike).slice(0, this.#keptMax)
  }

  /** The refusals of hosts with space, and how many have them. */
  *listRefusals(): Generator<readonly [readonly FilterRefusal[], number]> {
    for (const [{ refusals }, hosts] of this.#roomy) yield [refusals, hosts]
  }
}

class Look {
  readonly #world: World
  readonly #ask: ServerAsk
  readonly #setup: SchedulingSetup
  readonly #pause: () => Promise<void>
  readonly #reportsMax: number

  constructor(
    world: World,
    ask: ServerAsk,
    setup: SchedulingSetup,
    pause: () => Promise<void>,
    reportsMax: number,
  ) {
    this.#world = world
    this.#ask = ask
    this.#setup = setup
    this.#pause = pause
    this.#reportsMax = reportsMax
  }

  async run(): Promise<Seen> {
    const selection = HostSelection.of(this.#world, this.#ask, this.#ask.instances[0] as string, this.#setup)
    if (!(selection instanceof HostSelection)) return selection
    const { query: serverQuery } = selection
    const { host } = this.#ask
    const isBound = serverQuery.placement.groups.some(({ inTree }) => inTree !== null)
    const query = host === null || isBound ? serverQuery.placement : limitToTree(serverQuery.placement, host)
    const request = toCandidateRequest(query)
    const placement = await explainStill(this.#world, request, BEHAVIOUR, this.#pause)
    if (placement.kind === 'refused') return { kind: 'unknown-name', refusal: placement.refusal }
    const verdicts = await this.#judgeAll(selection)
    const { hosts, withRoom, passed } = verdicts
    const reports = [
      ...this.#reportPassing(selection, passed),
      ...this.#reportFailing(selection, verdicts.listFailed(), missesByTree(this.#world, request)),
    ]
    const refusals = [...verdicts.listRefusals()]
    return {
      kind: 'explanation',
      revision: this.#world.revision,
      parameters: renderParameters(query),
      prefilters: serverQuery.prefilters,
      warnings: serverQuery.warnings,
      placement,
      hosts,
      withRoom,
      passed: passed.length,
      funnel: makeFunnelOfAlike(
        selection.pipeline.filters,
        refusals.map(([[first = null], alike]) => [first, alike]),
      ),
      histogram: makeHistogramOfAlike(refusals),
      reports: reports.slice(0, this.#reportsMax),
      changes: passed.length > 0 ? [] : await this.#tryChanges(refusals),
    }
  }

  async #judgeAll(selection: HostSelection): Promise<Verdicts> {
    const verdicts = new Verdicts(this.#reportsMax)
    const columns = new HostColumns(this.#world)
    for (const slot of listAllHosts(this.#world)) {
      const hasRoom = selection.hasSpace(slot) && !this.#isLeftOut(this.#world.providers.uuid(slot))
      if (!hasRoom && verdicts.hasEnough) verdicts.addWithoutRoom()
      else {
        const judgement = selection.pipeline.judge(selection.viewHost(slot, columns))
        verdicts.add({ slot, hasRoom, judgement })
      }
      if (verdicts.hosts % HOSTS_PER_TURN === 0) await this.#pause()
    }
    return verdicts
  }

  #isLeftOut(uuid: string): boolean {
    const { host, not_hosts } = this.#ask
    return not_hosts.includes(uuid) || (host !== null && host !== uuid)
  }

  #reportPassing(selection: HostSelection, passed: readonly JudgedHost[]): HostReport[] {
    const columns = new HostColumns(this.#world)
    const hosts = selection.withClaims(passed.map(({ slot }) => selection.viewHost(slot, columns)))
    const { weighers } = partsOf(this.#setup)
    const weighing = weighHosts(weighers, selection.query.request, hosts, this.#setup.settings)
    return weighing.ranking.slice(0, this.#reportsMax).map(at => ({
      ...this.#report(hosts[at] as WorldHost, passed[at] as JudgedHost, []),
      weight: weighing.weights[at] as number,
      contributions: weighing.listContributions(at),
    }))
  }

  #reportFailing(
    selection: HostSelection,
    failed: readonly JudgedHost[],
    missesOf: (root: ProviderSlot) => readonly Miss[],
  ): HostReport[] {
    return failed.map(one => {
      const host = selection.viewHost(one.slot)
      const lacks = !one.hasRoom && !this.#isLeftOut(host.uuid)
      return this.#report(host, one, lacks ? missesOf(one.slot) : [])
    })
  }

  #report(host: WorldHost, { judgement }: JudgedHost, misses: readonly Miss[]): HostReport {
    const { name, uuid } = host
    const { refusals, notes } = judgement
    return {
      host: name,
      provider: uuid,
      misses,
      refusals,
      notes,
      weight: null,
      contributions: [],
      isLeftOut: this.#isLeftOut(uuid),
    }
  }

  /** Changes of the request that help; each was tried. */
  async #tryChanges(
    alike: readonly (readonly [readonly FilterRefusal[], number])[],
  ): Promise<RequestRemedy[]> {
    const refusals = alike.flatMap(([all, hosts]) => all.map(one => [one, hosts] as const))
    const tried: RequestRemedy[] = []
    for (const { ask, ...remedy } of requestRemedies(this.#ask, refusals)) {
      const selection = HostSelection.of(this.#world, ask, ask.instances[0] as string, this.#setup)
      if (!(selection instanceof HostSelection)) continue
      let hosts = 0
      let looked = 0
      for (const host of selection.listHosts()) {
        if (selection.pipeline.passes(host)) hosts++
        if (++looked % HOSTS_PER_TURN === 0) await this.#pause()
      }
      if (hosts > 0) tried.push({ ...remedy, hosts })
    }
    // Advice to set another existing value comes first: a wrong value is the likelier mistake, and the flavor
    // keeps its requirement.
    const isSet = ({ kind }: RequestRemedy) => (kind === 'set-extra-spec' ? 1 : 0)
    return tried.sort((a, b) => isSet(b) - isSet(a) || b.hosts - a.hosts)
  }
}
