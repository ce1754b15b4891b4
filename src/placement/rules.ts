import { setAggregates } from './aggregates/aggregates.ts'
import { deleteAllocations, replaceAllocations } from './allocations/allocations.ts'
import { createClass, deleteClass, ensureClass, renameClass } from './classes/classes.ts'
import {
  addInventory,
  deleteInventory,
  replaceInventories,
  updateInventory,
} from './inventories/inventories.ts'
import { rejectForeignOwned } from './owned.ts'
import { createProvider, deleteProvider, updateProvider } from './providers/providers.ts'
import { reshape } from './reshaper/reshaper.ts'
import { learnTraits, syncStandards } from './standards.ts'
import { deleteTrait, ensureTrait, setProviderTraits } from './traits/traits.ts'
import { importLines } from './transfer/import.ts'

const guardedRules = rejectForeignOwned({
  'sync-standards': syncStandards,
  'learn-traits': learnTraits,
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
})

/**
 * Every command of Placement and the rule that decides it. None of them changes what belongs to another service; an import
 * checks that line by line.
 */
export const placementRules = { ...guardedRules, 'import-lines': importLines }

export type PlacementRules = typeof placementRules
