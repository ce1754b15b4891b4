import type { SpecSource } from '../catalog/check/drift.ts'
import type { BerthRules } from '../commands.ts'
import type { Log } from '../http/ops/log.ts'
import type { Policy } from '../http/policy.ts'
import type { Tokens } from '../identity/builtin/tokens.ts'
import type { PlacementContext } from '../placement/context.ts'
import type { SchedulingSetup } from '../scheduling/framework/setup.ts'
import type { ScheduleObserver } from '../scheduling/schedule.ts'
import type { ChangeFeed } from '../store/sequencer/change-feed.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { Store } from '../store/store.ts'
import type { VerifyReport } from '../store/verify/verify-world.ts'
import type { ReconcileState } from '../wire/reconcile.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { type AccountSettings, accountRoutes } from './admin/accounts.routes.ts'
import { auditRoutes } from './admin/audit.routes.ts'
import { backupRoutes } from './admin/backup.routes.ts'
import { reconcileRoutes } from './admin/reconcile.routes.ts'
import { type ShadowApi, shadowRoutes } from './admin/shadow.routes.ts'
import { standardTraitRoutes } from './admin/standard-traits.routes.ts'
import { tokenRoutes } from './admin/tokens.routes.ts'
import { userCredentialRoutes } from './admin/user-credentials.routes.ts'
import { userTokenRoutes } from './admin/user-tokens.routes.ts'
import { verifyRoutes } from './admin/verify.routes.ts'
import { whoamiRoutes } from './admin/whoami.routes.ts'
import type { V1Route } from './api/route.ts'
import { attentionRoutes } from './attention/attention.routes.ts'
import type { Attention } from './attention/attention.ts'
import { catalogCheckRoutes } from './catalog/catalog.routes.ts'
import { catalogTransferRoutes } from './catalog/catalog-transfer.routes.ts'
import { operatorRoutes } from './catalog/operators.routes.ts'
import { explainRoutes, QueryExplainer } from './explain/explain.routes.ts'
import { explainBootRoutes } from './explain/explain-boot.routes.ts'
import { explainDecisionRoutes } from './explain/explain-decision.routes.ts'
import { explainScheduleRoutes } from './explain/explain-schedule.routes.ts'
import { explainShareRoutes } from './explain/explain-share.routes.ts'
import type { RefusedRequests } from './explain/refused-requests.loop.ts'
import { changeHostsRoutes } from './fleet/change-hosts.routes.ts'
import { changesRoutes } from './fleet/changes.routes.ts'
import { consumerRoutes } from './fleet/consumers.routes.ts'
import { fleetRoutes } from './fleet/fleet.routes.ts'
import { hostRoutes } from './fleet/hosts.routes.ts'
import { landingRoutes } from './fleet/landing.routes.ts'
import { shareTargetRoutes } from './fleet/share-targets.routes.ts'
import { openapiRoutes } from './openapi/openapi.routes.ts'
import type { DocumentedService } from './openapi/service-document.ts'
import { projectRoutes } from './projects/projects.routes.ts'
import type { ReservationKeeper } from './reservations/keeper.loop.ts'
import { reservationRoutes } from './reservations/reservations.routes.ts'
import { checkPlanRoutes } from './schedule/check-plan.routes.ts'
import { decisionRoutes } from './schedule/decisions.routes.ts'
import { failureRoutes } from './schedule/failure.routes.ts'
import { filterRoutes } from './schedule/filters.routes.ts'
import { fitRoutes } from './schedule/fit.routes.ts'
import { flavorQueryRoutes } from './schedule/flavor-query.routes.ts'
import { manilaRoutes } from './schedule/manila.routes.ts'
import { novaRoutes } from './schedule/nova.routes.ts'
import { planRoutes } from './schedule/plan.routes.ts'
import { rebuildRoutes } from './schedule/rebuild.routes.ts'
import { type ScheduleContext, scheduleRoutes } from './schedule/schedule.routes.ts'
import { simulateRoutes } from './schedule/simulate.routes.ts'
import { weigherRoutes } from './schedule/weighers.routes.ts'
import { WorldCopyPool } from './schedule/world-copies.ts'
import { applyRoutes } from './transfer/apply.routes.ts'
import { exportRoutes } from './transfer/export.routes.ts'
import { importRoutes } from './transfer/import.routes.ts'
import { pullRoutes } from './transfer/pull.routes.ts'
import { historyRoutes } from './usage-history/history.routes.ts'

