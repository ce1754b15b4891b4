import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRuns } from '../../../../test/property-runs.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import { type GpuHost, type GpuServer, makeGpuHosts, placeGpuServer } from './gpu-hosts.fixture.ts'
import { getHostRoom } from './host-room.ts'
import { getRequestMix } from './request-mix.ts'
import { measureUsable, weighRequests } from './usable-room.ts'

const hosts: fc.Arbitrary<GpuHost> = fc.record({
  vcpus: fc.integer({ min: 1, max: 16 }),
  gpus: fc.array(fc.constantFrom(0, 20, 50, 70, 100), { maxLength: 4 }),
})
const servers: fc.Arbitrary<GpuServer> = fc.record({
  vcpus: fc.integer({ min: 1, max: 6 }),
  shares: fc.constantFrom(0, 20, 50, 100),
  gpus: fc.integer({ min: 1, max: 2 }),
})

/** How often the host could serve the request, in fractions: the formula of the reference page, in plain code. */
function countPlainly(
  { vcpus, gpus }: GpuHost,
  { vcpus: cores, shares, gpus: count = 1 }: GpuServer,
): number {
  if (vcpus < cores) return 0
  if (shares === 0) return vcpus / cores
  const fitting = gpus.filter(free => free >= shares)
  if (fitting.length < count) return 0
  return Math.min(vcpus / cores, fitting.reduce((sum, free) => sum + free, 0) / shares / count)
}

const powerNear = (count: number): number => 2 ** Math.round(Math.log2(count))

describe('what a mix of requests can use of a host', () => {
  test('is what the formula says, in plain code', () => {
    fc.assert(
      fc.property(
        hosts,
        fc.array(fc.tuple(servers, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 3 }),
        (one, kinds) => {
          // A large host takes the servers that make the mix.
          const world = makeGpuHosts([one, { vcpus: 1_000, gpus: Array.from({ length: 40 }, () => 100) }])
          const placed = new Map<string, [GpuServer, number]>()
          let nth = 0
          for (const [server, count] of kinds)
            for (let time = 0; time < count; time++) {
              const got = placeGpuServer(world, nth++, server, ['CPUWeigher'], {
                cpu_weight_multiplier: 1,
              } as never)
              if (got === null) continue
              const key = JSON.stringify(server.shares === 0 ? { ...server, gpus: 1 } : server)
              placed.set(key, [server, (placed.get(key)?.[1] ?? 0) + 1])
            }
          const mix = getRequestMix(world)
          const room = getHostRoom(world, 0 as ProviderSlot)
          const total = [...placed.values()].reduce((sum, [, count]) => sum + powerNear(count), 0)
          const mean = (of: (server: GpuServer) => number): number =>
            [...placed.values()].reduce(
              (sum, [server, count]) => sum + (powerNear(count) / total) * of(server),
              0,
            )
          const sharesOf = ({ shares, gpus = 1 }: GpuServer): number => shares * gpus
          const now: GpuHost = {
            vcpus: room.free[room.classes.indexOf(world.classes.id('VCPU') as never)] as number,
            gpus: one.gpus.map((_, gpu) => {
              const at = room.indexOf((gpu + 1) as ProviderSlot, world.classes.id('VGPU') as never)
              return room.free[at] as number
            }),
          }
          let plain = 0
          for (const [server, count] of placed.values()) {
            const weight =
              server.vcpus / mean(({ vcpus }) => vcpus) +
              (server.shares === 0 ? 0 : sharesOf(server) / mean(sharesOf))
            plain += (powerNear(count) / total) * weight * countPlainly(now, server)
          }
          expect(measureUsable(mix, weighRequests(mix, null), room, room.free)).toBeCloseTo(plain, 6)
        },
      ),
      { numRuns: countRuns(60) },
    )
  })
})
