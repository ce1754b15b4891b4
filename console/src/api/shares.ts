import type {
  NewShare,
  Share,
  ShareAccessRule,
  ShareExportLocation,
  ShareLimits,
  ShareMessage,
  ShareSnapshot,
  ShareType,
} from '../../../src/wire/openstack-shares.ts'
import type {
  ExplainedShare,
  ShareAsk,
  ShareExplanation,
  ShareTargets,
} from '../../../src/wire/share-explanation.ts'
import { ask, askJson, Failure, pathOf, queryOf } from './http.ts'

const headers = {
  'x-openstack-manila-api-version': '2.83',
  'x-openstack-manila-api-experimental': 'True',
}
const at = (path: string): string => `/share/v2${path}`

const PAGE = 1_000

/** The newest first: those of the user's project and public ones; all for admins. */
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

export const readExports = async (id: string): Promise<readonly ShareExportLocation[]> =>
  (
    await askJson<{ export_locations: ShareExportLocation[] }>(at(pathOf`/shares/${id}/export_locations`), {
      headers,
    })
  ).export_locations

export const readAccess = async (id: string): Promise<readonly ShareAccessRule[]> =>
  (
    await askJson<{ access_list: ShareAccessRule[] }>(at(`/share-access-rules${queryOf({ share_id: id })}`), {
      headers,
    })
  ).access_list

export const readMessages = async (id: string): Promise<readonly ShareMessage[]> =>
  (await askJson<{ messages: ShareMessage[] }>(at(`/messages${queryOf({ resource_id: id })}`), { headers }))
    .messages

export const deleteMessage = (id: string): Promise<unknown> =>
  ask(at(pathOf`/messages/${id}`), { method: 'DELETE', headers })

/** Of one share, or of all visible ones. */
export const readSnapshots = async (isAdmin: boolean, share?: string): Promise<readonly ShareSnapshot[]> => {
  const query = queryOf({ ...(isAdmin ? { all_tenants: 1 } : {}), ...(share ? { share_id: share } : {}) })
  return (await askJson<{ snapshots: ShareSnapshot[] }>(at(`/snapshots/detail${query}`), { headers }))
    .snapshots
}

export const createSnapshot = (share: string, name: string): Promise<unknown> =>
  askJson(at('/snapshots'), {
    method: 'POST',
    body: { snapshot: { share_id: share, name: name === '' ? null : name } },
    headers,
  })

export const deleteSnapshot = (id: string): Promise<unknown> =>
  ask(at(pathOf`/snapshots/${id}`), { method: 'DELETE', headers })

/** For admins, also those of some projects. */
export const readTypes = async (isAdmin: boolean): Promise<readonly ShareType[]> =>
  (await askJson<{ share_types: ShareType[] }>(at(`/types${isAdmin ? '?is_public=all' : ''}`), { headers }))
    .share_types

export const readZones = async (): Promise<readonly string[]> =>
  (
    await askJson<{ availability_zones: { name: string }[] }>(at('/availability-zones'), { headers })
  ).availability_zones.map(({ name }) => name)

/** Null if the token has no project. */
export async function readLimits(): Promise<ShareLimits | null> {
  try {
    return (await askJson<{ limits: { absolute: ShareLimits } }>(at('/limits'), { headers })).limits.absolute
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return null
    throw error
  }
}

export const explainWish = (wish: ShareAsk): Promise<ShareExplanation> =>
  askJson('/v1/explain/share', { method: 'POST', body: wish })

export const explainPlace = (id: string): Promise<ExplainedShare> => askJson(pathOf`/v1/explain/share/${id}`)

export const readBeside = async (one: string, other: string): Promise<boolean | null> =>
  (await askJson<{ same_back_end: boolean | null }>(pathOf`/v1/shares/${one}/beside/${other}`)).same_back_end

export const readTargets = (id: string, type: string | null): Promise<ShareTargets> =>
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

/** The pools in which a share has allocations, by provider uuid: two during a move. */
export const readHoldings = async (id: string): Promise<readonly string[]> =>
  Object.keys(
    (await askJson<{ allocations: Record<string, unknown> }>(pathOf`/placement/allocations/${id}`))
      .allocations,
  )

/** The decision that placed it; null if it is no longer kept. */
export async function readShareDecision(id: string): Promise<string | null> {
  type Answer = { decisions: { id: string; kind: string }[] }
  const { decisions } = await askJson<Answer>(`/v1/decisions${queryOf({ instance: id })}`)
  return decisions.findLast(({ kind }) => kind === 'share')?.id ?? null
}
