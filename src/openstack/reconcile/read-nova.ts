import { inParallel } from '../../client/in-parallel.ts'
import { isObject, type JsonValue } from '../../scheduling/framework/json-value.ts'
import type { Cloud } from '../cloud/cloud.ts'
import type { CloudService } from '../cloud/cloud-service.ts'
import type {
  NovaAggregate,
  NovaCompute,
  NovaFlavor,
  NovaMigration,
  NovaServer,
  NovaState,
} from './nova-state.ts'

/** 2.59 shows uuids of migrations; 2.69 servers of cells that do not answer; 2.98 properties of images. */
const MINORS = { min: 59, max: 98 }
const MINOR_IMAGES = 98
const AT_ONCE = 4
/** Consumers that Nova does not list and is asked about one by one; the others wait for the next run. */
const LOOKUPS_MAX = 2_000

interface ServerAnswer {
  readonly id: string
  readonly name?: string
  readonly status?: string
  readonly tenant_id?: string
  readonly user_id?: string
  readonly image?: '' | { readonly properties?: Readonly<Record<string, JsonValue>> } | null
  readonly flavor?: {
    readonly original_name?: string
    readonly vcpus: number
    readonly ram: number
    readonly disk: number
    readonly ephemeral: number
    readonly swap: number | ''
    readonly extra_specs?: Readonly<Record<string, string>>
  }
  readonly 'OS-EXT-STS:vm_state'?: string
  readonly 'OS-EXT-STS:task_state'?: string | null
  readonly 'OS-EXT-SRV-ATTR:host'?: string | null
  readonly 'OS-EXT-SRV-ATTR:hypervisor_hostname'?: string | null
  readonly 'OS-SRV-USG:launched_at'?: string | null
}

interface MigrationAnswer {
  readonly id: number
  readonly uuid: string
  readonly instance_uuid: string
  readonly migration_type: NovaMigration['type']
  readonly status: string
  readonly source_node: string | null
  readonly dest_node: string | null
  readonly created_at: string
}

interface HypervisorAnswer {
  readonly id: string
  readonly hypervisor_hostname: string
  readonly hypervisor_type?: string
  readonly state: string
  readonly status: string
  readonly service: { readonly host: string }
}

interface ServiceAnswer {
  readonly host?: string
  readonly status: string
}

/** Reads the state of Nova, and parts of it again. */
export class NovaReader {
  readonly #nova: CloudService

  private constructor(nova: CloudService) {
    this.#nova = nova
  }

  static async connect(cloud: Cloud): Promise<NovaReader> {
    return new NovaReader(await cloud.service('compute', MINORS))
  }

