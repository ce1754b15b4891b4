import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const { status } = await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
  expect(status).toBe(200)
  for (const name of ['CUSTOM_GOLD', 'CUSTOM_NOISY', 'CUSTOM_NEW_GPU'])
    await berth.ask('PUT', `/traits/${name}`, { minor: 6 })
})

const setTraits = async (provider: string, ...traits: string[]) => {
  const { json } = await berth.ask('GET', `/resource_providers/${provider}`, { minor: 20 })
  const body = { resource_provider_generation: json.generation, traits }
  const { status } = await berth.ask('PUT', `/resource_providers/${provider}/traits`, { minor: 20, body })
  expect(status).toBe(200)
}
const flavor = (extra_specs: Record<string, string>) => ({ vcpus: 1, ram: 64, disk: 0, extra_specs })
const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const hostFor = async (body: Record<string, unknown>): Promise<string> => {
  const { status, json } = await post('/v1/schedule', { dry_run: true, ...body })
  expect([status, json.detail ?? '']).toEqual([200, ''])
  return json.placed[0].host
}

describe('a trait that a flavor or an image prefers or avoids', () => {
  test('ranks hosts, and refuses none', async () => {
    expect(await hostFor({ flavor: flavor({}) })).toBe('alpha')
    const gold = { flavor: flavor({ 'trait:CUSTOM_GOLD': 'preferred' }) }
    expect(await hostFor(gold)).toBe('alpha')
    await setTraits(uuid(3), 'CUSTOM_GOLD')
    expect(await hostFor(gold)).toBe('gamma')
    expect(await hostFor({ ...gold, ignore_hosts: ['gamma'] })).toBe('alpha')
    await setTraits(uuid(1), 'CUSTOM_NOISY')
    expect(await hostFor({ flavor: flavor({ 'trait:CUSTOM_NOISY': 'avoided' }) })).not.toBe('alpha')
    expect(await hostFor({ flavor: flavor({ 'trait:CUSTOM_NOISY': 'avoided' }), host: 'alpha' })).toBe(
      'alpha',
    )
    const image = { properties: { 'trait:CUSTOM_GOLD': 'preferred', 'trait:CUSTOM_NOISY': 'avoided' } }
    expect(await hostFor({ flavor: flavor({}), image })).toBe('gamma')
  })

  test('is no part of the query', async () => {
    await setTraits(uuid(3), 'CUSTOM_GOLD')
    const { json } = await post('/v1/flavors/query', {
      items: [{ flavor: flavor({ 'trait:CUSTOM_GOLD': 'preferred' }) }],
    })
    expect(json.results[0].query).not.toContain('GOLD')
    expect(json.results[0].notes).toEqual([])
  })

  test('is explained in numbers and words, in the decision and in an explanation', async () => {
    await setTraits(uuid(3), 'CUSTOM_GOLD')
    const body = { flavor: flavor({ 'trait:CUSTOM_GOLD': 'preferred', 'trait:CUSTOM_NOISY': 'avoided' }) }
    const { json } = await post('/v1/schedule', body)
    const told = { weigher: 'PreferredTraitsWeigher', weight: 10 }
    const text = 'has CUSTOM_GOLD (preferred), lacks CUSTOM_NOISY (avoided)'
    expect(json.choice.top[0].host).toBe('gamma')
    expect(json.choice.top[0].weighers).toContainEqual({ ...told, text })
    const explained = (await post('/v1/explain/schedule', body)).json
    const [first] = explained.reports
    expect(first.contributions).toContainEqual({ ...told, raw: 1, normalized: 1, multiplier: 10, text })
    const decision = (await berth.ask('GET', `/v1/decisions/${json.decision}`)).json
    expect(decision.choice.top[0].weighers).toContainEqual({ ...told, text })
  })

  test('counts as much as the operator says, for the server and for an aggregate', async () => {
    const weigh = async (settings: object, aggregates: object[]) =>
      (
        await post('/v1/weighers/evaluate', {
          weighers: ['PreferredTraitsWeigher'],
          items: [
            {
              extra_specs: { 'trait:CUSTOM_GOLD': 'preferred' },
              hosts: [{ name: 'a' }, { name: 'b', traits: ['CUSTOM_GOLD'], aggregates }],
              settings,
            },
          ],
        })
      ).json.results[0].hosts[1].weight
    expect(await weigh({}, [])).toBe(10)
    expect(await weigh({ weight_multipliers: { preferred_traits_weight_multiplier: 3 } }, [])).toBe(3)
    expect(await weigh({}, [{ preferred_traits_weight_multiplier: '0.5' }])).toBe(0.5)
  })

  test('is warned of where it changes nothing', async () => {
    const { json } = await post('/v1/schedule', {
      dry_run: true,
      flavor: flavor({ 'trait:CUSTOM_NONE': 'preferred', 'trait1:CUSTOM_GOLD': 'avoided' }),
    })
    expect(json.warnings.map(({ code }: { code: string }) => code)).toEqual([
      'flavor.unknown-wish',
      'flavor.wish-without-resources',
    ])
  })

  test('is refused as a property of an image only if it is another word', async () => {
    const ask = (value: string) =>
      post('/v1/schedule', { flavor: flavor({}), image: { properties: { 'trait:CUSTOM_GOLD': value } } })
    expect((await ask('liked')).json.code).toBe('schedule.bad-image-property')
    expect((await ask('avoided')).status).toBe(200)
  })
})

