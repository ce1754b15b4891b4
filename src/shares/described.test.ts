/** Asks every route in versions that differ: the server of a test holds each answer against what its route declares. */
import { expect, test } from 'vitest'
import { ShareClient } from './share-client.fixture.ts'
import { type Features, versions } from './versions.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Shown = any

/** Routes that have answered with success. */
const answered = new Set<string>()

class Walk {
  readonly client: ShareClient
  readonly features: Features
  readonly #minor: number
  readonly #token: string

  constructor(client: ShareClient, minor: number, token = 'admin:ops') {
    this.client = client
    this.features = versions.featuresOf(minor)
    this.#minor = minor
    this.#token = token
  }

  as(token: string): Walk {
    return new Walk(this.client, this.#minor, token)
  }

  /** Older versions have `os-` in front of some names. */
  get os(): string {
    return this.features.coreNames ? '' : 'os-'
  }

  /** The path of the route, with a value for each of its parameters in turn. */
  async ask(
    method: string,
    route: string,
    values: readonly string[] = [],
    body?: unknown,
    query = '',
  ): Promise<Shown> {
    let next = 0
    const path = route.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values[next++] as string))
    const asked = { minor: this.#minor, token: this.#token, ...(body === undefined ? {} : { body }) }
    const below = this.#minor % 2 === 0 ? '' : '/ops'
    const { status, text, json } = await this.client.ask(method, `${below}${path}${query}`, asked)
    expect(status, `${method} ${path}${query} ${text}`).toBeLessThan(300)
    answered.add(`${method} ${route}`)
    return json
  }
}

async function walkTypes(walk: Walk): Promise<void> {
  const { features, os } = walk
  const type = '/types/{type_id}'
  const isPublic = features.coreNames ? 'share_type_access:is_public' : 'os-share-type-access:is_public'
  const extra_specs = { driver_handles_share_servers: false, 'provisioning:max_share_size': '20' }
  const { share_type } = await walk.ask('POST', '/types', [], {
    share_type: { name: 'gold', extra_specs, [isPublic]: 'False', description: null },
  })
  await walk.ask('POST', '/types', [], { volume_type: { name: 'tin', extra_specs, [isPublic]: 1 } })
  const { id } = share_type
  await walk.ask('GET', '/types', [], undefined, '?is_public=all')
  await walk.as('ann:ops').ask('GET', '/types')
  await walk.ask('GET', '/types/default')
  await walk.ask('GET', type, [id])
  if (features.typeUpdate) await walk.ask('PUT', type, [id], { share_type: { description: 'Fast.' } })
  const specs = `${type}/extra_specs`
  await walk.ask('POST', specs, [id], { extra_specs: { snapshot_support: true, colour: 'red' } })
  await walk.ask('PUT', `${specs}/{key}`, [id, 'colour'], { colour: 'blue' })
  await walk.ask('GET', specs, [id])
  await walk.ask('GET', `${specs}/{key}`, [id, 'colour'])
  await walk.ask('DELETE', `${specs}/{key}`, [id, 'colour'])
  await walk.ask('POST', `${type}/action`, [id], { addProjectAccess: { project: 'ops' } })
  await walk.ask('GET', `${type}/${features.coreNames ? 'share_type_access' : 'os-share-type-access'}`, [id])
  await walk.ask('POST', `${type}/action`, [id], { removeProjectAccess: { project: 'ops' } })
  const query = features.typeQuotas ? '?share_type=gold' : ''
  const quotas = { shares: '9', gigabytes: 90, snapshots: null, force: true }
  await walk.ask('PUT', `/${os}quota-sets/{project}`, ['ops'], { quota_set: quotas }, query)
  await walk.ask('GET', `/${os}quota-sets/{project}`, ['ops'], undefined, query)
  if (features.quotaDetail) await walk.ask('GET', '/quota-sets/{project}/detail', ['ops'], undefined, query)
  await walk.ask('DELETE', `/${os}quota-sets/{project}`, ['ops'], undefined, query)
  await walk.ask('DELETE', type, [id])
}

async function walkQuotas(walk: Walk): Promise<void> {
  const { os, features } = walk
  const set = `/${os}quota-sets/{project}`
  await walk.ask('GET', set, ['ops'])
  await walk.ask('GET', `${set}/defaults`, ['ops'])
  if (features.quotaDetail) await walk.ask('GET', `${set}/detail`, ['ops'])
  const classSet = `/${os}quota-class-sets/{class}`
  await walk.ask('PUT', classSet, ['default'], { quota_class_set: { class_name: 'default', shares: -1 } })
  await walk.ask('GET', classSet, ['default'])
  await walk.ask('GET', '/limits')
}

