/** The part of Nova's state that a pull reads. */

export interface NovaFlavor {
  readonly id: string
  readonly name: string
  readonly ram: number
  readonly vcpus: number
  readonly disk: number
  readonly 'OS-FLV-EXT-DATA:ephemeral': number
  /** Before 2.75, an empty text means none. */
  readonly swap: number | ''
  readonly rxtx_factor?: number
  readonly 'os-flavor-access:is_public': boolean
  readonly description?: string | null
  readonly extra_specs?: Readonly<Record<string, string>>
}

export interface NovaAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** Names of compute services. */
  readonly hosts: readonly string[]
}

export interface NovaService {
  readonly binary: string
  readonly host: string
  readonly status: 'enabled' | 'disabled'
  readonly state: 'up' | 'down'
  readonly disabled_reason: string | null
  readonly forced_down?: boolean
}

export interface NovaHypervisor {
  readonly id: string
  readonly hypervisor_hostname: string
  readonly hypervisor_type?: string
  readonly hypervisor_version?: number
  readonly service: { readonly host: string }
}

export interface NovaZone {
  readonly zoneName: string
  readonly hosts: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
}

export interface NovaGroup {
  readonly id: string
  readonly name: string
  /** Before 2.64: `policies`. */
  readonly policy?: string
  readonly policies?: readonly string[]
  readonly rules?: { readonly max_server_per_host?: number }
  readonly members: readonly string[]
  readonly project_id: string
  readonly user_id: string
}

export interface NovaServer {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly updated: string
  readonly tenant_id: string
  readonly user_id: string
  readonly image: '' | { readonly id: string } | null
  readonly flavor: {
    readonly original_name: string
    readonly vcpus: number
    readonly ram: number
    readonly disk: number
    readonly ephemeral: number
    readonly swap: number
    readonly extra_specs?: Readonly<Record<string, string>>
  }
  readonly 'OS-EXT-SRV-ATTR:host'?: string | null
  readonly 'OS-EXT-SRV-ATTR:hypervisor_hostname'?: string | null
  /** Since 2.96. */
  readonly pinned_availability_zone?: string | null
  /** Since 2.100. */
  readonly scheduler_hints?: Readonly<Record<string, unknown>>
}

export interface NovaState {
  readonly flavors: readonly NovaFlavor[]
  /** The projects of private flavors, by flavor. */
  readonly access: ReadonlyMap<string, readonly string[]>
  readonly aggregates: readonly NovaAggregate[]
  readonly services: readonly NovaService[]
  readonly hypervisors: readonly NovaHypervisor[]
  readonly zones: readonly NovaZone[]
  readonly groups: readonly NovaGroup[]
  readonly servers: readonly NovaServer[]
}
