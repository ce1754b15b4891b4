import { randomInt, randomUUID } from 'node:crypto'
import { checkWritten } from '../catalog/check/check-written.ts'
import { catalogService } from '../catalog/service.ts'
import type { ComputeContext } from '../compute/context.ts'
import { computeService } from '../compute/service.ts'
import { novaSetup, schedulingSetup } from '../config/scheduling-setup.ts'
import type { CheckMetadata } from '../http/metadata-check.ts'
import type { MountedService } from '../http/mounted-services.ts'
import type { CatalogEntry } from '../identity/api/context.ts'
import { noauth2 } from '../identity/noauth2.ts'
import type { WholePolicy } from '../identity/policy/compile-policy.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PlacementContext } from '../placement/context.ts'
import { placementService } from '../placement/service.ts'
import type { ScheduleObserver } from '../scheduling/schedule.ts'
import type { Shadow } from '../shadow/start.ts'
import type { ShareContext } from '../shares/context.ts'
import { shareService } from '../shares/service.ts'
import type { ShareWorker } from '../shares/worker/share-worker.loop.ts'
import { verifyWorld } from '../store/verify/verify-world.ts'
import { IdempotencyKeys } from '../v1/api/idempotency.ts'
import { v1Service } from '../v1/api/v1.ts'
import { Attention } from '../v1/attention/attention.ts'
import type { RefusedRequests } from '../v1/explain/refused-requests.loop.ts'
import type { DocumentedService } from '../v1/openapi/service-document.ts'
import type { ReservationKeeper } from '../v1/reservations/keeper.loop.ts'
import { v1Routes } from '../v1/routes.ts'
import type { World } from '../world/world.ts'
import { addAttentionMetrics } from './attention-metrics.ts'
import { invariantChecks } from './check-world.ts'
import type { ServerParts } from './compose.ts'
import type { Engine } from './engine.ts'
import type { ComposedIdentity } from './identity.ts'
import { candidateMetrics, scheduleMetrics } from './observers.ts'
import type { ReconcileCheck } from './reconcile-check.ts'
import { ownPaths } from './seed.ts'
import { shadowApi } from './shadow-api.ts'
import { traceChoice, traceSearch } from './tracing.ts'

/** Keystone's service catalog: the path of each service from the root of the server. */
export const SERVICE_CATALOG: readonly CatalogEntry[] = [
  { type: 'placement', name: 'placement', path: '/placement' },
  { type: 'compute', name: 'compute', path: '/compute/v2.1' },
  { type: 'image', name: 'catalog', path: '/image' },
  { type: 'sharev2', name: 'shares', path: '/share/v2' },
  { type: 'share', name: 'shares', path: '/share/v2' },
  { type: 'identity', name: 'identity', path: '/identity' },
]

const DAY_MS = 86_400_000

/** What the services of a server are made from. */
interface MountParts {
  readonly engine: Engine
  readonly server: ServerParts
  readonly policy: WholePolicy
  readonly shareWorker: ShareWorker
  readonly refusals: RefusedRequests | null
  readonly reservationKeeper: ReservationKeeper
  readonly reconcileCheck: ReconcileCheck
  readonly identity: ComposedIdentity
  /** Null if no Placement is shadowed. */
  readonly shadow: Shadow | null
}

/** The OpenStack services, each at its path or a single one at the root, and Berth's own API. */
export function mountServices(parts: MountParts): MountedService[] {
  const { engine, policy, identity, shadow } = parts
  const { only, auth } = parts.server.config
  const { world, sequencer } = engine
  const placement = placementContext(parts)
  const schedules = { ...scheduleMetrics(engine.metrics), ...(engine.tracing === null ? {} : traceChoice) }
  const believes = (options: Parameters<typeof noauth2>[0]) =>
    auth === 'noauth2' ? { authenticator: noauth2(options) } : {}
  const services = {
    placement: {
      name: 'placement',
      title: 'OpenStack Placement API',
      mount: '/placement',
      service: placementService(placement),
      ...(shadow === null ? {} : { front: shadow.makeFront.bind(shadow) }),
    },
    compute: {
      name: 'compute',
      title: 'OpenStack Compute API, as far as scheduling needs it',
      mount: '/compute',
      service: computeService(computeContext(parts)),
    },
    catalog: {
      name: 'image',
      title: 'OpenStack Image API, metadata definitions',
      mount: '/image',
      service: catalogService({ world, sequencer, policy }),
      ...believes({ plainRoles: [], needsAllParts: true }),
    },
    share: {
      name: 'share',
      title: 'OpenStack Shared File Systems API',
      mount: '/share',
      service: shareService(shareContext(parts, schedules)),
      ...believes({ plainRoles: ['member', 'reader'] }),
    },
  }
  const openstack: DocumentedService[] =
    only === null
      ? [
          ...Object.values(services),
          ...(identity.service === null
            ? []
            : [{ name: 'identity', title: 'OpenStack Identity API', ...identity.service }]),
        ]
      : [{ ...services[only], mount: '' }]
  const service = berthService(parts, placement, schedules, openstack)
  return [...openstack, { mount: '/v1', service, isUnlisted: true }]
}