async function walkBackends(walk: Walk): Promise<void> {
  const { os, features } = walk
  await walk.ask('GET', features.coreNames ? '/availability-zones' : '/os-availability-zone')
  await walk.ask('GET', `/${os}services`)
  const service = { host: 'farm@alpha', binary: 'manila-share', disabled_reason: 'It is old.' }
  await walk.ask('PUT', `/${os}services/{action}`, ['disable'], service)
  await walk.ask('GET', `/${os}services`, [], undefined, '?status=disabled')
  await walk.ask('PUT', `/${os}services/{action}`, ['enable'], service)
  await walk.ask('GET', '/scheduler-stats/pools', [], undefined, '?host=farm')
  await walk.ask('GET', '/scheduler-stats/pools/detail', [], undefined, '?share_type=default')
}

async function walkAbsent(walk: Walk): Promise<void> {
  const { instances, shareGroups } = walk.features
  for (const name of ['share-networks', 'security-services']) {
    await walk.ask('GET', `/${name}`)
    await walk.ask('GET', `/${name}/detail`)
  }
  await walk.ask('GET', '/share-servers')
  if (instances) await walk.ask('GET', '/share_instances')
  if (!shareGroups) return
  await walk.ask('GET', '/share-group-types')
  for (const name of ['share-groups', 'share-group-snapshots']) {
    await walk.ask('GET', `/${name}`)
    await walk.ask('GET', `/${name}/detail`)
  }
}

const one = '/shares/{share_id}'

/** The id of a share that is there. */
async function walkShares(walk: Walk): Promise<string> {
  const fields = { size: '1', share_proto: 'nfs', display_name: 'x', is_public: 'no', share_group_id: null }
  const share = { ...fields, metadata: { a: 'b' }, availability_zone: null, share_type: 'on-alpha' }
  const { id } = (await walk.ask('POST', '/shares', [], { share })).share
  await walk.client.settled(id)
  await walk.ask('POST', '/shares', [], {
    share: { size: 1, share_proto: 'CIFS', scheduler_hints: { different_host: id, same_host: [] } },
  })
  await walk.ask('GET', '/shares', [], undefined, '?limit=1&with_count=true&sort_key=size&sort_dir=asc')
  await walk.ask('GET', '/shares/detail', [], undefined, '?all_tenants=1&status=available&name~=x')
  await walk.as('ann:ops').ask('GET', '/shares/detail', [], undefined, "?metadata={'a':'b'}&offset=0")
  await walk.as('ann:ops').ask('GET', one, [id])
  await walk.ask('PUT', one, [id], { share: { display_description: 'y', is_public: true } })
  const metadata = `${one}/metadata`
  await walk.ask('POST', metadata, [id], { metadata: { c: 'd' } })
  await walk.ask('PUT', metadata, [id], { metadata: { e: '' } })
  await walk.ask('PUT', `${metadata}/{key}`, [id, 'e'], { meta: { e: 'f' } })
  await walk.ask('GET', metadata, [id])
  await walk.ask('GET', `${metadata}/{key}`, [id, 'e'])
  await walk.ask('DELETE', `${metadata}/{key}`, [id, 'e'])
  if (walk.features.exportLocations) {
    const locations = `${one}/export_locations`
    const [location] = (await walk.ask('GET', locations, [id])).export_locations
    await walk.ask('GET', `${locations}/{location_id}`, [id, location.id])
    await walk.as('ann:ops').ask('GET', `${locations}/{location_id}`, [id, location.id])
  }
  return id
}

async function walkAccess(walk: Walk, share: string): Promise<void> {
  const { os, features } = walk
  const act = (action: object) => walk.ask('POST', `${one}/action`, [share], action)
  const wish = { access_type: 'ip', access_to: '10.0.0.1', access_level: null, metadata: { a: 'b' } }
  const { access } = await act({ [`${os}allow_access`]: wish })
  if (features.accessRules) {
    await walk.ask('GET', '/share-access-rules', [], undefined, `?share_id=${share}&access_level=rw`)
    const rule = '/share-access-rules/{access_id}'
    await walk.ask('GET', rule, [access.id])
    await walk.ask('PUT', `${rule}/metadata`, [access.id], { metadata: { c: 'd' } })
    await walk.ask('DELETE', `${rule}/metadata/{key}`, [access.id, 'c'])
  } else await act({ [`${os}access_list`]: null })
  await act({ [`${os}deny_access`]: { access_id: access.id } })
}

