import { Random } from '../../kernel/random.ts'
import type { PlacementRules } from '../rules.ts'

type Kind = Exclude<keyof PlacementRules, 'placement:sync-standards' | 'placement:import-lines'>
type AnyCommand = { [K in Kind]: { kind: K } & Parameters<PlacementRules[K]>[1] }[Kind]

const uuid = (prefix: string, number: number) =>
  `${prefix.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`

/**
 * Random commands about few things, from a seed: one command creates what another uses, changes or deletes,
 * so that names and numbers are reused. Many of them are refused.
 */
export class RandomCommands {
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  next(): AnyCommand {
    const makers = [
      ...[this.#provider, this.#provider, this.#provider, this.#move, this.#unmake],
      ...[this.#stock, this.#stock, this.#stock, this.#inventory, this.#traits, this.#traits],
      ...[this.#aggregates, this.#claim, this.#claim, this.#claim, this.#release, this.#reshape],
      ...[this.#name, this.#name, this.#rename, this.#forget],
    ]
    return makers[this.below(makers.length)]!.call(this)
  }

  below(limit: number): number {
    return this.#random.below(limit)
  }

  #of<T>(...items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  #some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.below(2) === 0)
  }

  readonly #providers = [1, 2, 3, 4, 5, 6, 7].map(number => uuid('0', number))
  readonly #consumers = [1, 2, 3, 4, 5].map(number => uuid('c', number))
  readonly #classes = ['VCPU', 'DISK_GB', 'CUSTOM_A', 'CUSTOM_B']
  readonly #traitNames = ['HW_CPU_X86_AVX', 'CUSTOM_T', 'CUSTOM_U']

  #provider(): AnyCommand {
    const at = this.below(this.#providers.length)
    const parent = this.below(2) === 0 ? null : this.#of(...this.#providers)
    return {
      kind: 'placement:create-provider',
      uuid: this.#providers[at] as string,
      name: this.below(4) === 0 ? 'shared name' : `host ${at}`,
      parent,
    }
  }

  #move(): AnyCommand {
    return {
      kind: 'placement:update-provider',
      provider: this.#of(...this.#providers),
      name: `name ${this.below(9)}`,
      parent: this.#of(undefined, null, ...this.#providers),
      mayReparent: true,
    }
  }

  #unmake(): AnyCommand {
    return { kind: 'placement:delete-provider', provider: this.#of(...this.#providers) }
  }

  #record() {
    return {
      total: 1 + this.below(20),
      reserved: 0,
      minUnit: 1,
      maxUnit: 20,
      stepSize: 1,
      allocationRatio: this.#of(1, 1.5, 16),
    }
  }

  #stock(): AnyCommand {
    const inventories = this.#some(this.#classes).map(name => [name, this.#record()] as const)
    const provider = this.#of(...this.#providers)
    return {
      kind: 'placement:replace-inventories',
      provider,
      generation: null,
      inventories,
      mayBeFullyReserved: true,
    }
  }

  #inventory(): AnyCommand {
    const provider = this.#of(...this.#providers)
    const name = this.#of(...this.#classes)
    return this.#of<AnyCommand>(
      {
        kind: 'placement:add-inventory',
        provider,
        class: name,
        record: this.#record(),
        mayBeFullyReserved: true,
      },
      { kind: 'placement:delete-inventory', provider, class: name },
    )
  }

  #traits(): AnyCommand {
    const provider = this.#of(...this.#providers)
    return {
      kind: 'placement:set-provider-traits',
      provider,
      generation: null,
      traits: this.#some(this.#traitNames),
    }
  }

  #aggregates(): AnyCommand {
    const aggregates = this.#some([1, 2, 3].map(number => uuid('a', number)))
    return {
      kind: 'placement:set-aggregates',
      provider: this.#of(...this.#providers),
      generation: null,
      aggregates,
    }
  }

  #claims() {
    const allocations = this.#some(this.#providers.slice(0, 3)).flatMap(provider => {
      const resources = this.#some(this.#classes).map(name => [name, 1 + this.below(3)] as const)
      return resources.length === 0 ? [] : [{ provider, resources }]
    })
    return {
      consumer: this.#of(...this.#consumers),
      projectId: this.#of('p', 'q'),
      userId: 'u',
      generation: undefined,
      type: this.#of(undefined, 'INSTANCE', 'MIGRATION'),
      allocations,
    }
  }

  #claim(): AnyCommand {
    const first = this.#claims()
    const second = this.#claims()
    const claims = first.consumer === second.consumer ? [first] : [first, second]
    return { kind: 'placement:replace-allocations', claims }
  }

  #release(): AnyCommand {
    return { kind: 'placement:delete-allocations', consumer: this.#of(...this.#consumers) }
  }

  #reshape(): AnyCommand {
    const inventories = this.#some(this.#classes).map(name => [name, this.#record()] as const)
    const provider = this.#of(...this.#providers)
    return {
      kind: 'placement:reshape',
      inventories: [{ provider, generation: this.below(6), inventories }],
      claims: [this.#claims()],
    }
  }

  #name(): AnyCommand {
    return this.#of<AnyCommand>(
      { kind: 'placement:ensure-class', name: this.#of('CUSTOM_A', 'CUSTOM_B') },
      { kind: 'placement:ensure-trait', name: this.#of('CUSTOM_T', 'CUSTOM_U') },
    )
  }

  #rename(): AnyCommand {
    const names = ['CUSTOM_A', 'CUSTOM_B']
    return {
      kind: 'placement:rename-class',
      name: this.#of(...names),
      newName: this.#of(...names, 'CUSTOM_C'),
    }
  }

  #forget(): AnyCommand {
    return this.#of<AnyCommand>(
      { kind: 'placement:delete-class', name: this.#of('CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C') },
      { kind: 'placement:delete-trait', name: this.#of('CUSTOM_T', 'CUSTOM_U') },
    )
  }
}
