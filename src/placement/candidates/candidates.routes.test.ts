import { expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import type { ApiRequest, Body } from '../../http/api.ts'
import { Query } from '../../http/request/query.ts'
import type { PlacementContext } from '../context.ts'
import { type Features, featuresOf } from '../versions.ts'
import { candidateRoutes } from './candidates.routes.ts'

const settings = { max_allocation_candidates: 1_000, max_request_groups: 10, max_search_steps: 1_000 }

function asking(cloud: SmallCloud) {
  const context = { world: cloud.world, settings, clock: { nowMs: () => 1 }, newSeed: () => 1 }
  const [route] = candidateRoutes(context as unknown as PlacementContext)
  return (text: string, minor: number) => {
    const request = { query: Query.parse(text), features: featuresOf(minor) }
    const answer = route?.handle(request as unknown as ApiRequest<Features>)
    const { body } = answer as { body: Body }
    return JSON.parse(typeof body === 'string' ? body : Buffer.concat(body).toString())
  }
}

const cloudOf = (hosts: number): SmallCloud => {
  const cloud = new SmallCloud()
  for (let nth = 0; nth < hosts; nth++) cloud.add(`host-${nth}`, { has: { VCPU: 4 } })
  return cloud
}

test('a query that was asked before is answered from the cloud as it is now', () => {
  const cloud = cloudOf(1)
  const ask = asking(cloud)
  expect(ask('resources=VCPU:2', 39).allocation_requests).toHaveLength(1)
  cloud.add('another', { has: { VCPU: 2 } })
  expect(ask('resources=VCPU:2', 39).allocation_requests).toHaveLength(2)
  expect(ask('resources=VCPU:3', 39).allocation_requests).toHaveLength(1)
})

test('a cached query is parsed again for another version', () => {
  const ask = asking(cloudOf(1))
  expect(ask('resources=VCPU:1&limit=1', 39).allocation_requests[0].mappings).toBeDefined()
  expect(ask('resources=VCPU:1&limit=1', 16).allocation_requests[0].mappings).toBeUndefined()
  expect(() => ask('resources=VCPU:1&limit=1', 15)).toThrow('Additional properties are not allowed')
  expect(() => ask('resources=VCPU:1&limit=1', 15)).toThrow('Additional properties are not allowed')
})

test('more queries than are remembered are answered just as well', () => {
  const ask = asking(cloudOf(3))
  for (let round = 0; round < 2; round++)
    for (let limit = 1; limit <= 300; limit++)
      expect(ask(`resources=VCPU:1&limit=${limit}`, 39).allocation_requests).toHaveLength(Math.min(limit, 3))
})

test('requests of several forms, one after the other, are each their own', () => {
  const cloud = new SmallCloud()
  const nodes: string[][] = []
  for (let host = 0; host < 80; host++) {
    cloud.add(`host-${host}`, {})
    const two = ['a', 'b'].map(node => `host-${host}-${node}`)
    for (const node of two) cloud.add(node, { parent: `host-${host}`, has: { VCPU: 4, MEMORY_MB: 8 } })
    nodes.push(two.map(node => cloud.uuid(node)))
  }
  const { allocation_requests, provider_summaries } = asking(cloud)('resources=VCPU:1,MEMORY_MB:2', 39)
  // From one node or from both: two forms, which alternate.
  const expected = nodes.flatMap(two =>
    two.flatMap(vcpu =>
      two.map(memory => ({
        allocations:
          vcpu === memory
            ? { [vcpu]: { resources: { VCPU: 1, MEMORY_MB: 2 } } }
            : { [vcpu]: { resources: { VCPU: 1 } }, [memory]: { resources: { MEMORY_MB: 2 } } },
        mappings: { '': [...new Set([vcpu, memory])].sort() },
      })),
    ),
  )
  const plain = (requests: typeof expected) =>
    requests
      .map(({ allocations, mappings }) => [
        Object.entries(allocations).sort(([one], [other]) => (one < other ? -1 : 1)),
        mappings[''].toSorted(),
      ])
      .map(request => JSON.stringify(request))
      .sort()
  expect(plain(allocation_requests)).toEqual(plain(expected))
  expect(Object.keys(provider_summaries)).toHaveLength(240)
})