function placementContext({ engine, server, refusals }: MountParts): PlacementContext {
  const { world, sequencer, metrics } = engine
  return {
    world,
    sequencer,
    settings: server.config,
    clock: systemClock,
    newSeed: () => randomInt(2 ** 32),
    ...(refusals === null ? {} : { refusals }),
    observer: { ...candidateMetrics(metrics), ...(engine.tracing === null ? {} : traceSearch) },
  }
}

function computeContext({ engine: { world, sequencer }, server, policy }: MountParts): ComputeContext {
  const { config, log } = server
  return {
    world,
    sequencer,
    policy,
    log,
    newUuid: randomUUID,
    clock: systemClock,
    checkMetadata: metadataChecker(world, config),
    defaultZone: config.default_availability_zone,
    groupsPerProjectMax: config.max_server_groups,
    isProject: projectLookup(world, config),
  }
}

function shareContext(
  { engine, server, policy, shareWorker }: MountParts,
  schedules: ScheduleObserver,
): ShareContext {
  const { store, config, log } = server
  return {
    world: engine.world,
    sequencer: engine.sequencer,
    store,
    policy,
    log,
    clock: systemClock,
    newUuid: randomUUID,
    checkMetadata: metadataChecker(engine.world, config),
    isProject: projectLookup(engine.world, config),
    softDeleteMs: config.share_soft_delete_days * DAY_MS,
    wake: () => shareWorker.wake(),
    decided: (kind, outcome) => schedules.decided(kind, outcome),
  }
}

function berthService(
  { engine, server, policy, refusals, reconcileCheck, reservationKeeper, shadow, identity }: MountParts,
  placement: PlacementContext,
  schedules: ScheduleObserver,
  services: readonly DocumentedService[],
) {
  const { world, sequencer, feed } = engine
  const { config, store, place, version } = server
  const memory = {
    world,
    get head() {
      return sequencer.head
    },
    reach: sequencer.catchUpTo.bind(sequencer),
  }
  const specSources = () => [...listSpecSources(world)]
  const setup = schedulingSetup(config)
  const shownShadow = shadow === null ? null : shadowApi(shadow)
  const attention = new Attention(
    () => ({
      world,
      store,
      setup,
      specSources,
      follower: engine.follower,
      certificateFile: config.tls_cert,
      shadow: shownShadow,
      reconcile: reconcileCheck.state,
    }),
    systemClock,
    (check, error) => server.log.error('a check of what needs attention failed', { check, error }),
  )
  addAttentionMetrics(engine.metrics, attention)
  const routes = v1Routes({
    placement,
    attention,
    policy,
    sequencer,
    store,
    feed,
    verify: () => verifyWorld(place, store, memory, invariantChecks),
    specSources,
    reconcile: () => reconcileCheck.state,
    newUuid: randomUUID,
    ownPaths: ownPaths(server),
    setup,
    nova: { setup: novaSetup(config), groupClaimMs: config.nova_group_claim_seconds * 1000 },
    manilaClaimMs: config.manila_claim_seconds * 1000,
    refusals,
    log: server.log,
    schedules,
    accounts: { auth: config.auth, rbac: config.rbac, policy, keystone: identity.keystone },
    userTokens: identity.tokens,
    keepsUsers: config.auth === 'token',
    groupsPerProjectMax: config.max_server_groups,
    reservationKeeper,
    shadow: shownShadow,
    services,
    version,
  })
  return v1Service(new IdempotencyKeys({ store, sequencer, clock: systemClock }), routes)
}

/** Checks what the compute and share APIs write against the definitions of the catalog. */
const metadataChecker =
  ({ catalog }: World, { catalog_check_writes }: ServerParts['config']): CheckMetadata =>
  (resourceType, written, kept) =>
    checkWritten(catalog, catalog_check_writes, resourceType, written, kept)

/** The existing projects; null if this server does not store them. */
const projectLookup = (world: Engine['world'], { auth }: ServerParts['config']) =>
  auth === 'token' ? (id: string) => world.identity.projects.find(id) !== undefined : null

/** Flavors, aggregates and share types, whose specs the catalog describes. */
function* listSpecSources({ compute, shares }: World) {
  for (const { id, name } of compute.flavors.all())
    yield { kind: 'flavor', name, specs: Object.fromEntries(compute.getExtraSpecs(id)) } as const
  for (const { name, metadata } of compute.listAggregates())
    yield { kind: 'aggregate', name, specs: Object.fromEntries(metadata) } as const
  for (const { id, name } of shares.types.all())
    yield { kind: 'share-type', name, specs: Object.fromEntries(shares.getSpecs(id)) } as const
}
