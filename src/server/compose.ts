import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/keys.ts'
import { schedulingWarnings } from '../config/scheduling-setup.ts'
import type { TlsFiles } from '../http/ops/certificates.ts'
import type { Log } from '../http/ops/log.ts'
import { BerthServer } from '../http/server.ts'
import { StaticFiles } from '../http/static-files.ts'
import type { WholePolicy } from '../identity/policy/compile-policy.ts'
import { loadPolicy } from '../identity/policy/load.ts'
import { systemClock } from '../kernel/clock.ts'
import { providerSlot } from '../kernel/ids.ts'
import type { CloudPlace } from '../openstack/cloud/clouds-file.ts'
import type { Shadow } from '../shadow/start.ts'
import { requireRootsApart } from '../shares/backends/backends.file.ts'
import { openDriver } from '../shares/drivers/open.driver.ts'
import { ShareWorker } from '../shares/worker/share-worker.loop.ts'
import { findEngineName } from '../store/engines.ts'
import type { Store } from '../store/store.ts'
import type { UsageRecorder } from '../usage-history/recorder.loop.ts'
import { RefusedRequests } from '../v1/explain/refused-requests.loop.ts'
import type { ReservationKeeper } from '../v1/reservations/keeper.loop.ts'
import { type Engine, startEngine } from './engine.ts'
import { composeIdentity, proxyWarnings } from './identity.ts'
import { mountServices, SERVICE_CATALOG } from './mounts.ts'
import { addPlacementUp } from './observers.ts'
import { addBuildInfo, addProcessMetrics, readOpenFilesMax } from './process-metrics.ts'
import { addReconcileMetrics, ReconcileCheck } from './reconcile-check.ts'
import { newReservationKeeper } from './reservation-keeper.ts'
import { ownPaths, seedStore } from './seed.ts'
import { newShadow } from './shadow.ts'
import { newUsageRecorder } from './usage-recorder.ts'

/** All parts of a server, connected but not listening yet. */
export interface ComposedServer extends Engine {
  readonly server: BerthServer
  readonly shareWorker: ShareWorker
  readonly refusals: RefusedRequests | null
  readonly reconcileCheck: ReconcileCheck
  readonly reservationKeeper: ReservationKeeper
  /** Null if usage is not recorded. */
  readonly usageRecorder: UsageRecorder | null
  /** Null if no Placement is shadowed. */
  readonly shadow: Shadow | null
}

export interface ServerParts {
  readonly config: Config
  readonly store: Store
  /** Where the store is. */
  readonly place: string
  /** Which acknowledged writes a crash of the database may lose; null for none. */
  readonly mayLose: string | null
  readonly log: Log
  readonly version: string
  /** The admin token; null without authentication. */
  readonly token: string | null
  readonly consoleDirectory: string | null
  /** Null for plain HTTP. */
  readonly tls: TlsFiles | null
  /** The configuration files. */
  readonly configFiles: readonly string[]
  /** Where clouds.yaml is looked for. */
  readonly cloudPlace: CloudPlace
}

export async function composeServer(parts: ServerParts): Promise<ComposedServer> {
  const { config, log } = parts
  for (const text of [...schedulingWarnings(config), ...proxyWarnings(config)])
    log.warn('doubtful configuration', { text })
  const engine = await startEngine(parts)
  await seedStore(engine, parts)
  await requireRootsApart(engine.world, ownPaths(parts))
  const policy = await loadPolicy(config.rbac, config.policy_file)
  for (const { name, line } of policy.unused)
    log.warn('a line of the policy file has no effect', { line, operation: name })
  const shareWorker = newShareWorker(engine, parts)
  const refusals = newRefusedRequests(engine, parts)
  const reconcileCheck = newReconcileCheck(engine, parts)
  const reservationKeeper = newReservationKeeper(engine, parts)
  const workers = { shareWorker, refusals, reconcileCheck, reservationKeeper }
  const usageRecorder = newUsageRecorder(engine, parts)
  return { ...engine, ...workers, usageRecorder, ...newServer(engine, parts, policy, workers) }
}

/** Null if none are stored. */
function newRefusedRequests(
  { world, sequencer }: Engine,
  { config, log }: ServerParts,
): RefusedRequests | null {
  const perHour = config.refused_requests_per_hour
  if (perHour === 0) return null
  // What is stored after the answer was sent belongs neither to its caller nor to its trace.
  const runOutside = AsyncLocalStorage.snapshot()
  return new RefusedRequests({
    world,
    clock: systemClock,
    newUuid: randomUUID,
    log: () => log,
    put: rows => runOutside(() => sequencer.submit({ kind: 'scheduling:note-decision' }, () => rows)),
    perHour,
  })
}

