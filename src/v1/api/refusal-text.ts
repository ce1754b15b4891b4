import type { LineRefusal } from '../../placement/transfer/import.ts'
import type { RowRefusal } from '../../transfer/import-rows.ts'

/** Why a line of an import is refused, in words. */
export function describeLineRefusal(refusal: LineRefusal | RowRefusal): string {
  switch (refusal.kind) {
    case 'not-custom':
      return `there is no standard name ${refusal.name}; custom names begin with CUSTOM_.`
    case 'parent-missing':
      return `provider ${refusal.uuid} has a parent that does not exist: ${refusal.parent}.`
    case 'loop':
      return `provider ${refusal.uuid} cannot be a child of ${refusal.parent}, which is below it.`
    case 'name-taken':
      return `provider ${refusal.uuid} cannot be named ${refusal.name}: another provider has that name.`
    case 'class-missing':
      return `there is no resource class ${refusal.name}.`
    case 'trait-missing':
      return `there is no trait ${refusal.name}.`
    case 'bad-capacity':
      return `the inventory of ${refusal.class} has a negative capacity.`
    case 'inventory-in-use':
      return `the inventory of ${refusal.class} is not on the line, and cannot be deleted: ${refusal.used} of it are in use.`
    case 'provider-missing':
      return `there is no provider ${refusal.uuid}.`
    case 'no-inventory':
      return `provider ${refusal.provider} has no inventory of ${refusal.class}.`
    case 'has-children':
      return `provider ${refusal.uuid} has children.`
    case 'still-used':
      return `provider ${refusal.uuid} is in use: ${refusal.used} of ${refusal.class}.`
    case 'owned':
      return `${refusal.what} belongs to the share service, which alone may change it.`
    case 'row-reference-missing':
      return `${refusal.table}.${refusal.column}: there is no ${refusal.name}.`
    case 'row-differs':
      return `${refusal.table}: the existing row has another ${refusal.column}, which an import does not change.`
    case 'row-taken':
      return `${refusal.table}: another row has the same ${refusal.index}.`
    case 'row-misfit':
      return `${refusal.table}: ${refusal.why}.`
    default:
      return refusal satisfies never
  }
}
