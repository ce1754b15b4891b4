import { ask, askJson, Failure, pathOf, queryOf } from './http.ts'

const headers = {
  'x-openstack-manila-api-version': '2.83',
  'x-openstack-manila-api-experimental': 'True',
}
const at = (path: string): string => `/share/v2${path}`

export interface Share {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly size: number
  readonly status: string
  readonly task_state: string | null
  readonly share_proto: string
  readonly share_type: string
  readonly share_type_name: string
  readonly availability_zone: string | null
  readonly project_id: string
  readonly user_id: string
  readonly snapshot_id: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly is_public: boolean
  readonly snapshot_support: boolean
  readonly create_share_from_snapshot_support: boolean
  readonly is_soft_deleted: boolean
  readonly scheduled_to_be_deleted_at: string | null
  readonly created_at: string
  /** `host@backend#pool`, empty for nowhere; only for admins. */
  readonly host?: string
}

const PAGE = 1_000

/** The newest first: those of the own project and public ones, all for admins. */
export async function readShares(isAdmin: boolean, inBin: boolean): Promise<readonly Share[]> {
  const all: Share[] = []
  for (;;) {
    const query = queryOf({
      limit: PAGE,
      offset: all.length,
      ...(isAdmin ? { all_tenants: 1 } : { is_public: 'true' }),
      is_soft_deleted: inBin,
    })
    const { shares } = await askJson<{ shares: Share[] }>(at(`/shares/detail${query}`), { headers })
    all.push(...shares)
    if (shares.length < PAGE) return all
  }
}

export const readShare = async (id: string): Promise<Share> =>
  (await askJson<{ share: Share }>(at(pathOf`/shares/${id}`), { headers })).share

export interface NewShare {
  readonly name: string | null
  readonly description: string | null
  readonly size: number
  readonly share_proto: string
  readonly share_type: string
  readonly availability_zone?: string
  readonly snapshot_id?: string
  readonly is_public?: boolean
  readonly scheduler_hints: {
    readonly same_host: readonly string[]
    readonly different_host: readonly string[]
  }
}

export const createShare = async (share: NewShare): Promise<Share> =>
  (await askJson<{ share: Share }>(at('/shares'), { method: 'POST', body: { share }, headers })).share

export const updateShare = (id: string, share: Partial<Pick<Share, 'name' | 'description' | 'is_public'>>) =>
  askJson(at(pathOf`/shares/${id}`), { method: 'PUT', body: { share }, headers })

export const deleteShare = (id: string): Promise<unknown> =>
  ask(at(pathOf`/shares/${id}`), { method: 'DELETE', headers })

/** One of the verbs of a share, with what it needs. */
export const actOnShare = <T = unknown>(id: string, action: string, value: unknown = null): Promise<T> =>
  askJson<T>(at(pathOf`/shares/${id}/action`), { method: 'POST', body: { [action]: value }, headers })

export const setMetadata = (id: string, metadata: Readonly<Record<string, string>>): Promise<unknown> =>
  askJson(at(pathOf`/shares/${id}/metadata`), { method: 'POST', body: { metadata }, headers })

export const deleteMetadata = (id: string, key: string): Promise<unknown> =>
  ask(at(pathOf`/shares/${id}/metadata/${key}`), { method: 'DELETE', headers })

export interface ExportLocation {
  readonly id: string
  readonly path: string
}

export const readExports = async (id: string): Promise<readonly ExportLocation[]> =>
  (
    await askJson<{ export_locations: ExportLocation[] }>(at(pathOf`/shares/${id}/export_locations`), {
      headers,
    })
  ).export_locations

export interface Message {
  readonly id: string
  readonly action_id: string
  readonly message_level: string
  readonly user_message: string
  readonly resource_id: string
  readonly created_at: string
}

export const readMessages = async (id: string): Promise<readonly Message[]> =>
  (await askJson<{ messages: Message[] }>(at(`/messages${queryOf({ resource_id: id })}`), { headers }))
    .messages

export const deleteMessage = (id: string): Promise<unknown> =>
  ask(at(pathOf`/messages/${id}`), { method: 'DELETE', headers })

export interface Snapshot {
  readonly id: string
  readonly name: string | null
  readonly share_id: string
  readonly status: string
  readonly size: number
  readonly created_at: string
}

/** Of one share, or all that can be seen. */
export const readSnapshots = async (isAdmin: boolean, share?: string): Promise<readonly Snapshot[]> => {
  const query = queryOf({ ...(isAdmin ? { all_tenants: 1 } : {}), ...(share ? { share_id: share } : {}) })
  return (await askJson<{ snapshots: Snapshot[] }>(at(`/snapshots/detail${query}`), { headers })).snapshots
}

