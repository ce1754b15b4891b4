import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShareClient } from './share-client.fixture.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

test.each([
  ['/share-networks', 'share_networks', 0],
  ['/share-networks/detail?all_tenants=True', 'share_networks', 0],
  ['/security-services', 'security_services', 0],
  ['/security-services/detail', 'security_services', 0],
  ['/share-servers', 'share_servers', 0],
  ['/share_instances', 'share_instances', 3],
  ['/share-groups', 'share_groups', 31],
  ['/share-groups/detail', 'share_groups', 31],
  ['/share-group-snapshots/detail', 'share_group_snapshots', 31],
  ['/share-group-types?is_public=all', 'share_group_types', 31],
])('%s is empty', async (path, name, since) => {
  expect((await client.ask('GET', path, { minor: since })).json).toEqual({ [name]: [] })
  if (since > 0) expect((await client.ask('GET', path, { minor: since - 1 })).status).toBe(404)
})

test('share servers and instances are for admins, the other lists for readers of a project', async () => {
  const status = async (path: string) => (await client.ask('GET', path, { token: 'u:p:reader' })).status
  expect(await status('/share-servers')).toBe(403)
  expect(await status('/share_instances')).toBe(403)
  expect(await status('/share-networks/detail')).toBe(200)
  expect(await status('/share-groups/detail')).toBe(200)
})

test('share groups need the header for experiments before 2.55', async () => {
  const ask = (minor: number) =>
    fetch(`${client.berth.server.url}/share/v2/share-groups`, {
      headers: { 'x-auth-token': 'admin:ops', 'x-openstack-manila-api-version': `2.${minor}` },
    })
  expect((await ask(54)).status).toBe(404)
  expect((await ask(55)).status).toBe(200)
})