describe('a preferred trait of a request group', () => {
  const gpu = (nth: number) => uuid(40 + nth)
  const addGpu = async (nth: number, parent: string, ...traits: string[]) => {
    const body = { name: `gpu-${nth}`, uuid: gpu(nth), parent_provider_uuid: parent }
    await berth.ask('POST', '/resource_providers', { minor: 20, body })
    await berth.ask('PUT', `/resource_providers/${gpu(nth)}/inventories`, {
      minor: 20,
      body: { resource_provider_generation: 0, inventories: { VGPU: { total: 1 } } },
    })
    await setTraits(gpu(nth), ...traits)
  }
  beforeEach(async () => {
    await addGpu(0, uuid(2))
    await addGpu(1, uuid(2), 'CUSTOM_NEW_GPU')
  })

  const placed = async (value: string): Promise<string[]> => {
    const specs = { 'resources1:VGPU': '1', 'trait1:CUSTOM_NEW_GPU': value }
    const { status, json } = await post('/v1/schedule', { flavor: flavor(specs), alternates: 0 })
    expect([status, json.detail ?? '']).toEqual([200, ''])
    return json.placed[0].mappings['1']
  }

  test('chooses the provider within the host, until that is full', async () => {
    expect(await placed('preferred')).toEqual([gpu(1)])
    expect(await placed('preferred')).toEqual([gpu(0)])
  })

  test('avoided, leaves the provider to others as long as there is another', async () => {
    expect(await placed('avoided')).toEqual([gpu(0)])
    expect(await placed('avoided')).toEqual([gpu(1)])
  })

  test('is about that provider, not about the others of the host', async () => {
    await addGpu(2, uuid(3))
    const specs = { 'resources1:VGPU': '1', 'trait1:CUSTOM_NEW_GPU': 'preferred' }
    const measured = async () => {
      const { json } = await post('/v1/explain/schedule', { flavor: flavor(specs) })
      const beta = json.reports.find(({ host }: { host: string }) => host === 'beta')
      return beta.contributions.flatMap(({ raw, text }: { raw: number; text?: string }) =>
        text ? [raw, text] : [],
      )
    }
    expect(await measured()).toEqual([1, 'has CUSTOM_NEW_GPU for group 1 (preferred)'])
    await placed('preferred')
    expect(await measured()).toEqual([0, 'lacks CUSTOM_NEW_GPU for group 1 (preferred)'])
  })
})
