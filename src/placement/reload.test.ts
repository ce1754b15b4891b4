/** A failover may replace the whole world: routes that exist already must show the new one. */
import { expect, test } from 'vitest'
import { SmallCloud } from '../../test/small-cloud.ts'
import type { ApiRequest, Route } from '../http/api.ts'
import { Query } from '../http/request/query.ts'
import type { World } from '../world/world.ts'
import type { PlacementContext } from './context.ts'
import { placementRoutes } from './routes.ts'
import { type Features, featuresOf, MINOR_MAX } from './versions.ts'

const CONSUMER = '00000000-0000-4000-8001-000000000001'

function cloudWith(total: number, held: number): SmallCloud {
  const cloud = new SmallCloud().add('host', { has: { VCPU: total }, traits: ['CUSTOM_FAST'] })
  const claim = { consumer: CONSUMER, projectId: 'p', userId: 'u', generation: null, type: 'INSTANCE' }
  const resources = [['VCPU', held]] as const
  cloud.do('placement:replace-allocations', {
    claims: [{ ...claim, allocations: [{ provider: cloud.uuid('host'), resources }] }],
  })
  return cloud
}

function routesOf(world: World): Route<Features>[] {
  const settings = { max_allocation_candidates: 100, max_request_groups: 10, max_search_steps: 1_000 }
  const context = { world, settings, clock: { nowMs: () => 1 }, newSeed: () => 1 }
  return placementRoutes(context as unknown as PlacementContext).filter(({ method }) => method === 'GET')
}

async function answerOf(route: Route<Features>, provider: string): Promise<string> {
  const request = {
    params: { uuid: provider, consumer_uuid: CONSUMER, resource_class: 'VCPU', name: 'VCPU' },
    query: Query.parse(queries[route.path] ?? '') as Query,
    features: featuresOf(MINOR_MAX),
    mount: '',
    addressOf: (path: string) => path,
    credentials: { userId: '', projectId: null, roles: [], systemScope: false },
  } as unknown as ApiRequest<Features>
  try {
    return String((await route.handle(request)).body)
  } catch (error) {
    return String(error)
  }
}

const queries: Readonly<Record<string, string>> = {
  '/allocation_candidates': 'resources=VCPU:1',
  '/usages': 'project_id=p',
}

test('every route that reads shows the world that took the place of another', async () => {
  const before = cloudWith(8, 2)
  const provider = before.uuid('host')
  const routes = routesOf(before.world)
  const early = await Promise.all(routes.map(route => answerOf(route, provider)))
  before.world.replaceBy(cloudWith(16, 5).world)
  const late = await Promise.all(routes.map(route => answerOf(route, provider)))
  const expected = await Promise.all(routesOf(cloudWith(16, 5).world).map(route => answerOf(route, provider)))
  expect(late).toEqual(expected)
  const differing = routes.filter((_, at) => early[at] !== late[at]).map(({ path }) => path)
  expect(differing).toEqual(
    expect.arrayContaining([
      '/allocations/{consumer_uuid}',
      '/resource_providers/{uuid}/allocations',
      '/resource_providers/{uuid}/inventories',
      '/resource_providers/{uuid}/usages',
      '/allocation_candidates',
      '/usages',
    ]),
  )
})
