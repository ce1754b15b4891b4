import { describe, expect, test } from 'vitest'
import type { RequestShape } from '../../../world/request-shapes.ts'
import { listGpusOf, makeGpuHosts, placeGpuServer } from './gpu-hosts.fixture.ts'
import { getRequestMix } from './request-mix.ts'

const FRAGMENTATION = ['FragmentationWeigher']
const BEST_FIT = ['BestFitWeigher']

describe('the device on a host', () => {
  test('best fit takes the fullest GPU that has room', () => {
    const world = makeGpuHosts([{ vcpus: 8, gpus: [100, 60, 40] }])
    const placed = placeGpuServer(world, 0, { vcpus: 1, shares: 50 }, BEST_FIT)
    expect(listGpusOf(world, placed)).toEqual(['h0-gpu1'])
  })

  test('without a weigher that compares devices it is the first', () => {
    const world = makeGpuHosts([{ vcpus: 8, gpus: [100, 60, 40] }])
    const placed = placeGpuServer(world, 0, { vcpus: 1, shares: 50 }, ['RAMWeigher'])
    expect(listGpusOf(world, placed)).toEqual(['h0-gpu0'])
  })

  test('a server that expects whole GPUs keeps them whole', () => {
    const world = makeGpuHosts([{ vcpus: 8, gpus: [100, 100, 50] }])
    for (let nth = 0; nth < 1; nth++) placeGpuServer(world, nth, { vcpus: 1, shares: 100 }, FRAGMENTATION)
    const placed = placeGpuServer(world, 9, { vcpus: 1, shares: 40 }, FRAGMENTATION)
    expect(listGpusOf(world, placed)).toEqual(['h0-gpu2'])
  })

  test('two like GPUs of one server are two', () => {
    const world = makeGpuHosts([{ vcpus: 8, gpus: [40, 100, 100] }])
    const placed = placeGpuServer(world, 0, { vcpus: 1, shares: 50, gpus: 2 }, FRAGMENTATION)
    expect(listGpusOf(world, placed).sort()).toEqual(['h0-gpu1', 'h0-gpu2'])
  })
})

describe('the host', () => {
  test('best fit takes the host where least is left over all classes', () => {
    const world = makeGpuHosts([
      { vcpus: 16, gpus: [100] },
      { vcpus: 4, gpus: [100] },
      { vcpus: 8, gpus: [100] },
    ])
    expect(placeGpuServer(world, 0, { vcpus: 3, shares: 50 }, BEST_FIT)?.host).toBe('h1')
  })

  test('what one unit of a class counts can be set', () => {
    const world = makeGpuHosts([
      { vcpus: 4, gpus: [100, 100] },
      { vcpus: 16, gpus: [100] },
    ])
    const settings = { best_fit_weight_setting: { VGPU: 1 } }
    expect(placeGpuServer(world, 0, { vcpus: 1, shares: 50 }, BEST_FIT, settings)?.host).toBe('h1')
  })

  test('a server without GPUs leaves processors to the hosts whose GPUs need them', () => {
    const world = makeGpuHosts([
      { vcpus: 8, gpus: [100, 100] },
      { vcpus: 8, gpus: [0, 0] },
    ])
    placeGpuServer(world, 0, { vcpus: 2, shares: 100 }, FRAGMENTATION)
    expect(placeGpuServer(world, 1, { vcpus: 6, shares: 0 }, FRAGMENTATION)?.host).toBe('h1')
  })
})

describe('near-equals', () => {
  const hosts = Array.from({ length: 10 }, () => ({ vcpus: 8, gpus: [100] }))
  const drawn = (seed: number, near_equal_weight: number): string | undefined =>
    placeGpuServer(makeGpuHosts(hosts), 0, { vcpus: 1, shares: 50 }, BEST_FIT, { near_equal_weight }, seed)
      ?.host

  test('are drawn from with a seed, so that other schedulers take others', () => {
    const seeds = Array.from({ length: 30 }, (_, seed) => seed)
    expect(new Set(seeds.map(seed => drawn(seed, 0.01))).size).toBeGreaterThan(5)
    expect(seeds.map(seed => drawn(seed, 0.01))).toEqual(seeds.map(seed => drawn(seed, 0.01)))
  })

  test('are not drawn from by default', () => {
    expect(new Set([1, 2, 3, 4].map(seed => drawn(seed, 0))).size).toBe(1)
  })

  test('a host beyond the distance is never taken', () => {
    const world = [{ vcpus: 4, gpus: [100] }, ...hosts]
    for (let seed = 0; seed < 20; seed++)
      expect(
        placeGpuServer(
          makeGpuHosts(world),
          0,
          { vcpus: 4, shares: 50 },
          BEST_FIT,
          { near_equal_weight: 0.5 },
          seed,
        )?.host,
      ).toBe('h0')
  })
})

describe('the expected mix', () => {
  const world = makeGpuHosts([{ vcpus: 10_000, gpus: [] }])
  const place = (nth: number, vcpus: number): void => {
    placeGpuServer(world, nth, { vcpus, shares: 0 }, [])
  }
  const countKinds = (): number => getRequestMix(world).requests.length

  test('leaves out kinds that are rare, until there are more of them', () => {
    for (let nth = 0; nth < 1_100; nth++) place(nth, 1)
    place(2_000, 2)
    expect(countKinds()).toBe(1)
    place(2_001, 2)
    expect(countKinds()).toBe(2)
  })

  test('is the same object after a change that was undone', () => {
    const before = getRequestMix(world)
    const { requestShapes } = world.compute
    const { request } = requestShapes.list()[0] as RequestShape
    const row = { consumer_id: 5_000, name: null, decision: '', request, applied_by: null }
    for (let nth = 0; nth < 4_000; nth++) requestShapes.put(null, row)
    expect(getRequestMix(world)).not.toBe(before)
    for (let nth = 0; nth < 4_000; nth++) requestShapes.put(row, null)
    expect(getRequestMix(world)).toBe(before)
  })
})