function newReconcileCheck({ metrics }: Engine, parts: ServerParts): ReconcileCheck {
  const { config, store, log, cloudPlace: place } = parts
  const check = new ReconcileCheck({
    cloud: config.reconcile_cloud,
    intervalMs: config.reconcile_interval_seconds * 1_000,
    clock: systemClock,
    store,
    log,
    place,
  })
  if (config.reconcile_cloud !== null) addReconcileMetrics(metrics, () => check.figures)
  return check
}

function newShareWorker({ world, sequencer }: Engine, parts: ServerParts): ShareWorker {
  const { store, config, log } = parts
  const quotaCommand = config.share_quota_command?.split(/\s+/).filter(word => word !== '') ?? []
  return new ShareWorker({
    world,
    sequencer,
    log,
    newUuid: randomUUID,
    nowMs: () => systemClock.nowMs(),
    holder: randomUUID(),
    isAlone: store.isShared !== true,
    leaseMs: config.share_lease_ms,
    open: row =>
      openDriver(row.driver, {
        id: world.providers.uuid(providerSlot(row.provider_id)),
        backend: world.providers.name(providerSlot(row.provider_id)),
        settings: world.shares.parseColumn(row.settings),
        quotaCommand,
        ownPaths: ownPaths(parts),
      }),
  })
}

function newServer(
  engine: Engine,
  parts: ServerParts,
  policy: WholePolicy,
  workers: Pick<ComposedServer, 'shareWorker' | 'refusals' | 'reconcileCheck' | 'reservationKeeper'>,
): { readonly server: BerthServer; readonly shadow: Shadow | null } {
  const { config, store, log, token, version } = parts
  const { world, sequencer, follower, watch } = engine
  addBuildInfo(engine.metrics, version, findEngineName(config.database))
  addProcessMetrics(engine.metrics)
  const unready = () => sequencer.broken?.message ?? follower.unready ?? watch.unready
  addPlacementUp(engine.metrics, unready)
  const identity = composeIdentity({ config, world, sequencer, store, log, policy, token }, SERVICE_CATALOG)
  const upToDate = () =>
    sequencer.broken === null ? follower.waitUntilFresh() : Promise.reject(sequencer.broken)
  const shadow = newShadow(engine, parts, identity.ownToken, upToDate)
  const server = new BerthServer({
    services: mountServices({
      engine,
      server: parts,
      policy,
      ...workers,
      identity,
      shadow,
    }),
    authenticator: identity.authenticator,
    policy,
    upToDate,
    cors: config.cors_allowed_origin.length === 0 ? null : { allowedOrigins: config.cors_allowed_origin },
    limits: {
      bodyBytesMax: config.max_body_bytes,
      urlBytesMax: config.max_header_bytes,
      headerBytesMax: config.max_header_bytes,
      requestMsMax: config.request_timeout_ms,
    },
    connections: computeConnectionLimit(),
    admission: { waitingMax: config.max_waiting_requests, waitMsMax: config.max_wait_ms },
    metrics: engine.metrics,
    log,
    health: {
      // Whoever sends only to servers that are ready should go on.
      unready: () => (shadow?.isForwarding === true ? null : unready()),
      warning: engine.lastWriteError,
      mayLose: parts.mayLose,
    },
    healthcheck: {
      disableFiles: config.healthcheck_disable_files,
      enableFiles: config.healthcheck_enable_files,
      isDetailed: config.healthcheck_detailed,
    },
    trustProxy: config.trust_proxy,
    files: openConsole(parts),
    indexFacts: { version, auth: config.auth, ...(shadow === null ? {} : { shadow: true }) },
    tls: parts.tls,
    compresses: config.compress_answers,
    tracer: engine.tracing?.tracer ?? null,
    // Open streams would keep a stopping server from ever finishing.
    beforeClose: () => engine.feed.close(),
  })
  return { server, shadow }
}

/** For the database, logs and requests to other services. */
const FILES_KEPT = 1_000

/** A commit that finds no file descriptor fails, so that connections must not take all. */
function computeConnectionLimit(): { readonly connectionsMax?: number } {
  const filesMax = readOpenFilesMax()
  return filesMax === null ? {} : { connectionsMax: Math.max(filesMax - FILES_KEPT, filesMax >> 1) }
}

/** Null if there is no console: it was not built, or a service occupies all paths. */
function openConsole({ consoleDirectory, config, tls }: ServerParts): StaticFiles | null {
  if (consoleDirectory === null || config.only !== null) return null
  return StaticFiles.open(consoleDirectory, tls !== null)
}
