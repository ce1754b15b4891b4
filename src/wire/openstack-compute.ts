/** Answers of the compute API that the command line and the console read. */

/** Since 2.75. */
export interface Flavor {
  readonly id: string
  readonly name: string
  readonly ram: number
  readonly vcpus: number
  readonly disk: number
  readonly swap: number
  readonly 'OS-FLV-EXT-DATA:ephemeral': number
  readonly 'os-flavor-access:is_public': boolean
  readonly rxtx_factor: number
  readonly description: string | null
  readonly extra_specs: Readonly<Record<string, string>>
}

export type NewFlavor = Pick<
  Flavor,
  'name' | 'ram' | 'vcpus' | 'disk' | 'description' | 'os-flavor-access:is_public'
>

export interface HostAggregate {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly availability_zone: string | null
  readonly hosts: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
}

export interface ServerGroup {
  readonly id: string
  readonly name: string
}
