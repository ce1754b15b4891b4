/** A cloud in memory that takes servers one after the other, through Berth’s own choice and claim. */

import { deleteAllocations } from '../../src/placement/allocations/allocations.ts'
import standardClasses from '../../src/placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../../src/placement/data/standard-traits.json' with { type: 'json' }
import { syncStandards } from '../../src/placement/standards.ts'
import type { SchedulingSetup } from '../../src/scheduling/framework/setup.ts'
import { chooseAndClaim } from '../../src/scheduling/hosts/claim.ts'
import { EMPTY_SPEC } from '../../src/scheduling/hosts/known-server.ts'
import type { GroupSpec, ServerSpec } from '../../src/scheduling/hosts/server-spec.ts'
import { World } from '../../src/world/world.ts'

export interface ProviderOfCloud {
  readonly name: string
  readonly inventories: Readonly<Record<string, number>>
  readonly traits: readonly string[]
  readonly children: readonly ProviderOfCloud[]
}

/** A kind of server: the same object for all servers of that kind. */
export interface Kind {
  readonly name: string
  readonly groups: readonly GroupSpec[]
}

export const group = (
  suffix: string,
  resources: Readonly<Record<string, number>>,
  required: readonly (readonly string[])[] = [],
): GroupSpec => ({ suffix, resources, required, forbidden: [], member_of: [], in_tree: null })

const uuidOf = (kind: string, nth: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${nth.toString(16).padStart(12, '0')}`

export class Cloud {
  readonly world = new World()
  readonly #setup: SchedulingSetup
  readonly #specs = new Map<Kind, ServerSpec>()
  readonly #seed: number
  #providers = 0
  readonly #roots: number[] = []

  constructor(roots: readonly ProviderOfCloud[], setup: SchedulingSetup, seed: number) {
    this.#setup = setup
    this.#seed = seed
    const standards = syncStandards(this.world, { classes: standardClasses, traits: standardTraits }, 0)
    if (standards.ok) this.world.apply(standards.change)
    for (const root of roots) this.#add(root, null)
  }

  /** False if no host takes it. */
  place(nth: number, kind: Kind, nowMs: number, project = 'p', host: string | null = null): boolean {
    const ask = {
      operation: 'create' as const,
      project,
      user: 'u',
      generation: null,
      host,
      not_hosts: [],
      group: null,
      instances: [uuidOf('c', nth)],
      spec: this.#specOf(kind),
    }
    const placed = chooseAndClaim(
      this.world,
      {
        ask,
        setup: this.#setup,
        seed: Math.imul(this.#seed, 0x9e3779b1) ^ nth,
        alternates: 0,
        sourceHolder: null,
        decision: '',
        rankedHosts: [],
      },
      nowMs,
    )
    if (!placed.ok && placed.refusal.kind !== 'no-host') throw new Error(JSON.stringify(placed.refusal))
    if (placed.ok) this.world.apply(placed.change)
    return placed.ok
  }

  /** Claims what one host gives without a choice; false if it is full. */
  fill(nth: number, kind: Kind, host: number): boolean {
    return this.place(nth, kind, 0, 'p', uuidOf('0', this.#roots[host] as number))
  }

  remove(nth: number): void {
    const removed = deleteAllocations(this.world, { consumer: uuidOf('c', nth) })
    if (!removed.ok) throw new Error(JSON.stringify(removed.refusal))
    this.world.apply(removed.change)
  }

  #specOf(kind: Kind): ServerSpec {
    const known = this.#specs.get(kind)
    if (known !== undefined) return known
    const flavor = { ...EMPTY_SPEC.flavor, id: kind.name, name: kind.name }
    const spec = { ...EMPTY_SPEC, flavor, groups: kind.groups, group_policy: 'isolate' as const }
    this.#specs.set(kind, spec)
    return spec
  }

  #add({ name, inventories, traits, children }: ProviderOfCloud, parent: number | null): void {
    const { world } = this
    const id = this.#providers++
    if (parent === null) this.#roots.push(id)
    const uuid = uuidOf('0', id)
    world.load('resource_providers', { id, uuid, name, generation: 0, parent_id: parent, updated_at: 0 })
    for (const [className, total] of Object.entries(inventories)) {
      const units = { total, reserved: 0, min_unit: 1, max_unit: total, step_size: 1, allocation_ratio: 1 }
      world.load('inventories', {
        provider_id: id,
        class_id: this.#classOf(className),
        ...units,
        updated_at: 0,
      })
    }
    for (const trait of traits)
      world.load('provider_traits', { provider_id: id, trait_id: this.#traitOf(trait) })
    for (const child of children) this.#add(child, id)
  }

  #classOf(name: string): number {
    const { classes } = this.world
    if (classes.id(name) === undefined)
      this.world.load('resource_classes', { id: classes.nextId(1_000), name, updated_at: 0 })
    return classes.id(name) as number
  }

  #traitOf(name: string): number {
    const { traits } = this.world
    if (traits.id(name) === undefined)
      this.world.load('traits', { id: traits.nextId(1), name, updated_at: 0 })
    return traits.id(name) as number
  }
}
