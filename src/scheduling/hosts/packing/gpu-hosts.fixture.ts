import standardClasses from '../../../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../../../placement/data/standard-traits.json' with { type: 'json' }
import { syncStandards } from '../../../placement/standards.ts'
import { World } from '../../../world/world.ts'
import { mergeSettings, type NamedSettings } from '../../framework/setting-names.ts'
import { DEFAULT_SETTINGS } from '../../framework/settings.ts'
import { chooseAndClaim } from '../claim.ts'
import { EMPTY_SPEC, groupOf } from '../known-server.ts'
import type { PlacedServer } from '../place-servers.ts'
import type { GroupSpec } from '../server-spec.ts'

export interface GpuHost {
  readonly vcpus: number
  /** What each GPU has left. */
  readonly gpus: readonly number[]
}

const GPU_SHARES = 100
const uuidOf = (kind: string, nth: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${String(nth).padStart(12, '0')}`

/** Hosts with GPUs as children, of which a part is reserved. */
export function makeGpuHosts(hosts: readonly GpuHost[]): World {
  const world = new World()
  const synced = syncStandards(world, { classes: standardClasses, traits: standardTraits }, 0)
  if (synced.ok) world.apply(synced.change)
  let id = 0
  const add = (
    name: string,
    parent: number | null,
    className: string,
    total: number,
    free: number,
  ): number => {
    const own = id++
    world.load('resource_providers', {
      id: own,
      uuid: uuidOf('0', own),
      name,
      generation: 0,
      parent_id: parent,
      updated_at: 0,
    })
    world.load('inventories', {
      provider_id: own,
      class_id: world.classes.id(className) as number,
      total,
      reserved: total - free,
      min_unit: 1,
      max_unit: total,
      step_size: 1,
      allocation_ratio: 1,
      updated_at: 0,
    })
    return own
  }
  hosts.forEach(({ vcpus, gpus }, nth) => {
    const root = add(`h${nth}`, null, 'VCPU', vcpus, vcpus)
    gpus.forEach((free, gpu) => {
      add(`h${nth}-gpu${gpu}`, root, 'VGPU', GPU_SHARES, free)
    })
  })
  return world
}

/** VCPU, and so much of each of some GPUs. */
export interface GpuServer {
  readonly vcpus: number
  readonly shares: number
  readonly gpus?: number
}

const groupsOf = ({ vcpus, shares, gpus = 1 }: GpuServer): GroupSpec[] => [
  { ...groupOf({ VCPU: vcpus }) },
  ...Array.from({ length: shares === 0 ? 0 : gpus }, (_, nth) => ({
    ...groupOf({ VGPU: shares }),
    suffix: `_G${nth}`,
  })),
]

/** Places a server and claims for it; null if it finds no host. */
export function placeGpuServer(
  world: World,
  nth: number,
  server: GpuServer,
  weighers: readonly string[],
  settings: Partial<NamedSettings> = {},
  seed = 1,
): PlacedServer | null {
  const decision = chooseAndClaim(
    world,
    {
      ask: {
        operation: 'create',
        project: 'p',
        user: 'u',
        generation: null,
        host: null,
        not_hosts: [],
        group: null,
        instances: [uuidOf('c', nth)],
        spec: { ...EMPTY_SPEC, groups: groupsOf(server), group_policy: 'isolate' },
      },
      setup: { filters: [], weighers, settings: mergeSettings(settings, DEFAULT_SETTINGS) },
      seed,
      decision: 'd',
      alternates: 0,
      sourceHolder: null,
      rankedHosts: [],
    },
    0,
  )
  if (!decision.ok) return null
  world.apply(decision.change)
  return decision.answer.placed[0] ?? null
}

/** The names of the GPUs that a server got. */
export const listGpusOf = (world: World, placed: PlacedServer | null): string[] =>
  Object.entries(placed?.allocations ?? {}).flatMap(([provider, amounts]) =>
    'VGPU' in amounts ? [world.providers.name(world.providers.find(provider) as never)] : [],
  )
