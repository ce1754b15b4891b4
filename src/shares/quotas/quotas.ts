import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ShareRefusal } from '../refusals.ts'

/** Manila's, with its defaults; -1 is unlimited. Those of resources that Berth lacks are only stored and shown. */
const QUOTAS = {
  shares: 50,
  snapshots: 50,
  gigabytes: 1000,
  snapshot_gigabytes: 1000,
  share_networks: 10,
  share_groups: 50,
  share_group_snapshots: 50,
  share_replicas: 100,
  replica_gigabytes: 1000,
  per_share_gigabytes: -1,
} as const

export type QuotaResource = keyof typeof QUOTAS
export const QUOTA_RESOURCES = Object.keys(QUOTAS) as readonly QuotaResource[]
/** Quotas that a share type can have in a project. */
export const TYPE_QUOTAS: readonly QuotaResource[] = [
  'shares',
  'gigabytes',
  'snapshots',
  'snapshot_gigabytes',
]

export const DEFAULT_SCOPE = 'class:default'
export const projectScope = (project: string): string => `project:${project}`
export const typeScope = (project: string, type: string): string => `type:${project}:${type}`

export const findDefaultLimit = ({ shares }: World, resource: QuotaResource): number =>
  shares.findLimit(DEFAULT_SCOPE, resource) ?? QUOTAS[resource]

export const findProjectLimit = (world: World, project: string, resource: QuotaResource): number =>
  world.shares.findLimit(projectScope(project), resource) ?? findDefaultLimit(world, resource)

/** Unlimited unless set. */
export const findTypeLimit = (
  { shares }: World,
  project: string,
  type: string,
  resource: QuotaResource,
): number => shares.findLimit(typeScope(project, type), resource) ?? -1

type Usage = Readonly<Record<QuotaResource, number>>

/** The usage of a project, for one type or all. Counts everything that exists, in any state. */
export function countUsage({ shares }: World, project: string, typeId: number | null = null): Usage {
  const mine = shares.listOfProject(project).filter(row => typeId === null || row.type_id === typeId)
  const snapshots = shares
    .listSnapshotsOfProject(project)
    .filter(row => typeId === null || shares.shares.row(row.share_id).type_id === typeId)
  const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0)
  return {
    shares: mine.length,
    gigabytes: sum(mine.map(row => Math.max(row.size, row.target_size ?? 0))),
    snapshots: snapshots.length,
    snapshot_gigabytes: sum(snapshots.map(row => row.size)),
    share_networks: 0,
    share_groups: 0,
    share_group_snapshots: 0,
    share_replicas: 0,
    replica_gigabytes: 0,
    per_share_gigabytes: 0,
  }
}

interface QuotaDemand {
  readonly project: string
  readonly typeId: number
  readonly more: Partial<Record<QuotaResource, number>>
  /** The size of the share after the change. */
  readonly shareGb: number
}

export function checkQuota(
  world: World,
  { project, typeId, more, shareGb }: QuotaDemand,
): ShareRefusal | null {
  const used = countUsage(world, project)
  const ofType = countUsage(world, project, typeId)
  const type = world.shares.types.row(typeId).uuid
  const perShare = findProjectLimit(world, project, 'per_share_gigabytes')
  if (perShare >= 0 && shareGb > perShare)
    return {
      kind: 'quota-exceeded',
      resource: 'per_share_gigabytes',
      asked: shareGb,
      used: 0,
      limit: perShare,
    }
  for (const [resource, asked] of Object.entries(more) as [QuotaResource, number][])
    for (const [limit, has] of [
      [findProjectLimit(world, project, resource), used[resource]],
      [findTypeLimit(world, project, type, resource), ofType[resource]],
    ] as const)
      if (asked > 0 && limit >= 0 && has + asked > limit)
        return { kind: 'quota-exceeded', resource, asked, used: has, limit }
  return null
}

interface SetQuotas {
  readonly scope: string
  /** Null removes a limit, so that the next higher scope applies. */
  readonly limits: Readonly<Partial<Record<QuotaResource, number | null>>>
  /** Whose usage the new limits may not be below; null: not checked. */
  readonly usedBy: { readonly project: string; readonly type: string | null } | null
}

export function setQuotas(world: World, command: SetQuotas): Decision<null, ShareRefusal> {
  const { scope, limits, usedBy } = command
  const type = usedBy?.type == null ? undefined : world.shares.types.find(usedBy.type)
  const usage = usedBy === null ? null : countUsage(world, usedBy.project, type?.id ?? null)
  const ops: RowOp[] = []
  for (const [resource, hard_limit] of Object.entries(limits) as [QuotaResource, number | null][]) {
    const used = usage?.[resource] ?? 0
    if (hard_limit !== null && hard_limit >= 0 && hard_limit < used)
      return refuse({ kind: 'quota-below-use', resource, limit: hard_limit, used })
    const before = world.shares.quotas.get(`${scope} ${resource}`)
    if (hard_limit === null) {
      if (before !== undefined) ops.push(remove('share_quotas', before))
      continue
    }
    const after = { scope, resource, hard_limit }
    if (before === undefined) ops.push(insert('share_quotas', after))
    else if (before.hard_limit !== hard_limit) ops.push(update('share_quotas', before, after))
  }
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}
