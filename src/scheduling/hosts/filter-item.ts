import type { JsonObject } from '../framework/json-value.ts'
import type { NamedSettings } from '../framework/setting-names.ts'
import type { ServerGroupView } from './request-view.ts'

/** One item for a filter: the parts of a request and of a host that it reads. The rest can be omitted. */
export interface FilterItem {
  readonly extra_specs?: Readonly<Record<string, string>>
  /** The metadata of each aggregate that the host is in. */
  readonly aggregates?: readonly Readonly<Record<string, string>>[]
  /** By name. */
  readonly flavor?: string
  readonly project?: string | null
  readonly zone?: string | null
  readonly image?: string | null
  readonly image_properties?: JsonObject
  readonly hints?: JsonObject
  /** The instance itself, where it exists already. */
  readonly instance?: string | null
  readonly server_group?: {
    readonly policy: ServerGroupView['policy']
    readonly max_server_per_host?: number
    /** How many members are on each host. */
    readonly members?: Readonly<Record<string, number>>
  } | null
  readonly host?: HostItem
  /** Overrides the settings of this server. */
  readonly settings?: Partial<NamedSettings>
}

export interface HostItem {
  readonly name?: string
  readonly enabled?: boolean
  readonly disabled_reason?: string | null
  readonly up?: boolean
  readonly forced_down?: boolean
  readonly free_ram_mb?: number
  readonly free_disk_mb?: number
  readonly vcpus_total?: number
  readonly vcpus_used?: number
  readonly cpu_allocation_ratio?: number
  readonly num_instances?: number
  readonly num_io_ops?: number
  readonly failed_builds?: number
  readonly free_pci_devices?: number
  /** Those of all its providers. */
  readonly traits?: readonly string[]
  readonly metrics?: Readonly<Record<string, number>>
  readonly instances?: readonly string[]
  /** The image properties of its instances, one entry per instance. */
  readonly instance_images?: readonly JsonObject[]
  /** By Nova's names; statistics are under `stats`. */
  readonly attributes?: JsonObject
}
