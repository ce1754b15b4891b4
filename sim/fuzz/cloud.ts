/** Creates what exists before the first request, and restores it, so that a run does not grow without bound. */
import type { Ids } from './ids.ts'
import type { Admin } from './roles.ts'

const HOSTS = Array.from({ length: 12 }, (_, nth) => `host-${nth}`)

export async function buildCloud(admin: Admin): Promise<void> {
  await admin.must('PUT', '/placement/traits/CUSTOM_FAST')
  await admin.must('PUT', '/placement/resource_classes/CUSTOM_GPU')
  const inventories = { VCPU: { total: 64 }, MEMORY_MB: { total: 65_536 }, DISK_GB: { total: 1_000 } }
  const pool = (name: string) => ({ name, total_gb: 1_000 })
  await admin.must('POST', '/v1/apply?owner=fuzz-base', {
    hosts: HOSTS.map(name => ({ name, inventories, traits: ['CUSTOM_FAST'] })),
    flavors: ['small', 'large'].map(name => ({
      name,
      id: name,
      ram: 512,
      vcpus: 1,
      disk: 1,
      extra_specs: { rack: 'a' },
    })),
    aggregates: [
      { name: 'rack-a', metadata: { rack: 'a', rows: '<or> 1 <or> 2' }, hosts: HOSTS.slice(0, 6) },
    ],
    shares: {
      host: 'farm',
      default_share_type: 'default',
      share_types: [{ name: 'default', extra_specs: { snapshot_support: 'True' } }],
      backends: [
        { name: 'alpha', pools: [pool('a1'), pool('a2')] },
        { name: 'beta', pools: [pool('b1')] },
      ],
    },
  })
}

/** Collections of the services: where they are listed, and how one of them is deleted. Dependent ones come first. */
const COLLECTIONS: readonly (readonly [list: string, key: string, field: string, remove: string])[] = [
  ['/share/v2/snapshots?all_tenants=1', 'snapshots', 'id', '/share/v2/snapshots/ID'],
  ['/share/v2/shares?all_tenants=1', 'shares', 'id', '/share/v2/shares/ID'],
  ['/share/v2/types?is_public=all', 'share_types', 'id', '/share/v2/types/ID'],
  ['/share/v2/messages', 'messages', 'id', '/share/v2/messages/ID'],
  [
    '/compute/v2.1/os-server-groups?all_projects=True',
    'server_groups',
    'id',
    '/compute/v2.1/os-server-groups/ID',
  ],
  ['/compute/v2.1/flavors?is_public=None', 'flavors', 'id', '/compute/v2.1/flavors/ID'],
  ['/image/v2/metadefs/namespaces?limit=1000', 'namespaces', 'namespace', '/image/v2/metadefs/namespaces/ID'],
  ['/v1/tokens', 'tokens', 'id', '/v1/tokens/ID'],
  ['/identity/v3/users', 'users', 'id', '/identity/v3/users/ID'],
  ['/identity/v3/projects', 'projects', 'id', '/identity/v3/projects/ID'],
  ['/identity/v3/roles', 'roles', 'id', '/identity/v3/roles/ID'],
]

/** Removes what was not there at the start. */
export class Sweeper {
  readonly #admin: Admin
  readonly #base = new Set<string>()

  constructor(admin: Admin) {
    this.#admin = admin
  }

  async remember(): Promise<void> {
    for (const collection of COLLECTIONS) for (const id of await this.#list(collection)) this.#base.add(id)
    for (const { uuid } of await this.#providers()) this.#base.add(uuid)
    for (const name of await this.#names()) this.#base.add(name)
  }

  async sweep(): Promise<void> {
    // What share types and flavors depend on goes in a second round.
    for (let round = 0; round < 2; round++) {
      await this.#sweepProviders()
      for (const collection of COLLECTIONS)
        for (const id of await this.#list(collection))
          if (!this.#base.has(id)) await this.#remove(collection[3].replace('ID', encodeURIComponent(id)))
    }
    for (const name of await this.#names())
      if (!this.#base.has(name))
        await this.#remove(
          `/placement/${name.startsWith('class ') ? 'resource_classes' : 'traits'}/${name.split(' ')[1]}`,
        )
    const { json } = await this.#admin.ask('GET', '/compute/v2.1/os-aggregates')
    for (const { id, name, hosts } of json?.aggregates ?? []) {
      if (name === 'rack-a') continue
      for (const host of hosts ?? [])
        await this.#admin.ask('POST', `/compute/v2.1/os-aggregates/${id}/action`, { remove_host: { host } })
      await this.#remove(`/compute/v2.1/os-aggregates/${id}`)
    }
  }

  /** Restores what was there at the start. */
  async teach(ids: Ids): Promise<void> {
    await buildCloud(this.#admin)
    await this.remember()
    for (const { uuid, name } of await this.#providers()) {
      ids.add('provider', uuid)
      if (name.startsWith('host-')) ids.add('host', name)
    }
    for (const name of ['VCPU', 'MEMORY_MB', 'DISK_GB', 'CUSTOM_GPU']) ids.add('class', name)
    for (const name of ['CUSTOM_FAST', 'HW_CPU_X86_AVX']) ids.add('trait', name)
    for (const name of ['small', 'large']) ids.add('flavor', name)
    for (const name of ['farm@alpha#a1', 'farm@beta#b1']) ids.add('pool', name)
    for (const name of ['tier', 'p']) ids.add('property', name)
    ids.add('type', 'default')
    ids.add('aggregate', '1')
    ids.add('resourceType', 'OS::Nova::Flavor')
  }

  async #providers(): Promise<{ uuid: string; name: string; parent_provider_uuid: string | null }[]> {
    const { json } = await this.#admin.ask('GET', '/placement/resource_providers')
    return json?.resource_providers ?? []
  }

  async #names(): Promise<string[]> {
    const classes = (await this.#admin.ask('GET', '/placement/resource_classes')).json?.resource_classes ?? []
    const traits = (await this.#admin.ask('GET', '/placement/traits')).json?.traits ?? []
    return [
      ...classes.map(({ name }: { name: string }) => `class ${name}`),
      ...traits.map((name: string) => `trait ${name}`),
    ]
  }

  async #sweepProviders(): Promise<void> {
    const providers = await this.#providers()
    for (const { uuid } of providers) {
      const { json } = await this.#admin.ask('GET', `/placement/resource_providers/${uuid}/allocations`)
      for (const consumer of Object.keys(json?.allocations ?? {}))
        await this.#remove(`/placement/allocations/${consumer}`)
    }
    // Children come after their parents in the list, so the last go first.
    for (const { uuid } of providers.reverse())
      if (!this.#base.has(uuid)) await this.#remove(`/placement/resource_providers/${uuid}`)
  }

  async #list([list, key, field]: (typeof COLLECTIONS)[number]): Promise<string[]> {
    const { json } = await this.#admin.ask('GET', list)
    return (json?.[key] ?? []).map((row: Record<string, unknown>) => String(row[field]))
  }

  /** What cannot be deleted stays. */
  async #remove(path: string): Promise<void> {
    await this.#admin.ask('DELETE', path)
  }
}
