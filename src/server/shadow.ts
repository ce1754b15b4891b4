import { randomUUID } from 'node:crypto'
import type { Config } from '../config/keys.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { readAuthorities } from '../http/ops/certificates.ts'
import type { Registry } from '../http/ops/metrics.ts'
import { systemClock } from '../kernel/clock.ts'
import { stripEnd } from '../kernel/strip.ts'
import type { PlacementContext } from '../placement/context.ts'
import { placementService } from '../placement/service.ts'
import type { ReportObserver } from '../shadow/report.ts'
import { listProcesses, type ShadowRow } from '../shadow/rules.ts'
import { Shadow, ShadowRefused } from '../shadow/start.ts'
import type { ServerParts } from './compose.ts'
import type { Engine } from './engine.ts'

export { ShadowRefused } from '../shadow/start.ts'

/** Placement accepted the request, so Berth's ledger follows, whatever Berth's own policy says. */
const trusting: Authenticator = {
  authenticate: () => ({
    userId: 'shadow',
    projectId: null,
    roles: ['admin', 'service', 'member', 'reader'],
    systemScope: false,
  }),
}

/** Null if no Placement is shadowed. */
export function newShadow(
  engine: Engine,
  parts: ServerParts,
  ownToken: (() => Promise<string>) | null,
  upToDate: () => Promise<void> | null,
): Shadow | null {
  const { config, log, store } = parts
  const { world, sequencer, metrics } = engine
  if (config.shadow_of === null) {
    const { row } = world.shadow
    refuseBesideShadow(row, store.isShared === true)
    if (row !== null && row.writes === 'berth' && row.is_ended === 0)
      log.warn('doubtful configuration', {
        text: 'writes are still queued for the Placement that was shadowed: set shadow_of, or run berth shadow end with it',
      })
    return null
  }
  const url = stripEnd(config.shadow_of, '/')
  const mount = config.only === 'placement' ? '' : '/placement'
  const path = new URL(url).pathname.replace(/\/$/, '')
  if (path !== mount)
    log.warn('doubtful configuration', {
      text: `Placement is at the path "${path || '/'}" and Berth at "${mount || '/'}": links in answers of Placement lead past Berth; use --only placement, or the same path`,
    })
  const shadow: Shadow = new Shadow({
    url,
    mount,
    timeoutMs: config.shadow_timeout_ms,
    authorities: config.shadow_ca_file === null ? null : readAuthorities(config.shadow_ca_file),
    sweepPerSecond: config.shadow_sweep_per_second,
    bodyBytesMax: config.max_body_bytes,
    member: randomUUID(),
    world,
    store,
    sequencer,
    clock: systemClock,
    log,
    observer: observeShadow(metrics, log, () => shadow),
    dryService: placementService(dryContext(engine, config)),
    trusting,
    signIn: signInOf(config, ownToken),
    upToDate,
  })
  return shadow
}

/** The server would answer by itself, beside processes that ask the Placement. */
function refuseBesideShadow(row: ShadowRow | null, isShared: boolean): void {
  if (row === null || !isShared || row.is_ended === 1) return
  const others = listProcesses(row, systemClock.nowMs()).length
  if (others > 0)
    throw new ShadowRefused(
      `${others} other processes on this database shadow a Placement, and this one would answer without it: ` +
        'set shadow_of as they do, or stop them first',
    )
}

/** Decides writes without applying them. */
function dryContext({ world, sequencer }: Engine, settings: Config): PlacementContext {
  const dry = {
    submit: async (command: never) => sequencer.foresee(command),
    get head() {
      return sequencer.head
    },
  }
  return {
    world,
    sequencer: dry as unknown as PlacementContext['sequencer'],
    settings,
    clock: systemClock,
    newSeed: () => 0,
  }
}

/** This server's credentials for the Placement. */
function signInOf(config: Config, ownToken: (() => Promise<string>) | null) {
  return async (): Promise<Record<string, string>> => {
    if (config.shadow_token !== null) return { 'x-auth-token': config.shadow_token, ...rolesOf(config) }
    if (ownToken !== null) return { 'x-auth-token': await ownToken() }
    return { 'x-auth-token': 'admin', ...rolesOf(config) }
  }
}

/** A Placement without authentication trusts the roles in requests too. */
const rolesOf = ({ auth }: Config): Record<string, string> =>
  auth === 'noauth2' ? { 'x-roles': 'admin,service,member,reader' } : {}

export function observeShadow(
  registry: Registry,
  log: ServerParts['log'],
  shadow: () => Shadow,
): ReportObserver {
  const compared = registry.counter(
    'berth_shadow_requests_total',
    'Requests that Berth and the shadowed Placement both answered, by what came of comparing: `equal`, `known` (an error of Placement that is known), `different`, `raced`, `skipped`, `unknown`, `failed`.',
    ['method', 'route', 'outcome'],
  )
  const repairs = registry.counter(
    'berth_shadow_repairs_total',
    'Differences between the ledgers that were repaired, by the side that was changed; `none`: it could not be.',
    ['side'],
  )
  const seconds = registry.histogram(
    'berth_shadow_seconds',
    'Time of one answer, of the shadowed Placement and of Berth.',
    ['side'],
  )
  registry.gauge(
    'berth_shadow_backlog',
    'What is still to be done: `to_send` are writes that wait for the shadowed Placement.',
    () => Object.entries(shadow().backlog).map(([kind, value]) => ({ labels: [kind], value })),
    ['kind'],
  )
  registry.gauge(
    'berth_shadow_answers',
    '1 for the side that answers reads and writes.',
    () => {
      const { reads, writes } = shadow().control.modes
      return [
        { labels: ['reads', reads], value: 1 },
        { labels: ['writes', writes], value: 1 },
      ]
    },
    ['group', 'side'],
  )
  return {
    counted: (method, route, outcome) => compared.add([method, route, outcome]),
    differed({ request_id, method, path, what, known, placement, berth }) {
      if (known === null)
        log.warn('Berth and Placement differ', {
          request_id,
          method,
          path,
          what,
          placement: placement?.status,
          berth: berth?.status,
        })
    },
    repaired({ why, what, repaired }) {
      repairs.add([repaired ?? 'none'])
      log.warn('ledgers differed', { why, what, repaired })
    },
    took: (side, ms) => seconds.observe([side], ms / 1000),
  }
}
