import { capacityOf, type Provider } from '../fleet/fleet.ts'
import { byImportance, className, ofClass } from '../formats.ts'

/** Of what can be had: without what is reserved, with the allocation ratio. */
export function inventoryText({ inventories, usages }: Pick<Provider, 'inventories' | 'usages'>): string {
  if (inventories.size === 0) return '–'
  return [...inventories]
    .sort(([one], [other]) => byImportance(one, other))
    .map(
      ([name, inventory]) =>
        `${className(name)} ${ofClass(name, usages.get(name) ?? 0)} / ${ofClass(name, capacityOf(inventory))}`,
    )
    .join(' · ')
}
