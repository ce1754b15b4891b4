import { type Figures, type Fleet, figuresOf, type Provider } from '../fleet/fleet.ts'
import { byImportance, className, ofClass } from '../formats.ts'

export const inventoryText = ({ inventories, usages }: Pick<Provider, 'inventories' | 'usages'>): string =>
  sumText(
    new Map([...inventories].map(([name, inventory]) => [name, figuresOf(inventory, usages.get(name) ?? 0)])),
  )

/** Of the capacity: without the reserved part, with the allocation ratio. */
function sumText(sums: ReadonlyMap<string, Figures>): string {
  if (sums.size === 0) return '–'
  return [...sums]
    .sort(([one], [other]) => byImportance(one, other))
    .map(
      ([name, { used, capacity }]) =>
        `${className(name)} ${ofClass(name, used)} / ${ofClass(name, capacity)}`,
    )
    .join(' · ')
}

/** A root is listed with what its whole tree has: hosts often have everything on their children. */
export const listedText = (fleet: Pick<Fleet, 'sums'>, provider: Provider): string =>
  provider.parent === null ? sumText(fleet.sums(provider)) : inventoryText(provider)
