/** Compares the explanation with one that asks every filter about every host and shares nothing between them. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import type { World } from '../../world/world.ts'
import { keyOf, type Reason } from '../framework/refusal.ts'
import { DEFAULT_SETUP, partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { explainSchedule, type HostReport, type ScheduleExplanation } from './explain.ts'
import { HostSelection } from './host-selection.ts'
import { toCandidateRequest } from './query/placement-query.ts'
import { type RequestRemedy, requestRemedies } from './request-remedies.ts'
import type { ServerAsk } from './server-spec.ts'
import { askOf, recordHosts, smallAsk, smallHosts } from './small-hosts.fixture.ts'

const RUNS = countRuns(200)
const REPORTS_MAX = 3

/** All filters, with limits that small clouds reach. */
const FULL_SETUP: SchedulingSetup = {
  ...DEFAULT_SETUP,
  filters: [...DEFAULT_SETUP.filters, 'AggregateInstanceExtraSpecsFilter', 'NumInstancesFilter'],
  settings: { ...DEFAULT_SETUP.settings, maxInstancesPerHost: 1 },
}

const select = (world: World, ask: ServerAsk, setup: SchedulingSetup): HostSelection | null => {
  const selection = HostSelection.of(world, ask, ask.instances[0] as string, setup)
  return selection instanceof HostSelection ? selection : null
}

/** What each filter says about each host that is asked about alone. */
function judgePlainly(world: World, selection: HostSelection, ask: ServerAsk, setup: SchedulingSetup) {
  const { filters } = partsOf(setup)
  const { request, placement } = selection.query
  const missesOf = missesByTree(world, toCandidateRequest(placement))
  return listAllHosts(world).map(slot => {
    const host = selection.viewHost(slot)
    const isLeftOut = ask.host !== null && ask.host !== host.uuid
    const hasRoom = !isLeftOut && selection.findCandidate(host) !== null
    const refusals = filters.flatMap(filter => {
      const verdict = filter.check(request, host, setup.settings)
      return verdict.passes ? [] : [{ filter: filter.name, reasons: verdict.reasons }]
    })
    const { name, uuid } = host
    return { name, uuid, hasRoom, isLeftOut, refusals, misses: hasRoom || isLeftOut ? [] : missesOf(slot) }
  })
}
type Judged = ReturnType<typeof judgePlainly>[number]

const reasonsOf = ({ refusals }: Judged): readonly (readonly [string, Reason])[] =>
  refusals.flatMap(({ filter, reasons }) => reasons.map(reason => [filter, reason] as const))

function listBars(roomy: readonly Judged[]) {
  const barOf = ([filter, reason]: readonly [string, Reason]) =>
    JSON.stringify({ filter, code: reason.code, key: keyOf(reason) })
  const bars = roomy.map(one => [...new Set(reasonsOf(one).map(barOf))])
  return [...new Set(bars.flat())].map(bar => ({
    ...JSON.parse(bar),
    hosts: bars.filter(mine => mine.includes(bar)).length,
    onlyReason: bars.filter(mine => mine.length === 1 && mine[0] === bar).length,
  }))
}

function tryPlainly(world: World, ask: ServerAsk, setup: SchedulingSetup, roomy: readonly Judged[]) {
  const found: RequestRemedy[] = []
  const refusals = roomy.flatMap(one => one.refusals.map(refusal => [refusal, 1] as const))
  for (const { ask: other, ...remedy } of requestRemedies(ask, refusals)) {
    const selection = select(world, other, setup)
    if (selection === null) continue
    const all = judgePlainly(world, selection, other, setup)
    const hosts = all.filter(one => one.hasRoom && one.refusals.length === 0).length
    if (hosts > 0) found.push({ ...remedy, hosts } as RequestRemedy)
  }
  return found
}

async function explained(world: World, ask: ServerAsk, setup: SchedulingSetup): Promise<ScheduleExplanation> {
  const turn = async () => undefined
  const answer = await explainSchedule(world, ask, setup, turn, REPORTS_MAX, seen => seen)
  if (answer.kind !== 'rendered') throw new Error(answer.kind)
  return answer.rendered
}

const sorted = (all: readonly unknown[]): string[] => all.map(one => JSON.stringify(one)).sort()

function compare(world: World, ask: ServerAsk, setup: SchedulingSetup, seen: ScheduleExplanation): void {
  const selection = select(world, ask, setup) as HostSelection
  const all = judgePlainly(world, selection, ask, setup)
  const roomy = all.filter(one => one.hasRoom)
  const passed = roomy.filter(one => one.refusals.length === 0)
  expect([seen.hosts, seen.withRoom, seen.passed]).toEqual([all.length, roomy.length, passed.length])
  expect(sorted(seen.histogram)).toEqual(sorted(listBars(roomy)))
  const views = listAllHosts(world).map(slot => selection.viewHost(slot))
  const withRoom = views.filter((_, at) => all[at]?.hasRoom)
  expect(seen.funnel).toEqual(selection.pipeline.runFilters(withRoom).funnel)
  expect(seen.changes.toSorted(byText)).toEqual(
    (passed.length > 0 ? [] : tryPlainly(world, ask, setup, roomy)).toSorted(byText),
  )
  const failed = all.filter(one => !passed.includes(one))
  const rank = (one: Judged) => (one.hasRoom ? 0 : 1) + reasonsOf(one).length
  const told = seen.reports.filter(one => one.weight === null)
  expect(told.map(plainReport)).toEqual(
    failed
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, told.length)
      .map(plainReport),
  )
  expect(seen.reports.length).toBe(Math.min(REPORTS_MAX, all.length))
  expect(seen.reports.length - told.length).toBe(Math.min(REPORTS_MAX, passed.length))
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const plainReport = (one: Judged | HostReport) => ({
  uuid: 'uuid' in one ? one.uuid : one.provider,
  isLeftOut: one.isLeftOut,
  misses: one.misses,
  refusals: one.refusals,
})

test('hosts that are judged together are told as those that are judged alone', async () => {
  let refused = 0
  let helped = 0
  await fc.assert(
    fc.asyncProperty(
      smallHosts,
      fc.array(smallAsk, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(DEFAULT_SETUP, FULL_SETUP),
      async (cloud, smalls, setup) => {
        const told = recordHosts(cloud)
        for (const [nth, small] of smalls.entries()) {
          const ask = askOf(small, nth, cloud.hosts.length)
          const seen = await explained(told.world, ask, setup)
          compare(told.world, ask, setup, seen)
          if (seen.passed === 0) refused++
          if (seen.changes.length > 0) helped++
          const order = { ask, setup, seed: 1, decision: 'd', alternates: 0, sourceHolder: null }
          const placed = chooseAndClaim(told.world, { ...order, rankedHosts: [] }, 0)
          if (placed.ok) told.apply(placed.change)
        }
      },
    ),
    { numRuns: RUNS },
  )
  expect(refused).toBeGreaterThan(RUNS / 10)
  expect(helped).toBeGreaterThan(RUNS / 10)
})
