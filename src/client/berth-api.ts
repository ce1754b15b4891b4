import type { Activity } from '../wire/activity.ts'
import type { AuditPage, StaticToken } from '../wire/admin.ts'
import type { ApplyReport } from '../wire/apply.ts'
import type { Attention } from '../wire/attention.ts'
import type { Boot } from '../wire/boot.ts'
import type { CatalogCheck, CatalogDrift, DriftAsk } from '../wire/catalog-check.ts'
import type { CatalogImportReport } from '../wire/catalog-import.ts'
import { CONSUMERS_FOUND_MAX, type Consumer, type FoundConsumer } from '../wire/consumers.ts'
import type { ComparedDecision, DecisionDetail, DecisionPage, ReplayedDecision } from '../wire/decisions.ts'
import type { Explanation } from '../wire/explanation.ts'
import type { Failure } from '../wire/failure.ts'
import type { Fit, FlavorFit } from '../wire/fit.ts'
import type { FleetProvider } from '../wire/fleet.ts'
import type { Forecasts, History } from '../wire/history.ts'
import type { ChangedHosts, HostsPreview, UndoneHosts } from '../wire/host-changes.ts'
import type { Host } from '../wire/hosts.ts'
import type { FlavorLanding, FlavorLandings, Violations } from '../wire/landing.ts'
import type { CheckedPlan, ServerPlan } from '../wire/plan.ts'
import type { PullBody, PullReport } from '../wire/pull.ts'
import type { Reservation } from '../wire/reservations.ts'
import type { ScheduleExplanation } from '../wire/schedule-explanation.ts'
import type { Rebuilt, Scheduled } from '../wire/scheduling.ts'
import type { ShadowDifferences, ShadowStatus, ShadowSwitch, ShadowSwitched } from '../wire/shadow.ts'
import type { Simulation } from '../wire/simulation.ts'
import type { ImportReport } from '../wire/transfer.ts'
import { eventsOf, type OpenStream } from './events.ts'
import { parseAnswer, Refused, Unreachable } from './failure.ts'
import type { Ask, HttpClient } from './http.ts'
import { ndjsonOf } from './lines.ts'
import { versionHeader } from './placement.ts'

/** A stream of bytes, and the revision it shows. */
interface Streamed {
  readonly revision: number | null
  /** How many bytes will come, if the server knows. */
  readonly bytesTotal: number | null
  readonly bytes: AsyncIterable<Uint8Array>
}

type Fields = Readonly<Record<string, unknown>>

/** By name; an aggregate also by number or uuid. */
export type LandingTarget = { readonly host: string } | { readonly aggregate: string }

const pathOf = (target: LandingTarget): string =>
  'host' in target
    ? `/v1/hosts/${encodeURIComponent(target.host)}`
    : `/v1/host-aggregates/${encodeURIComponent(target.aggregate)}`

/** The requests of Berth's own API, below /v1. */
export class BerthApi {
  readonly #http: HttpClient

  constructor(http: HttpClient) {
    this.#http = http
  }

  fleet(query: string, signal?: AbortSignal): Promise<Streamed> {
    return this.#stream('/v1/fleet', 'application/x-ndjson', { query, ...(signal && { signal }) })
  }

  async *fleetProviders(query: string): AsyncGenerator<FleetProvider> {
    yield* ndjsonOf<FleetProvider>((await this.fleet(query)).bytes)
  }

