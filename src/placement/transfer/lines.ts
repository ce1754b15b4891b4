/** A cloud as lines: what an export writes and an import reads. Parents come before their children. */

interface ClassLine {
  readonly resource_class: { readonly name: string }
}

interface TraitLine {
  readonly trait: { readonly name: string }
}

export interface InventoryFields {
  readonly total: number
  readonly reserved: number
  readonly min_unit: number
  readonly max_unit: number
  readonly step_size: number
  readonly allocation_ratio: number
}

export interface ProviderFields {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parent_provider_uuid: string | null
  readonly inventories: Readonly<Record<string, InventoryFields>>
  readonly traits: readonly string[]
  readonly aggregates: readonly string[]
}

interface ProviderLine {
  readonly provider: ProviderFields
}

export interface ConsumerFields {
  readonly uuid: string
  readonly generation: number
  readonly project_id: string
  readonly user_id: string
  readonly consumer_type: string | null
  /** By provider. Placement may have consumers without allocations, which an older version left behind. */
  readonly allocations: Readonly<Record<string, { readonly resources: Readonly<Record<string, number>> }>>
}

interface ConsumerLine {
  readonly consumer: ConsumerFields
}

interface RemoveProviderLine {
  readonly remove_provider: { readonly uuid: string }
}

interface RemoveConsumerLine {
  readonly remove_consumer: { readonly uuid: string }
}

export type CloudLine =
  | ClassLine
  | TraitLine
  | ProviderLine
  | ConsumerLine
  | RemoveProviderLine
  | RemoveConsumerLine

export type LineKind = 'resource_classes' | 'traits' | 'providers' | 'consumers'

export const lineKinds: readonly LineKind[] = ['resource_classes', 'traits', 'providers', 'consumers']

/** What a line is about: its kind, and the key within that kind. */
export function subjectOf(line: CloudLine): { readonly kind: LineKind; readonly key: string } {
  if ('resource_class' in line) return { kind: 'resource_classes', key: line.resource_class.name }
  if ('trait' in line) return { kind: 'traits', key: line.trait.name }
  if ('provider' in line) return { kind: 'providers', key: line.provider.uuid }
  if ('remove_provider' in line) return { kind: 'providers', key: line.remove_provider.uuid }
  if ('remove_consumer' in line) return { kind: 'consumers', key: line.remove_consumer.uuid }
  return { kind: 'consumers', key: line.consumer.uuid }
}
