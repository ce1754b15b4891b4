import type { JsonValue } from '../../scheduling/framework/json-value.ts'

/** The part of Nova's state on which the ledger depends. */
export interface NovaState {
  readonly servers: ReadonlyMap<string, NovaServer>
  /** Of all statuses, the oldest first. */
  readonly migrations: readonly NovaMigration[]
  readonly computes: readonly NovaCompute[]
  /** The hosts that have a nova-compute service, whether or not they have a compute. */
  readonly serviceHosts: ReadonlySet<string>
  readonly aggregates: readonly NovaAggregate[]
  /** Consumers without a server that Nova remembers as deleted servers. */
  readonly deletedServers: ReadonlySet<string>
  /** A cell does not answer, so servers may exist that Nova does not list. */
  readonly isPartial: boolean
}

export interface NovaServer {
  readonly id: string
  readonly name: string
  readonly projectId: string
  readonly userId: string
  /** `ACTIVE`, `ERROR`, ...; `UNKNOWN` where its cell does not answer. */
  readonly status: string
  readonly vmState: string
  readonly taskState: string | null
  /** The service host, null where it is on none; and the node, which is the name of the compute. */
  readonly host: string | null
  readonly node: string | null
  readonly wasLaunched: boolean
  readonly isVolumeBacked: boolean
  /** The flavor as it was when the server was built or resized; null where Nova does not show extra specs. */
  readonly flavor: NovaFlavor | null
  /** Null if Nova is too old to show them. */
  readonly imageProperties: Readonly<Record<string, JsonValue>> | null
}

export interface NovaFlavor {
  readonly name: string
  readonly vcpus: number
  readonly ramMib: number
  readonly rootGb: number
  readonly ephemeralGb: number
  readonly swapMib: number
  readonly extraSpecs: Readonly<Record<string, string>>
}

export interface NovaMigration {
  readonly id: number
  readonly uuid: string
  readonly server: string
  readonly type: 'resize' | 'migration' | 'live-migration' | 'evacuation'
  readonly status: string
  readonly sourceNode: string | null
  readonly destNode: string | null
}

export interface NovaCompute {
  /** The uuid of the compute node, which is that of its provider. */
  readonly id: string
  /** The hypervisor hostname, which is the name of its provider. */
  readonly name: string
  readonly host: string
  readonly isUp: boolean
  readonly isDisabled: boolean
  readonly isIronic: boolean
}

export interface NovaAggregate {
  readonly uuid: string
  readonly name: string
  readonly hosts: readonly string[]
}

/** After these a migration holds nothing any more. `finished` is not among them: the server waits for its resize to be confirmed. */
const ENDED: ReadonlySet<string> = new Set([
  'completed',
  'done',
  'confirmed',
  'reverted',
  'failed',
  'error',
  'cancelled',
])

export const isEnded = ({ status }: NovaMigration): boolean => ENDED.has(status)

/** Why a server is not judged now; null if nothing happens to it. */
export function findMotion(server: NovaServer, migrations: readonly NovaMigration[]): string | null {
  if (server.status === 'UNKNOWN') return 'its cell does not answer'
  if (server.taskState !== null) return `its task is ${server.taskState}`
  if (server.vmState === 'building') return 'it is being built'
  const running = migrations.find(
    one => !isEnded(one) && !(one.status === 'finished' && server.vmState === 'resized'),
  )
  return running === undefined ? null : `its ${running.type} ${running.id} is ${running.status}`
}