  /** What changed after a position; null is from now on. */
  async changes(after: string | null, signal: AbortSignal): Promise<OpenStream> {
    const answer = await this.#send('GET', '/v1/changes', {
      headers: { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) },
      signal,
      patient: true,
    })
    return { events: eventsOf(this.#http.bytes(answer)), position: answer.headers.get('berth-revision') }
  }

  attention(items: number): Promise<Attention> {
    return this.#json('GET', '/v1/attention', { query: `items=${items}` })
  }

  activity(query: string): Promise<Activity> {
    return this.#json('GET', '/v1/activity', { query })
  }

  history(query: string): Promise<History> {
    return this.#json('GET', '/v1/history', { query })
  }

  forecast(query: string): Promise<Forecasts> {
    return this.#json('GET', '/v1/forecast', { query })
  }

  audit(query: string): Promise<AuditPage> {
    return this.#http.json('GET', '/v1/audit', { query })
  }

  async tokens(): Promise<StaticToken[]> {
    return (await this.#http.json<{ tokens: StaticToken[] }>('GET', '/v1/tokens')).tokens
  }

  createToken(json: object): Promise<StaticToken> {
    return this.#http.json('POST', '/v1/tokens', { json })
  }

  revokeToken(name: string): Promise<StaticToken> {
    return this.#http.json('DELETE', `/v1/tokens/${encodeURIComponent(name)}`)
  }

  learnTraits(traits: readonly string[]): Promise<{ added: string[] }> {
    return this.#http.json('POST', '/v1/standard-traits', { json: { traits } })
  }

  async shadow(): Promise<ShadowStatus['shadow']> {
    return (await this.#http.json<ShadowStatus>('GET', '/v1/shadow')).shadow
  }

  shadowDifferences(includesKnown: boolean): Promise<ShadowDifferences> {
    return this.#http.json('GET', '/v1/shadow/differences', includesKnown ? { query: 'known=true' } : {})
  }

  sweepShadow(): Promise<ShadowStatus> {
    return this.#http.json('POST', '/v1/shadow/sweep')
  }

  setShadow(json: ShadowSwitch): Promise<ShadowSwitched> {
    return this.#http.json('PUT', '/v1/shadow', { json, patient: true })
  }

  endShadow(force: boolean): Promise<ShadowSwitched> {
    return this.#http.json('POST', '/v1/shadow/end', { json: { force }, patient: true })
  }

  export(): Promise<Streamed> {
    return this.#stream('/v1/export', 'application/x-ndjson')
  }

  async import(
    body: AsyncIterable<Uint8Array>,
    { exactGenerations = false }: { readonly exactGenerations?: boolean } = {},
  ): Promise<ImportReport> {
    const headers = { 'content-type': 'application/x-ndjson' }
    const query = exactGenerations ? 'exact_generations=true' : ''
    const answer = await this.#send('POST', '/v1/import', { query, headers, body, patient: true })
    return parseAnswer<ImportReport>(await this.#http.text(answer), 'the answer')
  }

  /** The definitions are JSON text, so that their numbers keep their digits. */
  async importDefinitions(definitions: readonly string[], query: string): Promise<CatalogImportReport> {
    const bytes = new TextEncoder().encode(`{"definitions":[${definitions.join(',')}]}`)
    const body = (async function* () {
      yield bytes
    })()
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#send('POST', '/v1/catalog/import', { query, headers, body, patient: true })
    return parseAnswer<CatalogImportReport>(await this.#http.text(answer), 'the answer')
  }

  /** `{"definitions": [...]}` as text. */
  async exportDefinitions(query: string): Promise<string> {
    return this.#http.text(await this.#send('GET', '/v1/catalog/export', { query, patient: true }))
  }

  consumer(uuid: string): Promise<Consumer> {
    return this.#json('GET', `/v1/consumers/${encodeURIComponent(uuid)}`)
  }

  findConsumers(q: string): Promise<{ consumers: FoundConsumer[]; truncated: boolean }> {
    const query = new URLSearchParams({ q, limit: String(CONSUMERS_FOUND_MAX) }).toString()
    return this.#json('GET', '/v1/consumers', { query })
  }

  /** How many more servers of each flavor fit, page by page. */
  async fit(pairs: readonly (readonly [name: string, value: string])[]): Promise<Fit> {
    const flavors: FlavorFit[] = []
    for (;;) {
      const after = flavors.at(-1)?.id
      const query = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))
      if (after !== undefined) query.set('after', after)
      const page: Fit = await this.#json('GET', '/v1/fit', { query: query.toString(), patient: true })
      flavors.push(...page.flavors)
      if (!page.truncated) return { ...page, flavors }
    }
  }

  /** Every host, page by page. */
  async hosts(): Promise<Host[]> {
    const found: Host[] = []
    for (;;) {
      const after = found.at(-1)?.name
      const query = after === undefined ? '' : new URLSearchParams({ after }).toString()
      const page = await this.#json<{ hosts: Host[]; truncated: boolean }>('GET', '/v1/hosts', { query })
      found.push(...page.hosts)
      if (!page.truncated) return found
    }
  }

  /** Every flavor and whether it may land on a host or an aggregate, page by page. */
  async landings(target: LandingTarget, project: string | undefined): Promise<FlavorLandings> {
    const flavors: FlavorLanding[] = []
    for (;;) {
      const after = flavors.at(-1)?.id
      const query = new URLSearchParams({
        ...(project === undefined ? {} : { project_id: project }),
        ...(after === undefined ? {} : { after }),
      }).toString()
      const page: FlavorLandings = await this.#json('GET', `${pathOf(target)}/flavors`, { query })
      flavors.push(...page.flavors)
      if (!page.truncated) return { ...page, flavors }
    }
  }

  /** Every server that breaks rules of a host or an aggregate, page by page. */
  async violations(target: LandingTarget): Promise<Violations> {
    let all: Violations = { servers: 0, unknown: 0, violations: [], next: null }
    do {
      const query = all.next === null ? '' : new URLSearchParams({ after: all.next }).toString()
      const page: Violations = await this.#json('GET', `${pathOf(target)}/violations`, { query })
      all = {
        servers: all.servers + page.servers,
        unknown: all.unknown + page.unknown,
        violations: [...all.violations, ...page.violations],
        next: page.next,
      }
    } while (all.next !== null)
    return all
  }

  host(name: string): Promise<Host> {
    return this.#json('GET', `/v1/hosts/${encodeURIComponent(name)}`)
  }

  async addHost(fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#json('POST', '/v1/hosts', { json: fields })
  }

  async setHost(name: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#json('PUT', `/v1/hosts/${encodeURIComponent(name)}`, { json: fields })
  }

  changeHosts(change: Readonly<Record<string, unknown>>): Promise<ChangedHosts> {
    return this.#json('POST', '/v1/hosts/change', { json: change })
  }

  previewHosts(change: Readonly<Record<string, unknown>>): Promise<HostsPreview> {
    return this.#json('POST', '/v1/hosts/preview', { json: change, patient: true })
  }

  undoHosts(revision: number): Promise<UndoneHosts> {
    return this.#json('POST', '/v1/hosts/undo', { json: { revision } })
  }

  async removeHost(name: string): Promise<void> {
    await this.#json('DELETE', `/v1/hosts/${encodeURIComponent(name)}`)
  }

  apply(declarations: unknown, query: string): Promise<ApplyReport> {
    return this.#json('POST', '/v1/apply', { query, json: declarations, patient: true })
  }

  pull(cloud: string, body: PullBody): Promise<PullReport> {
    return this.#json('POST', `/v1/pull/${encodeURIComponent(cloud)}`, { json: body, patient: true })
  }

  backup(): Promise<Streamed> {
    return this.#stream('/v1/backup', 'application/vnd.sqlite3')
  }

  async explain(query: string, version: string | null): Promise<Explanation> {
    const headers = version === null ? {} : versionHeader(version)
    const answer = await this.#send('GET', '/v1/explain/allocation_candidates', { query, headers })
    return parseAnswer<Explanation>(await this.#http.text(answer), 'the answer')
  }

  /** All that scheduling takes goes as it is: the server knows the fields. */
  schedule(body: Fields): Promise<Scheduled> {
    return this.#json('POST', '/v1/schedule', { json: body })
  }

  move(body: Fields): Promise<Scheduled> {
    return this.#json('POST', '/v1/move', { json: body })
  }

  rebuild(body: Fields): Promise<Rebuilt> {
    return this.#json('POST', '/v1/rebuild', { json: body })
  }

  explainSchedule(body: Fields): Promise<ScheduleExplanation> {
    return this.#json('POST', '/v1/explain/schedule', { json: body, patient: true })
  }

  explainBoot(id: string): Promise<Boot> {
    return this.#json('GET', `/v1/explain/boot/${encodeURIComponent(id)}`, { patient: true })
  }

  plan(body: Fields): Promise<ServerPlan> {
    return this.#json('POST', '/v1/plan', { json: body, patient: true })
  }

  checkPlan(body: Fields): Promise<CheckedPlan> {
    return this.#json('POST', '/v1/plan/check', { json: body, patient: true })
  }

  reservations(): Promise<{ readonly reservations: readonly Reservation[] }> {
    return this.#json('GET', '/v1/reservations')
  }

  reservation(name: string): Promise<Reservation> {
    return this.#json('GET', `/v1/reservations/${encodeURIComponent(name)}`)
  }

  createReservation(body: Fields): Promise<Reservation> {
    return this.#json('POST', '/v1/reservations', { json: body, patient: true })
  }

  deleteReservation(name: string): Promise<{ readonly freed: number }> {
    return this.#json('DELETE', `/v1/reservations/${encodeURIComponent(name)}`)
  }

  simulateFailure(body: Fields): Promise<Failure> {
    return this.#json('POST', '/v1/simulate/failure', { json: body, patient: true })
  }

  simulate(body: Fields): Promise<Simulation> {
    return this.#json('POST', '/v1/simulate', { json: body, patient: true })
  }

  decisions(query: string): Promise<DecisionPage> {
    return this.#json('GET', '/v1/decisions', { query })
  }

  decision(id: string): Promise<DecisionDetail> {
    return this.#json('GET', `/v1/decisions/${encodeURIComponent(id)}`)
  }

  explainDecision(id: string, json: object): Promise<ScheduleExplanation> {
    return this.#json('POST', `/v1/decisions/${encodeURIComponent(id)}/explain`, { json, patient: true })
  }

  compareDecision(id: string): Promise<ComparedDecision> {
    return this.#json('POST', `/v1/decisions/${encodeURIComponent(id)}/compare`, { patient: true })
  }

  replay(id: string): Promise<ReplayedDecision> {
    return this.#json('POST', `/v1/decisions/${encodeURIComponent(id)}/replay`, { patient: true })
  }

  async checkSpecs(resourceType: string, specs: Readonly<Record<string, string>>): Promise<CatalogCheck> {
    const json = { resource_type: resourceType, specs }
    const answer = await this.#send('POST', '/v1/catalog/check', { json })
    return parseAnswer<CatalogCheck>(await this.#http.text(answer), 'the answer')
  }

  /** Of what the server has, or of what is given. */
  async drift(given: DriftAsk | null): Promise<CatalogDrift> {
    const path = '/v1/catalog/drift'
    const answer =
      given === null ? await this.#send('GET', path, {}) : await this.#send('POST', path, { json: given })
    return parseAnswer<CatalogDrift>(await this.#http.text(answer), 'the answer')
  }

  async #json<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.#send(method, path, ask)
    return parseAnswer<T>(await this.#http.text(answer), 'the answer')
  }

  async #stream(path: string, mediaType: string, ask: Ask = {}): Promise<Streamed> {
    const headers = { accept: `${mediaType}, application/problem+json` }
    const answer = await this.#send('GET', path, { ...ask, headers, patient: true })
    return {
      revision: numberOrNull(answer.headers.get('berth-revision')),
      bytesTotal: numberOrNull(answer.headers.get('content-length')),
      bytes: this.#http.bytes(answer),
    }
  }

  async #send(method: string, path: string, ask: Ask): Promise<Response> {
    try {
      return await this.#http.send(method, path, ask)
    } catch (error) {
      if (isRouteMissing(error)) throw new NoBerthApi(this.#http.url, path)
      throw error
    }
  }
}

/** Something answers, but not with Berth's own API. */
export class NoBerthApi extends Unreachable {
  override name = 'NoBerthApi'

  constructor(url: string, path: string) {
    super(url, `it has no ${path}: it is not a Berth, or an older one, or this is not its root`)
  }
}

/** The routes of /v1 that name something answer 404 with their own code. */
const isRouteMissing = (error: unknown): boolean =>
  error instanceof Refused && error.status === 404 && (error.code === null || error.code === 'route.missing')

const numberOrNull = (text: string | null): number | null =>
  text === null || text === '' ? null : Number(text)
