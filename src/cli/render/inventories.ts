import { ownValue } from '../../kernel/records.ts'
import type { FleetProvider, Inventory } from '../../wire/fleet.ts'
import type { ByClass } from '../../wire/openstack-placement.ts'
import { type Column, flexible, type Look, right, table } from './table.ts'

/** The capacity that Placement compares usage with. */
export const capacityOf = ({ total, reserved, allocation_ratio }: Inventory): number =>
  Math.trunc((total - reserved) * allocation_ratio)

interface Figure {
  readonly title: string
  readonly of: (inventory: Inventory, used: number) => number
  /** Shown only if it differs for some class. */
  readonly usually?: number
}

const FIGURES: readonly Figure[] = [
  { title: 'TOTAL', of: inventory => inventory.total },
  { title: 'RESERVED', of: inventory => inventory.reserved },
  { title: 'RATIO', of: inventory => inventory.allocation_ratio },
  { title: 'MIN', of: inventory => inventory.min_unit, usually: 1 },
  { title: 'MAX', of: inventory => inventory.max_unit, usually: 2_147_483_647 },
  { title: 'STEP', of: inventory => inventory.step_size, usually: 1 },
  { title: 'CAPACITY', of: capacityOf },
  { title: 'USED', of: (_, used) => used },
  { title: 'FREE', of: (inventory, used) => capacityOf(inventory) - used },
]

export function inventoryTable(inventories: ByClass<Inventory>, usages: ByClass<number>, look: Look): string {
  const all = Object.entries(inventories)
  const figures = FIGURES.filter(
    ({ of, usually }) => usually === undefined || all.some(([, inventory]) => of(inventory, 0) !== usually),
  )
  const columns: Column[] = [flexible('CLASS'), ...figures.map(({ title }) => right(title))]
  const rows = all.map(([name, inventory]) => [
    name,
    ...figures.map(({ of }) => String(of(inventory, ownValue(usages, name) ?? 0))),
  ])
  return table(columns, rows, look)
}

/** `VCPU 12/64 (reserved 2, ratio 16)`: used of total, and what makes the capacity differ from the total. */
export function amountPhrases({
  inventories,
  usages,
}: Pick<FleetProvider, 'inventories' | 'usages'>): string[] {
  return Object.entries(inventories).map(([name, inventory]) => {
    const asides = [
      ...(inventory.reserved === 0 ? [] : [`reserved ${inventory.reserved}`]),
      ...(inventory.allocation_ratio === 1 ? [] : [`ratio ${inventory.allocation_ratio}`]),
    ]
    const aside = asides.length === 0 ? '' : ` (${asides.join(', ')})`
    return `${name} ${ownValue(usages, name) ?? 0}/${inventory.total}${aside}`
  })
}

/** `VCPU 2, MEMORY_MB 1024`. */
export const resourcesText = (resources: ByClass<number>): string =>
  Object.entries(resources)
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ')
