/** A cloud built by the real rules, one readable line for each provider. */
import type { ProviderSlot } from '../src/kernel/ids.ts'
import { AMOUNT_MAX } from '../src/kernel/number-bounds.ts'
import type { InventoryRecord } from '../src/placement/inventories/inventories.ts'
import { type PlacementRules, placementRules } from '../src/placement/rules.ts'
import { World } from '../src/world/world.ts'

interface ProviderLine {
  readonly parent?: string
  /** Class to total, or to a whole record. */
  readonly has?: Readonly<Record<string, number | Partial<InventoryRecord>>>
  readonly traits?: readonly string[]
  readonly aggregates?: readonly string[]
}

const STANDARD_CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB', 'PGPU', 'SRIOV_NET_VF', 'VGPU']

export class SmallCloud {
  readonly world = new World()
  readonly #uuids = new Map<string, string>()

  constructor() {
    this.do('placement:sync-standards', { classes: STANDARD_CLASSES, traits: ['MISC_SHARES_VIA_AGGREGATE'] })
  }

  /** Runs a rule and applies what it decides; a refusal is thrown. */
  do<K extends keyof PlacementRules>(kind: K, command: Parameters<PlacementRules[K]>[1]): void {
    const rule = placementRules[kind] as (
      world: World,
      command: unknown,
      nowMs: number,
    ) => ReturnType<PlacementRules[K]>
    const decision = rule(this.world, command, 1)
    if (!decision.ok) throw new Error(`refused: ${JSON.stringify(decision.refusal)}`)
    this.world.apply(decision.change)
  }

  uuid(name: string): string {
    let uuid = this.#uuids.get(name)
    if (uuid === undefined) {
      uuid = `00000000-0000-4000-8000-${String(this.#uuids.size + 1).padStart(12, '0')}`
      this.#uuids.set(name, uuid)
    }
    return uuid
  }

  name(slot: ProviderSlot): string {
    return this.world.providers.name(slot)
  }

  add(name: string, line: ProviderLine): this {
    const provider = this.uuid(name)
    this.do('placement:create-provider', {
      uuid: provider,
      name,
      parent: line.parent === undefined ? null : this.uuid(line.parent),
    })
    const inventories = Object.entries(line.has ?? {}).map(([unit, had]) => {
      this.do('placement:ensure-class', { name: unit })
      const record = typeof had === 'number' ? { total: had } : had
      const defaults = {
        total: 1,
        reserved: 0,
        minUnit: 1,
        maxUnit: AMOUNT_MAX,
        stepSize: 1,
        allocationRatio: 1,
      }
      return [unit, { ...defaults, ...record }] as const
    })
    this.do('placement:replace-inventories', {
      provider,
      generation: null,
      inventories,
      mayBeFullyReserved: true,
    })
    for (const trait of line.traits ?? []) this.do('placement:ensure-trait', { name: trait })
    this.do('placement:set-provider-traits', { provider, generation: null, traits: line.traits ?? [] })
    const aggregates = (line.aggregates ?? []).map(aggregate => this.uuid(`aggregate ${aggregate}`))
    this.do('placement:set-aggregates', { provider, generation: null, aggregates })
    return this
  }

  claim(consumer: string, from: Readonly<Record<string, Readonly<Record<string, number>>>>): this {
    const allocations = Object.entries(from).map(([name, resources]) => ({
      provider: this.uuid(name),
      resources: Object.entries(resources),
    }))
    const claim = {
      consumer: this.uuid(consumer),
      projectId: 'project',
      userId: 'user',
      generation: undefined,
      type: undefined,
      allocations,
    }
    this.do('placement:replace-allocations', { claims: [claim] })
    return this
  }
}
