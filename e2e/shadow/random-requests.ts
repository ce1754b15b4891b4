/** Random requests to every route of Placement, about few things, so that many of them meet. */
import { Random } from '../../src/kernel/random.ts'

export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly minor: number
  readonly body?: unknown
}

const uuid = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`

const PROVIDERS = 14
const CONSUMERS = 24
const NAMES = 4
const MINORS = [0, 3, 5, 7, 8, 11, 12, 14, 18, 19, 20, 27, 28, 29, 33, 34, 36, 38, 39, 39, 39, 39]
const CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB', 'CUSTOM_C0', 'CUSTOM_C1', 'CUSTOM_C2', 'CUSTOM_C3']
const TRAITS = ['HW_CPU_X86_AVX2', 'COMPUTE_NODE', 'CUSTOM_T0', 'CUSTOM_T1', 'CUSTOM_T2', 'CUSTOM_T3']

export class RandomRequests {
  readonly #random: Random
  readonly #scale: number
  /** Generations that were seen last. */
  readonly #generations = new Map<string, number>()

  /** `scale` makes the things more, so that fewer requests meet. */
  constructor(seed: number, scale = 1) {
    this.#random = new Random(seed)
    this.#scale = scale
  }

  /** What an answer says about generations, so that later requests succeed. */
  learn({ path }: RandomRequest, answer: unknown): void {
    const [, uuid] = /^\/(?:resource_providers|allocations)\/([0-9a-f-]{36})/.exec(path) ?? []
    const found = answer as {
      resource_provider_generation?: number
      consumer_generation?: number
      generation?: number
    }
    const generation = found?.consumer_generation ?? found?.resource_provider_generation ?? found?.generation
    if (uuid === undefined || found === null) return
    if (generation !== undefined) this.#generations.set(uuid, generation)
    else if (path.startsWith('/allocations/')) this.#generations.delete(uuid)
  }

  next(): RandomRequest {
    const kinds = [
      () => this.#read(),
      () => this.#read(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#claims(),
      () => this.#inventory(),
      () => this.#inventory(),
      () => this.#provider(),
      () => this.#members(),
      () => this.#name(),
      () => this.#reshape(),
    ]
    return this.#pick(kinds)()
  }

  #below = (max: number): number => this.#random.below(max)
  #pick = <T>(list: readonly T[]): T => list[this.#below(list.length)] as T
  #provider1 = (): string => uuid(1, this.#below(PROVIDERS * this.#scale))
  #consumer = (): string => uuid(2, this.#below(CONSUMERS * this.#scale))
  #minor = (): number => this.#pick(MINORS)
  #chance = (oneIn: number): boolean => this.#below(oneIn) === 0
  #some = <T>(list: readonly T[]): T[] => list.filter(() => this.#chance(3))

  #generation(key: string): number {
    return (this.#generations.get(key) ?? 0) + (this.#chance(4) ? this.#below(3) - 1 : 0)
  }

  #read(): RandomRequest {
    const at = `/resource_providers/${this.#provider1()}`
    const paths = [
      '/',
      '/resource_providers',
      `/resource_providers?in_tree=${this.#provider1()}`,
      `/resource_providers?name=host-${this.#below(PROVIDERS * this.#scale)}`,
      `/resource_providers?resources=${this.#pick(CLASSES)}:${1 + this.#below(4)}`,
      `/resource_providers?required=${this.#pick(TRAITS)}`,
      `/resource_providers?member_of=${uuid(3, this.#below(3))}`,
      at,
      at,
      `${at}/inventories`,
      `${at}/inventories`,
      `${at}/inventories/${this.#pick(CLASSES)}`,
      `${at}/traits`,
      `${at}/aggregates`,
      `${at}/usages`,
      `${at}/allocations`,
      `/allocations/${this.#consumer()}`,
      `/allocations/${this.#consumer()}`,
      `/allocations/${this.#consumer()}`,
      `/usages?project_id=p${this.#below(3)}`,
      '/traits',
      `/traits/${this.#pick(TRAITS)}`,
      '/resource_classes',
      `/resource_classes/${this.#pick(CLASSES)}`,
      '/nothing',
    ]
    if (this.#chance(5)) return { method: 'GET', path: this.#candidates(), minor: 10 + this.#below(30) }
    return { method: 'GET', path: this.#pick(paths), minor: this.#minor() }
  }

  #candidates(): string {
    const resources = () => `${this.#pick(CLASSES)}:${1 + this.#below(3)}`
    const parts = [`resources=${resources()},${resources()}`]
    if (this.#chance(3)) parts.push(`required=${this.#chance(4) ? '!' : ''}${this.#pick(TRAITS)}`)
    if (this.#chance(4)) parts.push(`member_of=${uuid(3, this.#below(3))}`)
    if (this.#chance(3)) parts.push(`limit=${1 + this.#below(5)}`)
    if (this.#chance(5)) parts.push(`resources1=${resources()}`, `required1=${this.#pick(TRAITS)}`)
    return `/allocation_candidates?${parts.join('&')}`
  }

  #allocations(minor: number): unknown {
    const entries = Array.from({ length: this.#chance(3) ? 2 : 1 }, () => {
      const provider = this.#chance(25) ? uuid(9, this.#below(3)) : this.#provider1()
      const resources = Object.fromEntries([[this.#pick(CLASSES), 1 + this.#below(this.#chance(6) ? 60 : 4)]])
      return [provider, resources] as const
    })
    if (minor < 12)
      return entries.map(([provider, resources]) => ({ resource_provider: { uuid: provider }, resources }))
    return Object.fromEntries(entries.map(([provider, resources]) => [provider, { resources }]))
  }

  #owner(minor: number, consumer: string) {
    const known = this.#generations.get(consumer)
    const generation = known === undefined || this.#chance(8) ? null : this.#generation(consumer)
    return {
      ...(minor >= 8 ? { project_id: `p${this.#below(3)}`, user_id: `u${this.#below(3)}` } : {}),
      ...(minor >= 28 ? { consumer_generation: generation } : {}),
      ...(minor >= 38 ? { consumer_type: this.#pick(['INSTANCE', 'MIGRATION']) } : {}),
    }
  }

  #claim(): RandomRequest {
    const consumer = this.#consumer()
    const path = `/allocations/${consumer}`
    const minor = this.#minor()
    if (this.#chance(6)) return { method: 'DELETE', path, minor }
    const allocations = minor >= 28 && this.#chance(12) ? {} : this.#allocations(minor)
    return { method: 'PUT', path, minor, body: { allocations, ...this.#owner(minor, consumer) } }
  }

  #claims(): RandomRequest {
    const minor = this.#pick([13, 20, 28, 38, 39])
    const bodies = Array.from({ length: 1 + this.#below(3) }, () => {
      const consumer = this.#consumer()
      return [
        consumer,
        { allocations: this.#chance(5) ? {} : this.#allocations(minor), ...this.#owner(minor, consumer) },
      ]
    })
    return { method: 'POST', path: '/allocations', minor, body: Object.fromEntries(bodies) }
  }

  #record() {
    return {
      total: 1 + this.#below(64),
      ...(this.#chance(3) ? { allocation_ratio: 1 + this.#below(30) / (this.#chance(10) ? 7 : 8) } : {}),
      ...(this.#chance(4) ? { reserved: this.#below(8) } : {}),
      ...(this.#chance(6) ? { max_unit: 1 + this.#below(8), step_size: 1 + this.#below(2) } : {}),
    }
  }

  #inventory(): RandomRequest {
    const provider = this.#provider1()
    const at = `/resource_providers/${provider}/inventories`
    const minor = this.#minor()
    const resource_provider_generation = this.#generation(provider)
    const resource_class = this.#pick(CLASSES)
    switch (this.#below(8)) {
      case 0:
        return { method: 'POST', path: at, minor, body: { resource_class, ...this.#record() } }
      case 1:
        return { method: 'DELETE', path: this.#chance(3) ? at : `${at}/${resource_class}`, minor }
      case 2:
        return {
          method: 'PUT',
          path: `${at}/${resource_class}`,
          minor,
          body: { resource_provider_generation, ...this.#record() },
        }
      default: {
        const names = [...new Set(['VCPU', 'MEMORY_MB', ...this.#some(CLASSES)])]
        const inventories = Object.fromEntries(names.map(name => [name, this.#record()]))
        return { method: 'PUT', path: at, minor, body: { resource_provider_generation, inventories } }
      }
    }
  }

  #provider(): RandomRequest {
    const number = this.#below(PROVIDERS * this.#scale)
    const path = `/resource_providers/${uuid(1, number)}`
    const minor = this.#minor()
    const parent =
      minor >= 14 && this.#chance(3)
        ? { parent_provider_uuid: this.#chance(6) ? null : this.#provider1() }
        : {}
    const name = `host-${this.#chance(8) ? this.#below(PROVIDERS * this.#scale) : number}`
    switch (this.#below(6)) {
      case 0:
        return { method: 'DELETE', path, minor }
      case 1:
        return { method: 'PUT', path, minor, body: { name, ...parent } }
      default:
        return {
          method: 'POST',
          path: '/resource_providers',
          minor,
          body: { uuid: uuid(1, number), name, ...parent },
        }
    }
  }

  #members(): RandomRequest {
    const provider = this.#provider1()
    const at = `/resource_providers/${provider}`
    const minor = this.#minor()
    const resource_provider_generation = this.#generation(provider)
    const aggregates = [0, 1, 2].filter(() => this.#chance(2)).map(number => uuid(3, number))
    if (this.#chance(2))
      return {
        method: 'PUT',
        path: `${at}/aggregates`,
        minor,
        body: minor >= 19 ? { aggregates, resource_provider_generation } : aggregates,
      }
    if (this.#chance(6)) return { method: 'DELETE', path: `${at}/traits`, minor }
    return {
      method: 'PUT',
      path: `${at}/traits`,
      minor,
      body: { resource_provider_generation, traits: this.#some(TRAITS) },
    }
  }

  #name(): RandomRequest {
    const number = this.#below(NAMES)
    const [kind, name] = this.#chance(2)
      ? ['traits', `CUSTOM_T${number}`]
      : ['resource_classes', `CUSTOM_C${number}`]
    const method = this.#chance(4) ? 'DELETE' : 'PUT'
    return { method, path: `/${kind}/${name}`, minor: this.#pick([7, 20, 39]) }
  }

  #reshape(): RandomRequest {
    const provider = this.#provider1()
    const consumer = this.#consumer()
    return {
      method: 'POST',
      path: '/reshaper',
      minor: this.#pick([30, 39]),
      body: {
        inventories: {
          [provider]: {
            resource_provider_generation: this.#generation(provider),
            inventories: { VCPU: this.#record(), MEMORY_MB: this.#record(), DISK_GB: this.#record() },
          },
        },
        allocations: this.#chance(2)
          ? {}
          : {
              [consumer]: {
                allocations: { [provider]: { resources: { VCPU: 1 } } },
                ...this.#owner(38, consumer),
                project_id: 'p0',
                user_id: 'u0',
              },
            },
      },
    }
  }
}