export interface V1Context {
  readonly placement: PlacementContext
  readonly policy: Policy
  readonly sequencer: Sequencer<BerthRules>
  readonly store: Store
  readonly feed: ChangeFeed
  readonly verify: () => Promise<VerifyReport>
  /** What the background comparison with Nova found. */
  readonly reconcile: () => ReconcileState
  /** Resources whose specs the catalog can check. */
  readonly specSources: () => Iterable<SpecSource>
  readonly newUuid: () => string
  /** Berth's own files and directories. Shares must be outside of them. */
  readonly ownPaths: readonly string[]
  /** The operators' scheduling setup. */
  readonly setup: SchedulingSetup
  /** The setup for Nova's scheduler, and how long to expect a claim for a server in a group. */
  readonly nova: { readonly setup: SchedulingSetup; readonly groupClaimMs: number }
  /** How long a pool chosen for Manila stays reserved until Manila's database shows it. */
  readonly manilaClaimMs: number
  /** Keeps refused requests to Placement; null keeps none. */
  readonly refusals: RefusedRequests | null
  readonly log: Pick<Log, 'warn'>
  readonly schedules: ScheduleObserver
  /** What needs attention. */
  readonly attention: Attention
  readonly groupsPerProjectMax: number
  readonly reservationKeeper: ReservationKeeper
  readonly accounts: AccountSettings
  /** Null if another service issues tokens. */
  readonly userTokens: Pick<Tokens, 'findMeaning'> | null
  /** Users and projects are in the store, not in Keystone. */
  readonly keepsUsers: boolean
  /** The OpenStack services of this server. */
  readonly services: readonly DocumentedService[]
  readonly version: string
  /** Null: no Placement is shadowed. */
  readonly shadow: ShadowApi | null
}

/** Every route of /v1, in documented order. Does not read the context until a request arrives. */
export function v1Routes(context: V1Context): V1Route[] {
  const { placement, policy, version } = context
  const clock = { nowMs: () => placement.clock.nowMs() }
  const scheduling = {
    world: placement.world,
    clock,
    setup: () => context.setup,
    newUuid: () => context.newUuid(),
    newSeed: () => placement.newSeed(),
    observer: context.schedules,
  }
  const explainer = new QueryExplainer(placement)
  const privateWorld = new WorldCopyPool(() => context.store)
  const routes: V1Route[] = [
    ...attentionRoutes(() => context.attention, policy),
    ...fleetRoutes({ world: placement.world, head: () => placement.sequencer.head }),
    ...changesRoutes(() => context.feed, policy),
    ...timeRoutes(context),
    ...explainRoutes(placement, explainer, policy),
    ...explainBootRoutes({
      world: placement.world,
      store: () => context.store,
      clock,
      policy,
      explainer,
      findSearches: id => context.refusals?.findSearches(id) ?? [],
    }),
    ...operatorRoutes(),
    ...filterRoutes(() => context.setup),
    ...weigherRoutes(() => context.setup),
    ...flavorQueryRoutes({ world: placement.world, setup: () => context.setup }),
    ...scheduleRoutes(scheduling),
    ...rebuildRoutes(scheduling),
    ...pluginRoutes(context),
    ...explainScheduleRoutes({ ...scheduling, privateWorld }),
    ...explainDecisionRoutes({ ...scheduling, privateWorld, store: () => context.store }),
    ...explainShareRoutes({ world: placement.world, policy, clock }),
    ...shareTargetRoutes({ world: placement.world, policy, clock }),
    ...decisionRoutes({
      world: placement.world,
      store: () => context.store,
      clock,
      privateWorld,
    }),
    ...capacityRoutes(context, scheduling, privateWorld),
    ...fitRoutes({ world: placement.world, setup: () => context.setup }),
    ...exportRoutes(() => context.store, policy),
    ...importRoutes({
      world: placement.world,
      policy,
      sequencer: () => context.sequencer,
      ownPaths: () => context.ownPaths,
    }),
    ...hostAndConsumerRoutes(context, privateWorld),
    ...pullRoutes({ world: placement.world }),
    ...applyRoutes({
      world: placement.world,
      newUuid: () => context.newUuid(),
      ownPaths: () => context.ownPaths,
    }),
    ...catalogTransferRoutes({ world: placement.world, policy }),
    ...catalogCheckRoutes({ world: placement.world, policy, specSources: () => context.specSources() }),
    ...adminRoutes(context),
    ...openapiRoutes({ routes: () => routes, services: () => context.services, version }),
  ]
  return routes
}

