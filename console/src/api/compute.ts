import type { Flavor, HostAggregate, NewFlavor, ServerGroup } from '../../../src/wire/openstack-compute.ts'
import { ask, askJson } from './http.ts'

const headers = { 'openstack-api-version': 'compute 2.93' }
const at = (path: string): string => `/compute/v2.1${path}`

const PAGE = 1_000

export async function readFlavors(isAdmin: boolean): Promise<Flavor[]> {
  const all: Flavor[] = []
  for (;;) {
    const marker = all.length === 0 ? '' : `&marker=${encodeURIComponent(all.at(-1)?.id as string)}`
    const page = await askJson<{ flavors: Flavor[]; flavors_links?: unknown }>(
      at(`/flavors/detail?limit=${PAGE}${isAdmin ? '&is_public=None' : ''}${marker}`),
      { headers },
    )
    all.push(...page.flavors)
    if (page.flavors_links === undefined) return all
  }
}

export const createFlavor = async (flavor: NewFlavor): Promise<Flavor> =>
  (await askJson<{ flavor: Flavor }>(at('/flavors'), { method: 'POST', headers, body: { flavor } })).flavor

export const deleteFlavor = (id: string): Promise<unknown> =>
  askJson(at(`/flavors/${encodeURIComponent(id)}`), { method: 'DELETE', headers })

/** The projects that may use a private flavor. */
export const readFlavorAccess = async (id: string): Promise<readonly string[]> =>
  (
    await askJson<{ flavor_access: { tenant_id: string }[] }>(
      at(`/flavors/${encodeURIComponent(id)}/os-flavor-access`),
      { headers },
    )
  ).flavor_access.map(({ tenant_id }) => tenant_id)

export const changeFlavorAccess = (id: string, project: string, isIn: boolean): Promise<unknown> =>
  askJson(at(`/flavors/${encodeURIComponent(id)}/action`), {
    method: 'POST',
    headers,
    body: { [isIn ? 'addTenantAccess' : 'removeTenantAccess']: { tenant: project } },
  })

/** Warnings of Berth about accepted values that may not do what is expected. */
const warningOf = (answer: Response): string | null => answer.headers.get('berth-warning')

export async function setExtraSpecs(
  id: string,
  specs: Readonly<Record<string, string>>,
): Promise<string | null> {
  const path = at(`/flavors/${encodeURIComponent(id)}/os-extra_specs`)
  return warningOf(await ask(path, { method: 'POST', headers, body: { extra_specs: specs } }))
}

export const deleteExtraSpec = (id: string, key: string): Promise<unknown> =>
  askJson(at(`/flavors/${encodeURIComponent(id)}/os-extra_specs/${encodeURIComponent(key)}`), {
    method: 'DELETE',
    headers,
  })

export const readServerGroups = async (isAdmin: boolean): Promise<readonly ServerGroup[]> =>
  (
    await askJson<{ server_groups: ServerGroup[] }>(
      at(`/os-server-groups${isAdmin ? '?all_projects=True' : ''}`),
      { headers },
    )
  ).server_groups

export const readAggregates = async (): Promise<HostAggregate[]> =>
  (await askJson<{ aggregates: HostAggregate[] }>(at('/os-aggregates'), { headers })).aggregates

export const createAggregate = async (name: string, zone: string | null): Promise<HostAggregate> =>
  (
    await askJson<{ aggregate: HostAggregate }>(at('/os-aggregates'), {
      method: 'POST',
      headers,
      body: { aggregate: { name, ...(zone === null ? {} : { availability_zone: zone }) } },
    })
  ).aggregate

export const deleteAggregate = (id: number): Promise<unknown> =>
  askJson(at(`/os-aggregates/${id}`), { method: 'DELETE', headers })

const act = (id: number, action: Readonly<Record<string, unknown>>): Promise<Response> =>
  ask(at(`/os-aggregates/${id}/action`), { method: 'POST', headers, body: action })

export const addHost = (id: number, host: string): Promise<Response> => act(id, { add_host: { host } })
export const removeHost = (id: number, host: string): Promise<Response> => act(id, { remove_host: { host } })

/** Null removes a key. */
export const setAggregateMetadata = async (
  id: number,
  metadata: Readonly<Record<string, string | null>>,
): Promise<string | null> => warningOf(await act(id, { set_metadata: { metadata } }))