export const createSnapshot = (share: string, name: string): Promise<unknown> =>
  askJson(at('/snapshots'), {
    method: 'POST',
    body: { snapshot: { share_id: share, name: name === '' ? null : name } },
    headers,
  })

export const deleteSnapshot = (id: string): Promise<unknown> =>
  ask(at(pathOf`/snapshots/${id}`), { method: 'DELETE', headers })

export interface ShareType {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly is_default: boolean
  readonly extra_specs: Readonly<Record<string, string>>
}

/** Admins see those of some projects too. */
export const readTypes = async (isAdmin: boolean): Promise<readonly ShareType[]> =>
  (await askJson<{ share_types: ShareType[] }>(at(`/types${isAdmin ? '?is_public=all' : ''}`), { headers }))
    .share_types

export const readZones = async (): Promise<readonly string[]> =>
  (
    await askJson<{ availability_zones: { name: string }[] }>(at('/availability-zones'), { headers })
  ).availability_zones.map(({ name }) => name)

export type Limits = Readonly<Record<string, number>>

/** Null where the token is for no project. */
export async function readLimits(): Promise<Limits | null> {
  try {
    return (await askJson<{ limits: { absolute: Limits } }>(at('/limits'), { headers })).limits.absolute
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return null
    throw error
  }
}

export interface PoolRefusal {
  readonly filter: string
  readonly reasons: readonly { readonly code: string; readonly text: string }[]
}

export interface PoolVerdict {
  readonly pool: string
  readonly passes: boolean
  readonly free_gb: number
  readonly refusals: readonly PoolRefusal[]
  readonly weight: number | null
}

export interface ShareExplanation {
  readonly fits: boolean
  readonly reason: string | null
  readonly funnel: readonly { readonly filter: string; readonly before: number; readonly after: number }[]
  /** For admins only, as are all pools. */
  readonly pool: string | null
  readonly pools: readonly PoolVerdict[]
}

export interface ShareWish {
  readonly size: number
  readonly share_type?: string
  readonly availability_zone?: string
  readonly snapshot_id?: string
  readonly same_host: readonly string[]
  readonly different_host: readonly string[]
}

export const explainWish = (wish: ShareWish): Promise<ShareExplanation> =>
  askJson('/v1/explain/share', { method: 'POST', body: wish })

export type HintKind = 'same_host' | 'different_host'

export interface ExplainedShare {
  readonly share: string
  readonly moved_against_hints: boolean
  readonly hints: readonly {
    readonly kind: HintKind
    readonly share: string
    readonly same_back_end: boolean | null
  }[]
  readonly explanation: ShareExplanation
}

export const explainPlace = (id: string): Promise<ExplainedShare> => askJson(pathOf`/v1/explain/share/${id}`)

export const readBeside = async (one: string, other: string): Promise<boolean | null> =>
  (await askJson<{ same_back_end: boolean | null }>(pathOf`/v1/shares/${one}/beside/${other}`)).same_back_end

export interface Target extends PoolVerdict {
  readonly is_here: boolean
  readonly force_helps: boolean
}

export interface Targets {
  readonly snapshots: number
  readonly pools: readonly Target[]
}

export const readTargets = (id: string, type: string | null): Promise<Targets> =>
  askJson(pathOf`/v1/explain/share/${id}/migration` + queryOf(type === null ? {} : { share_type: type }))

export const startMigration = (
  id: string,
  to: { readonly host: string; readonly type: string | null; readonly force: boolean },
): Promise<unknown> =>
  actOnShare(id, 'migration_start', {
    host: to.host,
    force: to.force,
    preserve_metadata: true,
    preserve_snapshots: true,
    writable: true,
    nondisruptive: false,
    ...(to.type === null ? {} : { new_share_type_id: to.type }),
  })

/** The pools in which a share holds room: two while it is being moved. By the uuids of their providers. */
export const readHoldings = async (id: string): Promise<readonly string[]> =>
  Object.keys(
    (await askJson<{ allocations: Record<string, unknown> }>(pathOf`/placement/allocations/${id}`))
      .allocations,
  )

/** The decision by which it was made; null where it is no longer kept. */
export async function readShareDecision(id: string): Promise<string | null> {
  type Answer = { decisions: { id: string; kind: string }[] }
  const { decisions } = await askJson<Answer>(`/v1/decisions${queryOf({ instance: id })}`)
  return decisions.findLast(({ kind }) => kind === 'share')?.id ?? null
}