  async read(): Promise<NovaState> {
    const answers = await this.#nova.list<ServerAnswer>('/servers/detail', 'servers', {
      query: { all_tenants: 'true' },
    })
    const servers = new Map(answers.map(one => [one.id, this.#toServer(one)]))
    return this.#withRest(servers, new Set())
  }

  /** Reads everything again, but only these servers. */
  async readAgain(before: NovaState, ids: Iterable<string>): Promise<NovaState> {
    const servers = new Map(before.servers)
    await inParallel([...ids], AT_ONCE, async id => {
      const server = await this.#readServer(id)
      if (server === null) servers.delete(id)
      else servers.set(id, server)
    })
    return this.#withRest(servers, before.deletedServers)
  }

  /** Looks up consumers that may be new or deleted servers. */
  async lookUp(state: NovaState, ids: readonly string[]): Promise<NovaState> {
    const servers = new Map(state.servers)
    const deletedServers = new Set(state.deletedServers)
    await inParallel(ids.slice(0, LOOKUPS_MAX), AT_ONCE, async id => {
      const server = await this.#readServer(id)
      if (server !== null) servers.set(id, server)
      // Actions of a server can be read after its end, until its rows are purged.
      else if ((await this.#nova.getIfAny(`/servers/${encodeURIComponent(id)}/os-instance-actions`)) !== null)
        deletedServers.add(id)
    })
    return { ...state, servers, deletedServers }
  }

  async #readServer(id: string): Promise<NovaServer | null> {
    const answer = await this.#nova.getIfAny<{ server: ServerAnswer }>(`/servers/${encodeURIComponent(id)}`)
    return answer === null ? null : this.#toServer(answer.server)
  }

  async #withRest(servers: Map<string, NovaServer>, deletedServers: ReadonlySet<string>): Promise<NovaState> {
    const migrations = await this.#nova.list<MigrationAnswer>('/os-migrations', 'migrations')
    const hypervisors = await this.#nova.list<HypervisorAnswer>('/os-hypervisors/detail', 'hypervisors')
    const services = await this.#nova.list<ServiceAnswer>('/os-services', 'services', {
      query: { binary: 'nova-compute' },
      paging: 'none',
    })
    const aggregates = await this.#nova.list<NovaAggregate>('/os-aggregates', 'aggregates', {
      paging: 'none',
    })
    const isSilent = ({ status }: { readonly status: string }) => status === 'UNKNOWN'
    return {
      servers,
      migrations: migrations.toSorted(compareAge).map(toMigration),
      computes: hypervisors.map(toCompute),
      serviceHosts: new Set(services.flatMap(({ host }) => host ?? [])),
      aggregates: aggregates.map(({ uuid, name, hosts }) => ({ uuid, name, hosts })),
      deletedServers,
      isPartial: services.some(isSilent) || servers.values().some(isSilent),
    }
  }

  #toServer(answer: ServerAnswer): NovaServer {
    const hasImages = (this.#nova.minor ?? 0) >= MINOR_IMAGES
    const { image } = answer
    const properties = isObject(image as JsonValue) && image ? image.properties : undefined
    return {
      id: answer.id,
      name: answer.name ?? answer.id,
      projectId: answer.tenant_id ?? '',
      userId: answer.user_id ?? '',
      status: answer.status ?? 'UNKNOWN',
      vmState: answer['OS-EXT-STS:vm_state'] ?? '',
      taskState: answer['OS-EXT-STS:task_state'] ?? null,
      host: answer['OS-EXT-SRV-ATTR:host'] ?? null,
      node: answer['OS-EXT-SRV-ATTR:hypervisor_hostname'] ?? null,
      wasLaunched: (answer['OS-SRV-USG:launched_at'] ?? null) !== null,
      isVolumeBacked: image === '' || image === null,
      flavor: toFlavor(answer.flavor),
      imageProperties: hasImages ? (properties ?? {}) : null,
    }
  }
}

/** Numbers of migrations of several cells do not follow each other. */
const compareAge = (a: MigrationAnswer, b: MigrationAnswer): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id - b.id

const toMigration = (one: MigrationAnswer): NovaMigration => ({
  id: one.id,
  uuid: one.uuid,
  server: one.instance_uuid,
  type: one.migration_type,
  status: one.status,
  sourceNode: one.source_node,
  destNode: one.dest_node,
})

const toCompute = (one: HypervisorAnswer): NovaCompute => ({
  id: one.id,
  name: one.hypervisor_hostname,
  host: one.service.host,
  isUp: one.state === 'up',
  isDisabled: one.status === 'disabled',
  isIronic: one.hypervisor_type?.toLowerCase() === 'ironic',
})

function toFlavor(answer: ServerAnswer['flavor']): NovaFlavor | null {
  if (answer?.extra_specs === undefined) return null
  const { original_name = '', vcpus, ram, disk, ephemeral, swap, extra_specs } = answer
  return {
    name: original_name,
    vcpus,
    ramMib: ram,
    rootGb: disk,
    ephemeralGb: ephemeral,
    swapMib: swap === '' ? 0 : swap,
    extraSpecs: extra_specs,
  }
}