/** What would be, plans, and what is kept. */
const capacityRoutes = (
  context: V1Context,
  scheduling: ScheduleContext,
  privateWorld: WorldCopyPool,
): V1Route[] => [
  ...simulateRoutes(scheduling, privateWorld),
  ...failureRoutes(scheduling, privateWorld),
  ...planRoutes(scheduling, privateWorld),
  ...checkPlanRoutes(scheduling, privateWorld),
  ...reservationRoutes({
    world: scheduling.world,
    clock: scheduling.clock,
    newUuid: scheduling.newUuid,
    sequencer: () => context.sequencer,
    keeper: () => context.reservationKeeper,
  }),
]

/** Hosts, their consumers, and what may land on them. */
function hostAndConsumerRoutes(context: V1Context, privateWorld: WorldCopyPool): V1Route[] {
  const { world } = context.placement
  const defaultZone = () => context.setup.settings.defaultAvailabilityZone
  return [
    ...hostRoutes({ world, newUuid: () => context.newUuid(), defaultZone }),
    ...changeHostsRoutes({
      world,
      policy: context.policy,
      store: () => context.store,
      setup: () => context.setup,
      newUuid: () => context.newUuid(),
      nowMs: () => context.placement.clock.nowMs(),
      privateWorld,
    }),
    ...consumerRoutes({ world, defaultZone }),
    ...projectRoutes({
      world,
      policy: context.policy,
      setup: () => context.setup,
      keepsUsers: () => context.keepsUsers,
      groupsPerProjectMax: () => context.groupsPerProjectMax,
      nowMs: () => context.placement.clock.nowMs(),
    }),
    ...landingRoutes({ world, setup: () => context.setup }),
  ]
}

/** What was, what changed, and what will be. */
function timeRoutes(context: V1Context): V1Route[] {
  const { world, clock } = context.placement
  const sources = { world, clock: { nowMs: () => clock.nowMs() }, store: () => context.store }
  const defaultZone = () => context.setup.settings.defaultAvailabilityZone
  return [
    ...historyRoutes({ ...sources, defaultZone }),
    ...activityRoutes({ ...sources, feed: () => context.feed, policy: context.policy }),
  ]
}

function adminRoutes(context: V1Context): V1Route[] {
  const { placement, policy } = context
  const nowMs = () => placement.clock.nowMs()
  return [
    ...tokenRoutes({
      world: placement.world,
      newUuid: () => context.newUuid(),
      nowMs,
      keepsUsers: () => context.keepsUsers,
    }),
    ...userTokenRoutes({
      world: placement.world,
      store: () => context.store,
      nowMs,
      tokens: () => context.userTokens,
    }),
    ...userCredentialRoutes(placement.world),
    ...accountRoutes({ world: placement.world, settings: () => context.accounts }),
    ...standardTraitRoutes(),
    ...shadowRoutes(() => context.shadow),
    ...auditRoutes({ world: placement.world, store: () => context.store, nowMs }),
    ...backupRoutes(() => context.store),
    ...verifyRoutes(() => context.verify()),
    ...reconcileRoutes(() => context.reconcile()),
    ...whoamiRoutes(policy),
  ]
}

/** For the plug-ins of Berth in the schedulers of Nova and Manila. */
function pluginRoutes(context: V1Context): V1Route[] {
  const { placement } = context
  return [
    ...novaRoutes({
      world: placement.world,
      setup: () => context.nova.setup,
      groupClaimMs: () => context.nova.groupClaimMs,
      newUuid: () => context.newUuid(),
      log: () => context.log,
      keepSearches: id => context.refusals?.keepSearches(id),
    }),
    ...manilaRoutes({
      world: placement.world,
      nowMs: () => placement.clock.nowMs(),
      claimMs: () => context.manilaClaimMs,
      newUuid: () => context.newUuid(),
      log: () => context.log,
    }),
  ]
}
