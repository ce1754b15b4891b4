/** Claims over HTTP, many at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, Berth, uuid } from './running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const claim = (consumer: number, provider: string, amount: number): Promise<Answer> =>
  berth.ask('PUT', `/allocations/${uuid(1000 + consumer)}`, {
    minor: 38,
    body: {
      allocations: { [provider]: { resources: { VCPU: amount } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    },
  })

async function host(number: number, total: number): Promise<string> {
  const provider = uuid(number)
  await berth.ask('POST', '/resource_providers', { body: { name: `host-${number}`, uuid: provider } })
  await berth.ask('POST', `/resource_providers/${provider}/inventories`, {
    body: { resource_class: 'VCPU', total },
  })
  return provider
}

test('64 parallel claims for the last unit: one wins, 63 get the reason', async () => {
  const provider = await host(1, 1)
  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => claim(n, provider, 1)))
  expect(answers.filter(answer => answer.status === 204)).toHaveLength(1)
  const refused = answers.filter(answer => answer.status === 409)
  expect(refused).toHaveLength(63)
  for (const { json } of refused) expect(json.errors[0].detail).toContain('would exceed the capacity')
  const { json } = await berth.ask('GET', `/resource_providers/${provider}/usages`)
  expect(json.usages).toEqual({ VCPU: 1 })
})

test('parallel claims on one provider never pass its capacity, and the generation counts them', async () => {
  const provider = await host(2, 10)
  const before = await berth.ask('GET', `/resource_providers/${provider}`)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => claim(100 + n, provider, 3)))
  const won = answers.filter(answer => answer.status === 204).length
  expect(won).toBe(3)
  const after = await berth.ask('GET', `/resource_providers/${provider}`)
  expect(after.json.generation).toBe(before.json.generation + 3)
})

test('of parallel writes that saw the same generation one wins and the others conflict', async () => {
  const provider = await host(3, 10)
  const { json } = await berth.ask('GET', `/resource_providers/${provider}`)
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      berth.ask('PUT', `/resource_providers/${provider}/inventories`, {
        minor: 26,
        body: {
          resource_provider_generation: json.generation,
          inventories: { VCPU: { total: 20 + n } },
        },
      }),
    ),
  )
  expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
  const conflicts = answers.filter(answer => answer.status === 409)
  expect(conflicts).toHaveLength(15)
  for (const conflict of conflicts)
    expect(conflict.json.errors[0]).toMatchObject({
      code: 'placement.concurrent_update',
      detail: expect.stringContaining('resource provider generation conflict'),
    })
})

test('memory and store agree afterwards', async () => {
  const { json } = await berth.ask('POST', '/v1/verify')
  expect(json).toMatchObject({ differences_total: 0, problems_total: 0 })
})
