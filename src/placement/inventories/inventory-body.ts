import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import type { Row } from '../../world/tables.ts'
import type { InventoryRecord } from './inventories.ts'

/** One inventory as in a request body. */
export interface InventoryBody {
  readonly total: number
  readonly reserved?: number
  readonly min_unit?: number
  readonly max_unit?: number
  readonly step_size?: number
  readonly allocation_ratio?: number
}

/** The schema does not check a value under a key that cannot be a class, so it may be anything. */
export function recordFromBody(given: InventoryBody): InventoryRecord {
  const body = Object(given) as InventoryBody
  return {
    total: body.total,
    reserved: body.reserved ?? 0,
    minUnit: body.min_unit ?? 1,
    maxUnit: body.max_unit ?? AMOUNT_MAX,
    stepSize: body.step_size ?? 1,
    allocationRatio: body.allocation_ratio ?? 1,
  }
}

export function renderRecord(record: InventoryRecord): Record<string, unknown> {
  return {
    total: record.total,
    reserved: record.reserved,
    min_unit: record.minUnit,
    max_unit: record.maxUnit,
    step_size: record.stepSize,
    allocation_ratio: record.allocationRatio,
  }
}

export function renderInventory(row: Row<'inventories'>): Record<string, unknown> {
  const { total, reserved, min_unit, max_unit, step_size, allocation_ratio } = row
  return { total, reserved, min_unit, max_unit, step_size, allocation_ratio }
}
