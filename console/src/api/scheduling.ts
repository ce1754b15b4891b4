import type { Boot } from '../../../src/wire/boot.ts'
import type {
  ComparedDecision,
  DecisionDetail,
  DecisionPage,
  ListedDecision,
  ReplayedDecision,
} from '../../../src/wire/decisions.ts'
import type { FilterVerdict } from '../../../src/wire/filters.ts'
import type { Fit } from '../../../src/wire/fit.ts'
import type { FlavorLandings, Violations } from '../../../src/wire/landing.ts'
import type { ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import type { AskBody, MoveBody, Scheduled } from '../../../src/wire/scheduling.ts'
import type { SimulateBody, Simulation } from '../../../src/wire/simulation.ts'
import { askJson, pathOf, queryOf } from './http.ts'

export const explainSchedule = (
  ask: AskBody & Partial<MoveBody>,
  hostsMax: number,
): Promise<ScheduleExplanation> =>
  askJson('/v1/explain/schedule', { method: 'POST', body: { ...ask, hosts_max: hostsMax } })

const DECISIONS_PER_PAGE = 200

/** A page, the newest first. Filters that are null or empty are left out. */
export function readDecisions(
  filters: Readonly<Record<string, string | null>>,
  marker: string | null,
): Promise<DecisionPage> {
  const given = Object.entries({ ...filters, marker }).filter(([, value]) => value !== null && value !== '')
  return askJson(`/v1/decisions${queryOf({ limit: DECISIONS_PER_PAGE, ...Object.fromEntries(given) })}`)
}

/** The decision of this id, or those about it. */
export const findDecisions = async (id: string): Promise<readonly ListedDecision[]> =>
  (await askJson<DecisionPage>(`/v1/decisions${queryOf({ q: id, limit: 5 })}`)).decisions

/** The newest first, 100 at most. */
export const readDecisionsAbout = async (instance: string): Promise<readonly ListedDecision[]> =>
  (await askJson<DecisionPage>(`/v1/decisions${queryOf({ instance, limit: 100 })}`)).decisions

export const readDecision = (id: string): Promise<DecisionDetail> => askJson(pathOf`/v1/decisions/${id}`)

/** All stages of one boot of Nova, by its request or its server. */
export const readBoot = (id: string): Promise<Boot> => askJson(pathOf`/v1/explain/boot/${id}`)

/** The request of a decision, exactly, on the present state. */
export const explainDecision = (id: string, hostsMax: number): Promise<ScheduleExplanation> =>
  askJson(pathOf`/v1/decisions/${id}/explain`, { method: 'POST', body: { hosts_max: hostsMax } })

/** What changed since, host by host. */
export const compareDecision = (id: string): Promise<ComparedDecision> =>
  askJson(pathOf`/v1/decisions/${id}/compare`, { method: 'POST', body: {} })

export const replayDecision = (id: string): Promise<ReplayedDecision> =>
  askJson(pathOf`/v1/decisions/${id}/replay`, { method: 'POST', body: {} })

/** A dry run of a new server; or with `instance`, of its move. */
export const dryRun = (ask: AskBody & Partial<MoveBody>): Promise<Scheduled> =>
  askJson(ask.instance === undefined ? '/v1/schedule' : '/v1/move', {
    method: 'POST',
    body: { ...ask, dry_run: true },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })

/** Which of these flavors the filter would pass on a host of an aggregate with this metadata. */
export const evaluateAggregate = async (
  flavors: readonly { readonly name: string; readonly extra_specs: Readonly<Record<string, string>> }[],
  metadata: Readonly<Record<string, string>>,
): Promise<readonly FilterVerdict[]> =>
  (
    await askJson<{ results: FilterVerdict[] }>('/v1/filters/AggregateInstanceTypeFilter/evaluate', {
      method: 'POST',
      body: {
        items: flavors.map(({ name, extra_specs }) => ({
          flavor: name,
          extra_specs,
          aggregates: [metadata],
        })),
      },
    })
  ).results

/** Of the first 500 flavors. */
export const readFit = (): Promise<Fit> => askJson('/v1/fit?limit=500')

export const simulate = (ask: SimulateBody): Promise<Simulation> =>
  askJson('/v1/simulate', { method: 'POST', body: ask })

/** A host by its name, or an aggregate by its number. */
export type LandingTarget = { readonly host: string } | { readonly aggregate: number }

const landingPath = (target: LandingTarget): string =>
  'host' in target ? pathOf`/v1/hosts/${target.host}` : pathOf`/v1/host-aggregates/${target.aggregate}`

export const readLandings = (target: LandingTarget, limit: number): Promise<FlavorLandings> =>
  askJson(`${landingPath(target)}/flavors${queryOf({ limit })}`)

export const readViolations = (target: LandingTarget, limit: number): Promise<Violations> =>
  askJson(`${landingPath(target)}/violations${queryOf({ limit })}`)
