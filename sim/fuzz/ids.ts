/** What is known to exist on the server, by kind, so that requests reach it: filled from answers, bounded. */
import type { Random } from '../../src/kernel/random.ts'

const KINDS = [
  ...([
    'provider',
    'consumer',
    'class',
    'trait',
    'flavor',
    'aggregate',
    'group',
    'host',
    'hypervisor',
  ] as const),
  ...([
    'service',
    'namespace',
    'property',
    'object',
    'tag',
    'resourceType',
    'share',
    'snapshot',
    'type',
  ] as const),
  ...(['message', 'location', 'user', 'project', 'role', 'credential', 'decision', 'token', 'pool'] as const),
] as const
export type Kind = (typeof KINDS)[number]

const KEPT_MAX = 40

/** Answers name what they hold: `{"flavor": {"id": …}}` and `{"flavors": [{"id": …}]}`. */
const NAMED: readonly (readonly [key: string, kind: Kind, field: string])[] = [
  ['resource_providers', 'provider', 'uuid'],
  ['resource_classes', 'class', 'name'],
  ['flavor', 'flavor', 'id'],
  ['flavors', 'flavor', 'id'],
  ['aggregate', 'aggregate', 'id'],
  ['aggregates', 'aggregate', 'id'],
  ['server_group', 'group', 'id'],
  ['server_groups', 'group', 'id'],
  ['hypervisors', 'hypervisor', 'id'],
  ['services', 'service', 'id'],
  ['namespaces', 'namespace', 'namespace'],
  ['tags', 'tag', 'name'],
  ['objects', 'object', 'name'],
  ['resource_types', 'resourceType', 'name'],
  ['share', 'share', 'id'],
  ['shares', 'share', 'id'],
  ['snapshot', 'snapshot', 'id'],
  ['snapshots', 'snapshot', 'id'],
  ['share_type', 'type', 'id'],
  ['share_types', 'type', 'id'],
  ['messages', 'message', 'id'],
  ['export_locations', 'location', 'id'],
  ['application_credential', 'credential', 'id'],
  ['application_credentials', 'credential', 'id'],
  ['decisions', 'decision', 'id'],
  ['pools', 'pool', 'name'],
]

/** Only from the answer that created them: earlier ones are the fuzzer's own identities. */
const MADE: readonly (readonly [key: string, kind: Kind])[] = [
  ['user', 'user'],
  ['project', 'project'],
  ['role', 'role'],
  ['token', 'token'],
]

export class Ids {
  readonly #known = new Map<Kind, string[]>()
  readonly #generations = new Map<string, number>()
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  add(kind: Kind, id: unknown): void {
    if ((typeof id !== 'string' && typeof id !== 'number') || id === '' || String(id).length > 255) return
    const known = this.#known.get(kind) ?? []
    this.#known.set(kind, known)
    if (known.includes(String(id))) return
    if (known.length < KEPT_MAX) known.push(String(id))
    else known[this.#random.below(KEPT_MAX)] = String(id)
  }

  one(kind: Kind): string | undefined {
    const known = this.#known.get(kind) ?? []
    return known[this.#random.below(Math.max(1, known.length))]
  }

  forget(id: string): void {
    for (const known of this.#known.values()) {
      const at = known.indexOf(id)
      if (at >= 0) known.splice(at, 1)
    }
    this.#generations.delete(id)
  }

  generationOf(provider: string): number {
    return this.#generations.get(provider) ?? 0
  }

  /** Collects the ids in a successful answer. */
  learn(method: string, path: string, json: unknown): void {
    if (typeof json !== 'object' || json === null) return
    const answer = json as Record<string, unknown>
    for (const [key, kind, field] of NAMED) this.#learnField(kind, answer[key], field)
    if (method === 'POST') for (const [key, kind] of MADE) this.#learnField(kind, answer[key], 'id')
    if (Array.isArray(answer.traits)) for (const name of answer.traits.slice(0, 20)) this.add('trait', name)
    if (typeof answer.decision === 'string') this.add('decision', answer.decision)
    const provider = /\/resource_providers\/([^/?]+)/.exec(path)?.[1] ?? String(answer.uuid ?? '')
    const generation = answer.resource_provider_generation ?? answer.generation
    if (typeof generation !== 'number' || provider === '') return
    if (this.#generations.size > 1_000) this.#generations.clear()
    this.#generations.set(provider, generation)
    if (typeof answer.uuid === 'string') this.add('provider', answer.uuid)
  }

  #learnField(kind: Kind, found: unknown, field: string): void {
    const rows = Array.isArray(found) ? found.slice(0, 20) : [found]
    for (const row of rows)
      if (typeof row === 'object' && row !== null) this.add(kind, (row as Record<string, unknown>)[field])
  }
}
