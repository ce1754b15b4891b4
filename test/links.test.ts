/** Every link that the API gives works where it is mounted. */
import { afterAll, describe, expect, test } from 'vitest'
import { MINOR_MAX } from '../src/placement/versions.ts'
import { PLACEMENT_MINOR_NEWEST } from '../src/wire/openstack-placement.ts'
import { Berth, uuid } from './running-berth.ts'

describe.each([
  ['at the root', 'placement'],
  ['under its mount', null],
] as const)('%s', (_, only) => {
  const started = Berth.start({ only })
  afterAll(async () => (await started).end())

  test('the links of a provider can be followed at every version that shows them', async () => {
    const berth = await started
    await berth.ask('POST', '/resource_providers', { body: { name: 'host', uuid: uuid(1) } })
    for (let minor = 0; minor <= MINOR_MAX; minor++) {
      const { json } = await berth.ask('GET', '/resource_providers', { minor })
      for (const { rel, href } of json.resource_providers[0].links) {
        expect(href.startsWith(`${berth.mount}/resource_providers/`), href).toBe(true)
        const followed = await berth.ask('GET', href.slice(berth.mount.length), { minor })
        expect([rel, minor, followed.status]).toEqual([rel, minor, 200])
      }
    }
  })

  test('the links of resource classes can be followed', async () => {
    const berth = await started
    const { json } = await berth.ask('GET', '/resource_classes', { minor: MINOR_MAX })
    const { href } = json.resource_classes.at(-1).links[0]
    expect((await berth.ask('GET', href.slice(berth.mount.length), { minor: MINOR_MAX })).status).toBe(200)
  })

  test.each([
    ['POST', '/resource_providers', { name: 'second', uuid: uuid(2) }],
    ['PUT', '/traits/CUSTOM_LINKED', undefined],
    ['PUT', '/resource_classes/CUSTOM_LINKED', undefined],
    ['POST', `/resource_providers/${uuid(1)}/inventories`, { resource_class: 'VCPU', total: 4 }],
  ])('Location after %s %s leads to what was made', async (method, path, body) => {
    const berth = await started
    const made = await berth.ask(method, path, body === undefined ? { minor: 39 } : { minor: 39, body })
    const location = made.headers.get('location') as string
    expect(location.startsWith(`${berth.server.url}${berth.mount}/`), location).toBe(true)
    const below = location.slice(`${berth.server.url}${berth.mount}`.length)
    expect([200, 204]).toContain((await berth.ask('GET', below, { minor: 39 })).status)
  })

  test('the version document has both ends of the range, and our clients ask for the newest', async () => {
    expect(PLACEMENT_MINOR_NEWEST).toBe(MINOR_MAX)
    const berth = await started
    const { json } = await berth.ask('GET', '/')
    expect(json.versions[0]).toMatchObject({
      min_version: '1.0',
      max_version: `1.${MINOR_MAX}`,
      status: 'CURRENT',
    })
  })
})