async function walkSnapshots(walk: Walk): Promise<void> {
  const { os, client } = walk
  const { id: share_id } = await client.placed({ share_type: 'default' })
  const make = async (name: string): Promise<string> =>
    (await walk.ask('POST', '/snapshots', [], { snapshot: { share_id, name, force: 'false' } })).snapshot.id
  const snapshot = '/snapshots/{snapshot_id}'
  const id = await make('one')
  await walk.ask('GET', '/snapshots', [], undefined, '?with_count=true&limit=5&sort_dir=asc')
  await walk.ask('GET', '/snapshots/detail', [], undefined, `?all_tenants=1&share_id=${share_id}`)
  await walk.ask('GET', snapshot, [id])
  await walk.ask('PUT', snapshot, [id], { snapshot: { display_name: null, description: 'Old.' } })
  await walk.ask('POST', `${snapshot}/action`, [id], { [`${os}reset_status`]: { status: 'error' } })
  await walk.ask('POST', `${snapshot}/action`, [id], { [`${os}force_delete`]: null })
  const other = await make('two')
  await walk.ask('POST', `${snapshot}/action`, [other], { reset_status: { status: 'available' } })
  await walk.ask('DELETE', snapshot, [other])
}

async function walkActions(walk: Walk, share: string): Promise<void> {
  const { os, features, client } = walk
  const act = (action: object) => walk.ask('POST', `${one}/action`, [share], action)
  await act({ [`${os}extend`]: { new_size: '3' } })
  await client.settled(share)
  await act({ [`${os}shrink`]: { new_size: 2, force: 1 } })
  await client.settled(share)
  if (features.migrationFlags) {
    const { host } = await client.show(share)
    const flags = { writable: 'False', nondisruptive: false, preserve_metadata: 0, preserve_snapshots: null }
    await act({ migration_start: { host, ...flags, new_share_network_id: null } })
    const target = host === 'farm@alpha#a1' ? 'farm@alpha#a2' : 'farm@alpha#a1'
    await act({ migration_start: { host: target, ...flags } })
    await client.settled(share)
    await act({ migration_get_progress: null })
    await act({ migration_complete: null })
    await client.settled(share)
    await act({ reset_task_state: { task_state: 'None' } })
  }
  if (features.softDelete) {
    await act({ soft_delete: null })
    await walk.ask('GET', '/shares/detail', [], undefined, '?is_soft_deleted=true')
    await act({ restore: null })
    await act({ restore: null })
  }
  await act({ [`${os}reset_status`]: { status: 'error' } })
  await walk.ask('GET', one, [share])
  await act({ [`${os}force_delete`]: null })
  await client.settled(share)
}

async function walkMessages(walk: Walk): Promise<void> {
  if (!walk.features.messages) return
  await walk.client.settled(await walk.client.create({ size: 500 }))
  const query = '?message_level=ERROR&limit=3&created_since=2020-01-01'
  const [{ id }] = (await walk.ask('GET', '/messages', [], undefined, query)).messages
  await walk.ask('GET', '/messages/{message_id}', [id])
  await walk.ask('DELETE', '/messages/{message_id}', [id])
}

test.each([0, 6, 7, 13, 23, 29, 33, 39, 44, 45, 53, 62, 69, 74, 83, 87])(
  'in version 2.%i every answer is as its route declares',
  async minor => {
    const client = await ShareClient.start()
    const walk = new Walk(client, minor)
    await walkTypes(walk)
    await walkQuotas(walk)
    await walkBackends(walk)
    await walkAbsent(walk)
    const share = await walkShares(walk)
    await walkAccess(walk, share)
    await walkSnapshots(walk)
    await walkActions(walk, share)
    await walkMessages(walk)
    const { id } = await client.placed()
    await walk.ask('DELETE', one, [id])
    await client.settled(id)
    await client.berth.end()
  },
)

test('no route was left out', async () => {
  const client = await ShareClient.start()
  const served = client.berth.server.routes
    .filter(({ mount, path }) => mount === '/share' && /^\/v2\/(?!\{project_id\})./.test(path))
    .map(({ method, path }) => `${method} ${path.slice('/v2'.length)}`)
  await client.berth.end()
  expect([...answered].sort()).toEqual(served.sort())
})
