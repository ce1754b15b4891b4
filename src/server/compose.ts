import { randomInt, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { CatalogContext } from '../catalog/context.ts'
import { catalogService } from '../catalog/service.ts'
import { type BerthRules, rules } from '../commands.ts'
import type { ComputeContext } from '../compute/context.ts'
import { computeService } from '../compute/service.ts'
import { specSourcesOf } from '../compute/spec-sources.ts'
import type { Config } from '../config/keys.ts'
import { schedulingSetup, schedulingWarnings } from '../config/scheduling-setup.ts'
import { auditor } from '../http/ops/audit.ts'
import type { TlsFiles } from '../http/ops/certificates.ts'
import type { Log } from '../http/ops/log.ts'
import { Registry } from '../http/ops/metrics.ts'
import { type BerthServer, buildServer, type MountedService } from '../http/server.ts'
import { Site } from '../http/static-files.ts'
import type { CatalogEntry } from '../identity/api/context.ts'
import { noauth2 } from '../identity/noauth2.ts'
import { loadPolicy } from '../identity/policy/load.ts'
import type { WholePolicy } from '../identity/policy/policy.ts'
import { systemClock } from '../kernel/clock.ts'
import { providerSlot } from '../kernel/ids.ts'
import type { PlacementContext } from '../placement/context.ts'
import standardClasses from '../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../placement/data/standard-traits.json' with { type: 'json' }
import { placementService } from '../placement/service.ts'
import {
  BackendsFileFault,
  readBackendsFile,
  realRootsOf,
  requireRootsApart,
} from '../shares/backends/backends.file.ts'
import type { ShareContext } from '../shares/context.ts'
import { openDriver } from '../shares/drivers/open.driver.ts'
import { refused } from '../shares/errors.ts'
import { shareService } from '../shares/service.ts'
import { shareTypeSourcesOf } from '../shares/spec-sources.ts'
import { ShareWorker } from '../shares/worker/share-worker.loop.ts'
import { loadSoundWorld } from '../store/load-world.ts'
import { ChangeFeed } from '../store/sequencer/change-feed.ts'
import { Sequencer } from '../store/sequencer/sequencer.ts'
import { Follower } from '../store/shared/follower.ts'
import type { Store } from '../store/store.ts'
import { StoreWatch } from '../store/store-watch.ts'
import { verifyWorld } from '../store/verify/verify-world.ts'
import { IdempotencyKeys } from '../v1/api/idempotency.ts'
import { addV1 } from '../v1/api/v1.ts'
import { v1Routes } from '../v1/routes.ts'
import type { World } from '../world/world.ts'
import { invariantChecks } from './check-world.ts'
import { identityOf, proxyWarnings } from './identity.ts'
import {
  addWorldMetrics,
  candidateMetrics,
  followerMetrics,
  scheduleMetrics,
  sequencerObserver,
} from './observers.ts'

/** All parts of a server put together, not listening yet. */
import { readStandardTraits } from './standard-traits.ts'

export interface Assembly extends Engine {
  readonly server: BerthServer
  readonly workshop: ShareWorker
}

interface AssemblyParts {
  readonly config: Config
  readonly store: Store
  /** Where the store is. */
  readonly place: string
  readonly log: Log
  readonly version: string
  /** The admin token; null where callers are believed. */
  readonly token: string | null
  readonly consoleDirectory: string | null
  /** Null: HTTP in the clear. */
  readonly tls: TlsFiles | null
  /** The files that configuration came from. */
  readonly configFiles: readonly string[]
}

export async function assemble(parts: AssemblyParts): Promise<Assembly> {
  for (const text of [...schedulingWarnings(parts.config), ...proxyWarnings(parts.config)])
    parts.log.warn('doubtful configuration', { text })
  const engine = await startEngine(parts)
  if (parts.config.catalog_builtin) await addBuiltinDefinitions(engine, parts.log)
  if (parts.config.demo) await addDemo(engine, parts.log)
  if (parts.config.auth === 'token') await addFirstUsers(engine, parts)
  await declareShareBackends(engine, parts)
  await requireRootsApart(engine.world, ownPaths(parts))
  const policy = await loadPolicy(parts.config.rbac, parts.config.policy_file)
  for (const { name, line } of policy.unused)
    parts.log.warn('a line of the policy file has no effect', { line, operation: name })
  const workshop = newWorkshop(engine, parts)
  return { ...engine, workshop, server: makeServer(engine, parts, policy, workshop) }
}

/** What must stay out of reach of those who use shares. */
const ownPaths = ({ config, configFiles }: AssemblyParts): string[] =>
  [config.data_dir, config.tls_cert, config.tls_key, config.policy_file, ...configFiles].flatMap(path =>
    path === null ? [] : [resolve(path)],
  )

/** As `backends.json` has them. What it no longer has goes, unless it is in use. */
async function declareShareBackends({ world, sequencer }: Engine, parts: AssemblyParts): Promise<void> {
  const { config, log } = parts
  const file = await readBackendsFile(config.data_dir, ownPaths(parts))
  if (file === null) return
  const { types, defaultType, ...declared } = file
  const uuids = (count: number) => Array.from({ length: count }, () => randomUUID())
  const places = declared.backends.reduce((sum, { pools }) => sum + 1 + pools.length, 0)
  const outcome = await sequencer.submit({
    kind: 'shares:declare-backends',
    declared,
    owner: 'backends.json',
    keepUsed: true,
    realRoots: await realRootsOf(world, declared),
    newUuids: uuids(places),
  })
  if (!outcome.ok)
    throw new BackendsFileFault(`backends.json is refused: ${refused(outcome.refusal).message}`)
  for (const { what, did } of outcome.answer)
    if (did === 'kept') log.warn('a pool or back end is no longer declared and still used', { what })
  const newUuids = uuids(types.length)
  await sequencer.submit({ kind: 'shares:declare-types', types, defaultType, newUuids })
  log.info('share back ends', { backends: declared.backends.length, changes: outcome.answer.length })
}

function newWorkshop({ world, sequencer }: Engine, parts: AssemblyParts): ShareWorker {
  const { store, config, log } = parts
  const quotaCommand = config.share_quota_command?.split(/\s+/).filter(word => word !== '') ?? []
  return new ShareWorker({
    world,
    sequencer,
    log,
    newUuid: randomUUID,
    nowMs: () => systemClock.nowMs(),
    holder: randomUUID(),
    isAlone: store.onOthers === undefined,
    leaseMs: config.share_lease_ms,
    open: row =>
      openDriver(row.driver, {
        id: world.providers.uuid(providerSlot(row.provider_id)),
        backend: world.providers.name(providerSlot(row.provider_id)),
        settings: world.shares.parsed(row.settings),
        quotaCommand,
        ownPaths: ownPaths(parts),
      }),
  })
}

/** Once for each namespace: what was deleted since stays deleted. */
async function addBuiltinDefinitions({ sequencer, world }: Engine, log: Log): Promise<void> {
  const { builtinDefinitions } = await import('../catalog/transfer/builtin-definitions.ts')
  const definitions = builtinDefinitions().filter(one => !world.catalog.builtins.find(one.namespace))
  if (definitions.length === 0) return
  const outcome = await sequencer.submit({ kind: 'catalog:load-builtins', definitions })
  if (outcome.ok) log.info('added built-in definitions', { namespaces: outcome.answer.added })
  else log.error('no built-in definitions', { reason: outcome.refusal.kind })
}

async function addFirstUsers(engine: Engine, { config, log }: AssemblyParts): Promise<void> {
  const { firstStart } = await import('../identity/builtin/first-start.ts')
  if (await firstStart(config.data_dir, engine)) log.info('made the roles and the user admin')
}

/** Loaded only when it is wanted. */
async function addDemo({ sequencer, world }: Engine, log: Log): Promise<void> {
  const { fillWithDemo } = await import('../demo/fill.ts')
  const { filled, reason } = await fillWithDemo(sequencer, world)
  if (filled) log.info('filled with the demo cloud', { providers: world.providers.size })
  else log.warn('no demo', { reason })
}

/** Others wake us when they write; without that, so often is looked. */
const POLL_MS = 200
/** SQLite: who waits longer for a write is told that its outcome is not known. */
const OUTCOME_MS_MAX = 5_000

interface Engine {
  readonly world: World
  readonly sequencer: Sequencer<BerthRules>
  readonly follower: Follower
  readonly watch: StoreWatch
  readonly feed: ChangeFeed
  readonly metrics: Registry
  readonly broken: Promise<Error>
  /** Why writes fail just now; null when they do not. */
  readonly trouble: () => string | null
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

async function startEngine({ store, log, config }: AssemblyParts): Promise<Engine> {
  const { world, head } = await loadSoundWorld(store)
  const metrics = new Registry()
  addWorldMetrics(metrics, world)
  const broken = Promise.withResolvers<Error>()
  const feed = new ChangeFeed(store, head.revision)
  let trouble: string | null = null
  const observer = sequencerObserver(
    metrics,
    reason => broken.resolve(asError(reason)),
    reason => {
      trouble = `the last write failed: ${asError(reason).message}`
      log.error('commit failed', { error: asError(reason) })
    },
    () => {
      trouble = null
    },
    change => feed.add(change),
    head => {
      log.warn('memory was loaded anew', { revision: head.revision })
      feed.restart(head.revision)
    },
    (command, { why, index }) =>
      log.error('a change that a rule allowed was refused', { command, why, index }),
  )
  const sequencer = new Sequencer({
    world,
    store,
    rules,
    clock: systemClock,
    head,
    newBatchId: randomUUID,
    observer,
    // A shared store has limits of its own.
    limits: { outcomeMsMax: store.owedMs === undefined ? null : OUTCOME_MS_MAX },
    witness: config.audit ? auditor : undefined,
  })
  const follower = new Follower({
    store,
    sequencer,
    clock: { nowMs: () => performance.now() },
    settings: {
      reads: config.reads,
      staleMsMax: config.reads_stale_max_ms === 0 ? null : config.reads_stale_max_ms,
      pollMs: POLL_MS,
    },
    observer: followerMetrics(metrics, () => follower, log),
  })
  await sequencer.submit({
    kind: 'sync-standards',
    classes: standardClasses,
    traits: [...standardTraits, ...(await readStandardTraits(config.standard_traits_file))],
  })
  const watch = new StoreWatch(store, {
    diverged: reason => sequencer.giveUp(reason),
    silent: reason => log.error('the store does not answer', { reason }),
    answered: () => log.info('the store answers again'),
  })
  const engine = { world, sequencer, follower, watch, feed, metrics, broken: broken.promise }
  return { ...engine, trouble: () => follower.trouble ?? trouble }
}

/** Where clients find each service, from the root of the server. */
const CATALOG: readonly CatalogEntry[] = [
  { type: 'placement', name: 'placement', path: '/placement' },
  { type: 'compute', name: 'compute', path: '/compute/v2.1' },
  { type: 'image', name: 'catalog', path: '/image' },
  { type: 'sharev2', name: 'shares', path: '/share/v2' },
  { type: 'identity', name: 'identity', path: '/identity' },
]

/** All of them, each at its path, or the only one at the root. */
function mountedServices(
  { only, auth }: Config,
  placement: PlacementContext,
  catalog: CatalogContext,
  compute: ComputeContext,
  share: ShareContext,
  identity: MountedService | null,
): MountedService[] {
  const services = {
    placement: { mount: '/placement', service: placementService(placement) },
    compute: { mount: '/compute', service: computeService(compute) },
    catalog: {
      mount: '/image',
      service: catalogService(catalog),
      ...(auth === 'noauth2' ? { authenticator: noauth2({ plainRoles: [], needsAllParts: true }) } : {}),
    },
    share: {
      mount: '/share',
      service: shareService(share),
      ...(auth === 'noauth2' ? { authenticator: noauth2({ plainRoles: ['member', 'reader'] }) } : {}),
    },
  }
  if (only !== null) return [{ ...services[only], mount: '' }]
  return [...Object.values(services), ...(identity === null ? [] : [identity])]
}

const DAY_MS = 86_400_000

function shareContext(
  { world, sequencer }: Engine,
  { store, config, log }: AssemblyParts,
  policy: WholePolicy,
  workshop: ShareWorker,
): ShareContext {
  return {
    world,
    sequencer,
    store,
    policy,
    log,
    clock: systemClock,
    newUuid: randomUUID,
    softDeleteMs: config.share_soft_delete_days * DAY_MS,
    wake: () => workshop.wake(),
  }
}

/** Whether memory may be read. */
function readsOf({ sequencer, follower, watch }: Engine) {
  return {
    upToDate: () => (sequencer.broken === null ? follower.upToDate() : Promise.reject(sequencer.broken)),
    unready: () => sequencer.broken?.message ?? follower.unready ?? watch.unready,
  }
}

const memoryOf = ({ world, sequencer }: Engine) => ({
  world,
  get head() {
    return sequencer.head
  },
  reach: sequencer.reach.bind(sequencer),
})

function makeServer(
  engine: Engine,
  parts: AssemblyParts,
  policy: WholePolicy,
  workshop: ShareWorker,
): BerthServer {
  const { config, store, place, log, token, version } = parts
  const { world, sequencer, feed, metrics } = engine
  const { upToDate, unready } = readsOf(engine)
  const context: PlacementContext = {
    world,
    sequencer,
    settings: config,
    clock: systemClock,
    newSeed: () => randomInt(2 ** 32),
    observer: candidateMetrics(metrics),
  }
  const identity = identityOf({ config, world, sequencer, store, log, policy, token }, CATALOG)
  const { authenticator } = identity
  const server = buildServer({
    services: mountedServices(
      config,
      context,
      { world, sequencer, policy },
      {
        world,
        sequencer,
        policy,
        log,
        newUuid: randomUUID,
        defaultZone: config.default_availability_zone,
        groupsPerProjectMax: config.max_server_groups,
        isProject: config.auth === 'token' ? id => world.identity.projects.find(id) !== undefined : null,
      },
      shareContext(engine, parts, policy, workshop),
      identity.service,
    ),
    authenticator,
    policy,
    upToDate,
    cors: config.cors_allowed_origin.length === 0 ? null : { allowedOrigins: config.cors_allowed_origin },
    limits: {
      bodyBytesMax: config.max_body_bytes,
      urlBytesMax: config.max_header_bytes,
      headerBytesMax: config.max_header_bytes,
      requestMsMax: config.request_timeout_ms,
    },
    metrics,
    log,
    health: { unready, warning: engine.trouble },
    trustProxy: config.trust_proxy,
    site:
      parts.consoleDirectory === null || config.only !== null
        ? null
        : Site.in(parts.consoleDirectory, parts.tls !== null),
    indexFacts: { version, auth: config.auth },
    tls: parts.tls,
    compresses: config.compress_answers,
  })
  const verify = () => verifyWorld(place, store, memoryOf(engine), invariantChecks)
  const keys = new IdempotencyKeys({ store, sequencer, clock: systemClock })
  const specSources = () => [...specSourcesOf(world), ...shareTypeSourcesOf(world)]
  const routes = v1Routes({
    placement: context,
    policy,
    sequencer,
    store,
    feed,
    verify,
    specSources,
    newUuid: randomUUID,
    ownPaths: ownPaths(parts),
    setup: schedulingSetup(config),
    schedules: scheduleMetrics(metrics),
    keepsUsers: config.auth === 'token',
    version,
  })
  addV1(server, { authenticator, policy, upToDate, log, keys }, routes)
  // Those who follow would keep a server that is to stop from ever being done.
  server.addHook('preClose', async () => feed.close())
  return server
}
