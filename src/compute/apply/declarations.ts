import { ownValue } from '../../kernel/records.ts'
import type { InventoryRecord } from '../../placement/inventories/inventories.ts'
import type { FlavorFields } from '../flavors/flavors.ts'

/** What a file declares. Undefined fields stay as they are. */

export interface HostDeclaration {
  readonly name: string
  readonly uuid?: string | undefined
  readonly inventories?: readonly (readonly [name: string, record: InventoryRecord])[] | undefined
  readonly traits?: readonly string[] | undefined
  readonly capabilities?: string | undefined
  readonly isDisabled?: boolean | undefined
  readonly disabledReason?: string | null | undefined
  readonly isForcedDown?: boolean | undefined
}

export interface FlavorDeclaration {
  readonly id?: string | undefined
  readonly fields: Omit<FlavorFields, 'flavorid'>
  readonly extraSpecs?: Readonly<Record<string, string>> | undefined
  /** The projects that may use it. */
  readonly access?: readonly string[] | undefined
}

export interface AggregateDeclaration {
  readonly name: string
  readonly zone?: string | undefined
  /** All of it, except the zone. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly hosts?: readonly string[] | undefined
}

/** An undefined kind is ignored; an empty one deletes all that were applied before. */
export interface Declarations {
  readonly hosts?: readonly HostDeclaration[] | undefined
  readonly flavors?: readonly FlavorDeclaration[] | undefined
  readonly aggregates?: readonly AggregateDeclaration[] | undefined
}

export type DeclaredKind = 'host' | 'flavor' | 'aggregate'

/** One line of the plan. */
export interface PlannedChange {
  readonly kind: DeclaredKind
  readonly name: string
  readonly action: 'create' | 'update' | 'remove' | 'unchanged'
  /** It was applied from this set, so it is deleted once it is dropped from it. */
  readonly owned: boolean
  readonly differences: readonly Difference[]
}

interface Difference {
  readonly field: string
  /** Undefined: absent before, or after. */
  readonly before?: unknown
  readonly after?: unknown
}

export function compareFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] {
  const found: Difference[] = []
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [ownValue(before, field), ownValue(after, field)]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    found.push({
      field,
      ...(was === undefined ? {} : { before: was }),
      ...(is === undefined ? {} : { after: is }),
    })
  }
  return found
}
