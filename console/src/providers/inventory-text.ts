import { type Figures, figuresOf, type Provider } from '../fleet/fleet.ts'
import { byImportance, className, ofClass } from '../formats.ts'

export const inventoryText = ({ inventories, usages }: Pick<Provider, 'inventories' | 'usages'>): string =>
  sumText(
    new Map([...inventories].map(([name, inventory]) => [name, figuresOf(inventory, usages.get(name) ?? 0)])),
  )

/** Of what can be had: without what is reserved, with the allocation ratio. */
export function sumText(sums: ReadonlyMap<string, Figures>): string {
  if (sums.size === 0) return '–'
  return [...sums]
    .sort(([one], [other]) => byImportance(one, other))
    .map(
      ([name, { used, capacity }]) =>
        `${className(name)} ${ofClass(name, used)} / ${ofClass(name, capacity)}`,
    )
    .join(' · ')
}
