import { isRefused } from '../../client/http.ts'
import type { CloudLine, ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Untakable } from './ledger.ts'
import type { PlacementApi } from './placement-api.ts'
import type { CustomName } from './plan-import.ts'

/** How often to retry a write that lost against another writer. */
const TRIES_MAX = 5

/** Writes lines of a plan through the API of a Placement. */
export class PlacementWriter {
  readonly #api: PlacementApi
  /** Refused lines, with the message of the Placement. */
  readonly refused: Untakable[] = []

  constructor(api: PlacementApi) {
    this.#api = api
  }

  write(line: CloudLine): Promise<void> {
    return this.#try(describeLine(line), () => this.#writeOnce(line))
  }

  removeName({ kind, name }: CustomName): Promise<void> {
    const path = kind === 'trait' ? `/traits/${name}` : `/resource_classes/${name}`
    return this.#try(`removal of ${kind.replace('_', ' ')} ${name}`, () => this.#api.send('DELETE', path))
  }

  /** Continues after a refusal. */
  async #try(what: string, write: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (!isRefused(error, 409) && !isRefused(error, 400) && !isRefused(error, 404)) throw error
        if (error.code === 'placement.concurrent_update' && tries < TRIES_MAX) continue
        this.refused.push({ what, reason: error.message })
        return
      }
    }
  }

  async #writeOnce(line: CloudLine): Promise<void> {
    if ('resource_class' in line) await this.#api.send('PUT', `/resource_classes/${line.resource_class.name}`)
    else if ('trait' in line) await this.#api.send('PUT', `/traits/${line.trait.name}`)
    else if ('provider' in line) await this.#writeProvider(line.provider)
    else if ('consumer' in line) await this.#writeConsumer(line.consumer)
    else if ('remove_provider' in line)
      await this.#api.send('DELETE', `/resource_providers/${line.remove_provider.uuid}`)
    else await this.#api.send('DELETE', `/allocations/${line.remove_consumer.uuid}`)
  }

  async #writeProvider(provider: ProviderFields): Promise<void> {
    const { uuid, name, parent_provider_uuid } = provider
    const at = `/resource_providers/${uuid}`
    const known = await this.#findProvider(at)
    // A null parent cannot be sent where there is none: older versions know no null.
    const parent =
      parent_provider_uuid === null && known?.parent_provider_uuid == null ? {} : { parent_provider_uuid }
    if (known === null) await this.#api.send('POST', '/resource_providers', { uuid, name, ...parent })
    else if (known.name !== name || known.parent_provider_uuid !== parent_provider_uuid)
      await this.#api.send('PUT', at, { name, ...parent })
    await this.#writeParts(provider, at)
  }

  async #findProvider(at: string): Promise<Pick<ProviderFields, 'name' | 'parent_provider_uuid'> | null> {
    try {
      return await this.#api.get(at)
    } catch (error) {
      if (isRefused(error, 404)) return null
      throw error
    }
  }

  async #writeParts({ inventories, traits, aggregates }: ProviderFields, at: string): Promise<void> {
    const current = async () => (await this.#api.get<{ generation: number }>(at)).generation
    const parts: [string, object][] = [
      ['inventories', { inventories }],
      ['traits', { traits }],
      ['aggregates', { aggregates }],
    ]
    for (const [name, body] of parts)
      await this.#api.send('PUT', `${at}/${name}`, { ...body, resource_provider_generation: await current() })
  }

  async #writeConsumer(consumer: ConsumerFields): Promise<void> {
    const at = `/allocations/${consumer.uuid}`
    const known = await this.#api.get<{ consumer_generation?: number }>(at)
    const generation = known.consumer_generation ?? null
    // The API cannot create a consumer without allocations.
    if (generation === null && Object.keys(consumer.allocations).length === 0) return
    try {
      await this.#putConsumer(at, consumer, generation)
    } catch (error) {
      // Placement keeps consumers at generation 0 that it does not show, after writes that it refused.
      const isHidden = generation === null && isRefused(error, 409)
      if (!isHidden || error.code !== 'placement.concurrent_update') throw error
      await this.#putConsumer(at, consumer, 0)
    }
    if (consumer.consumer_type === null && this.#api.hasConsumerTypes) await this.#dropType(at, consumer)
  }

  #putConsumer(at: string, consumer: ConsumerFields, consumer_generation: number | null): Promise<void> {
    const { allocations, project_id, user_id, consumer_type } = consumer
    const body = { allocations, project_id, user_id, consumer_generation }
    if (!this.#api.hasConsumerTypes || consumer_type === null) return this.#api.putUntyped(at, body)
    return this.#api.send('PUT', at, { ...body, consumer_type })
  }

  /** A write cannot take the type away: a consumer that had one is made anew. */
  async #dropType(at: string, consumer: ConsumerFields): Promise<void> {
    const { consumer_type } = await this.#api.get<{ consumer_type?: string }>(at)
    if (consumer_type === undefined || consumer_type === 'unknown') return
    await this.#api.send('DELETE', at)
    await this.#putConsumer(at, consumer, null)
  }
}

function describeLine(line: CloudLine): string {
  if ('resource_class' in line) return `resource class ${line.resource_class.name}`
  if ('trait' in line) return `trait ${line.trait.name}`
  if ('provider' in line) return `provider ${line.provider.name} (${line.provider.uuid})`
  if ('consumer' in line) return `consumer ${line.consumer.uuid}`
  if ('remove_provider' in line) return `removal of provider ${line.remove_provider.uuid}`
  return `removal of consumer ${line.remove_consumer.uuid}`
}
