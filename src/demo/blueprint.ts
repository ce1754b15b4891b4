import type { InventoryRecord } from '../placement/inventories/inventories.ts'

/** A provider to create. Parents come before their children. */
export interface Blueprint {
  readonly name: string
  readonly parent: string | null
  readonly inventories: Readonly<Record<string, InventoryRecord>>
  readonly traits: readonly string[]
  /** Uuids. */
  readonly aggregates: readonly string[]
}

/** An inventory that one consumer may take as a whole, as services report them. */
export function stock(total: number, more: Partial<InventoryRecord> = {}): InventoryRecord {
  return { total, reserved: 0, minUnit: 1, maxUnit: total, stepSize: 1, allocationRatio: 1, ...more }
}

export function blueprint(name: string, parts: Partial<Blueprint>): Blueprint {
  return { name, parent: null, inventories: {}, traits: [], aggregates: [], ...parts }
}
