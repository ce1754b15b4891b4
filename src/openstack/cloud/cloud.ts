import { type Clock, systemClock } from '../../kernel/clock.ts'
import { CloudFailure } from './cloud-failure.ts'
import { CloudService, type MinorRange } from './cloud-service.ts'
import type { CloudSettings } from './cloud-settings.ts'
import { KeystoneSession } from './keystone-session.ts'
import { type CloudLoad, PoliteClient, type PoliteOptions } from './polite-client.ts'
import { endpointFor, type ServiceType, serviceFacts } from './service-types.ts'

interface CloudOptions extends PoliteOptions {
  readonly clock?: Clock
}

/** A cloud. Signs in at the first request. */
export class Cloud {
  readonly settings: CloudSettings
  readonly #client: PoliteClient
  readonly #session: KeystoneSession

  constructor(settings: CloudSettings, options: CloudOptions = {}) {
    this.settings = settings
    this.#client = new PoliteClient(settings.trust, settings.timeoutMs, options)
    this.#session = new KeystoneSession(settings, this.#client, options.clock ?? systemClock)
  }

  get load(): CloudLoad {
    return this.#client.load
  }

  /** Null if the cloud has no such service. `range`: the supported microversions; null if the service has none. */
  async serviceIfAny(type: ServiceType, range: MinorRange | null): Promise<CloudService | null> {
    const address = await this.#session.addressOf(type)
    if (address === null) return null
    const parts = { type, endpoint: endpointFor(type, address), session: this.#session, client: this.#client }
    return CloudService.connect(parts, range)
  }

  async service(type: ServiceType, range: MinorRange | null): Promise<CloudService> {
    const found = await this.serviceIfAny(type, range)
    if (found !== null) return found
    const { name, service } = this.settings
    const { region, interface: wanted } = service(type)
    const where = region === null ? '' : ` in region ${region}`
    throw new CloudFailure(
      `cloud ${name} has no ${serviceFacts[type].title} in its catalog (interface ${wanted}${where})`,
    )
  }
}
