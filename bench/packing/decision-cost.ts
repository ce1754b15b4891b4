/** What a decision costs with each profile: processor time, in turns on clouds that are alike. */
import { Random } from '../../src/kernel/random.ts'
import { Cloud, group, type Kind } from './cloud.ts'
import { POLICIES, type Policy, setupOf } from './policies.ts'

const HOSTS = 10_000
const SERVERS_PER_HOST = 1
const SLICES = 9
const DECISIONS_PER_SLICE = 30
const [CORES, MEMORY_MIB, GPUS] = [96, 393_216, 4]
const SHARE = 'CUSTOM_GPU_SHARE'

export interface CostFigures {
  readonly kind: 'cost'
  readonly list: string
  readonly policy: string
  readonly hosts: number
  readonly decisions: number
  /** The median of the slices. */
  readonly decisionMs: number
}

const COMPARED = ['spread (default)', 'pack', 'pack-gpu']

const flat: readonly Kind[] = [1, 2, 4, 8, 16].flatMap(vcpus =>
  [2_048, 4_096].map(perCore => ({
    name: `${vcpus}-${perCore}`,
    groups: [group('', { VCPU: vcpus, MEMORY_MB: vcpus * perCore })],
  })),
)
const withGpus: readonly Kind[] = flat.map((kind, nth) => ({
  name: `${kind.name}-gpu`,
  groups: [...kind.groups, group('_GPU0', { [SHARE]: [250, 500, 1_000][nth % 3] as number })],
}))

/** One of the clouds, which takes a server and loses one in each step, so that it stays as full as it is. */
class Turnover {
  readonly policy: string
  readonly slices: number[] = []
  readonly #cloud: Cloud
  readonly #kinds: readonly Kind[]
  readonly #random = new Random(1)
  readonly #servers: number[] = []
  #next = 0

  constructor(policy: Policy, kinds: readonly Kind[], gpus: number) {
    this.policy = policy.name
    this.#kinds = kinds
    const hosts = Array.from({ length: HOSTS }, (_, nth) => ({
      name: `host-${nth}`,
      inventories: { VCPU: CORES, MEMORY_MB: MEMORY_MIB },
      traits: [],
      children: Array.from({ length: gpus }, (_unused, gpu) => ({
        name: `host-${nth}-gpu-${gpu}`,
        inventories: { [SHARE]: 1_000 },
        traits: [],
        children: [],
      })),
    }))
    this.#cloud = new Cloud(hosts, setupOf(policy), 1)
    for (let nth = 0; nth < HOSTS * SERVERS_PER_HOST; nth++) {
      const kind = this.#drawKind()
      if (this.#cloud.fill(this.#next, kind, nth % HOSTS)) this.#servers.push(this.#next++)
    }
  }

  /** Milliseconds of processor time for each decision. */
  measure(): void {
    const kinds = Array.from({ length: DECISIONS_PER_SLICE }, () => this.#drawKind())
    const from = process.cpuUsage()
    for (const kind of kinds) if (this.#cloud.place(this.#next, kind, 0)) this.#servers.push(this.#next++)
    const { user, system } = process.cpuUsage(from)
    this.slices.push((user + system) / 1_000 / DECISIONS_PER_SLICE)
    while (this.#servers.length > HOSTS * SERVERS_PER_HOST) {
      const at = this.#random.below(this.#servers.length)
      this.#cloud.remove(this.#servers[at] as number)
      this.#servers[at] = this.#servers.at(-1) as number
      this.#servers.pop()
    }
  }

  #drawKind(): Kind {
    return this.#kinds[this.#random.below(this.#kinds.length)] as Kind
  }
}

export function measureCosts(): CostFigures[] {
  const clouds = [
    { list: 'hosts of one provider', kinds: flat, gpus: 0 },
    { list: `hosts with ${GPUS} GPUs`, kinds: withGpus, gpus: GPUS },
  ]
  return clouds.flatMap(({ list, kinds, gpus }) => {
    const compared = POLICIES.filter(({ name }) => COMPARED.includes(name))
    const turnovers = compared.map(policy => new Turnover(policy, kinds, gpus))
    for (let slice = 0; slice < SLICES; slice++) for (const one of turnovers) one.measure()
    return turnovers.map(({ policy, slices }): CostFigures => {
      // In the first slices every kind of request is new.
      const known = slices.slice(SLICES / 3).sort((a, b) => a - b)
      return {
        kind: 'cost',
        list,
        policy,
        hosts: HOSTS,
        decisions: known.length * DECISIONS_PER_SLICE,
        decisionMs: known[known.length >> 1] as number,
      }
    })
  })
}
