import { setAggregates } from './aggregates/aggregates.ts'
import { deleteAllocations, replaceAllocations } from './allocations/allocations.ts'
import { createClass, deleteClass, ensureClass, renameClass } from './classes/classes.ts'
import {
  addInventory,
  deleteInventory,
  replaceInventories,
  updateInventory,
} from './inventories/inventories.ts'
import { leavingOwned } from './owned.ts'
import { createProvider, deleteProvider, updateProvider } from './providers/providers.ts'
import { reshape } from './reshaper/reshaper.ts'
import { syncStandards } from './standards.ts'
import { deleteTrait, ensureTrait, setProviderTraits } from './traits/traits.ts'
import { importLines } from './transfer/import.ts'

/** Every command of Placement and the rule that decides it. What belongs to another service they leave alone. */
export const placementRules = leavingOwned({
  'sync-standards': syncStandards,
  'create-class': createClass,
  'ensure-class': ensureClass,
  'rename-class': renameClass,
  'delete-class': deleteClass,
  'ensure-trait': ensureTrait,
  'delete-trait': deleteTrait,
  'create-provider': createProvider,
  'update-provider': updateProvider,
  'delete-provider': deleteProvider,
  'set-provider-traits': setProviderTraits,
  'set-aggregates': setAggregates,
  'add-inventory': addInventory,
  'update-inventory': updateInventory,
  'replace-inventories': replaceInventories,
  'delete-inventory': deleteInventory,
  'replace-allocations': replaceAllocations,
  'delete-allocations': deleteAllocations,
  reshape,
  // It looks line by line.
  'import-lines': importLines,
})

export type PlacementRules = typeof placementRules
