import { setAggregates } from './aggregates/aggregates.ts'
import { claimAllocations, claimSeveral, deleteAllocations } from './allocations/allocations.ts'
import { expectGroupClaim } from './allocations/group-policy.ts'
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
  'placement:sync-standards': syncStandards,
  'placement:learn-traits': learnTraits,
  'placement:create-class': createClass,
  'placement:ensure-class': ensureClass,
  'placement:rename-class': renameClass,
  'placement:delete-class': deleteClass,
  'placement:ensure-trait': ensureTrait,
  'placement:delete-trait': deleteTrait,
  'placement:create-provider': createProvider,
  'placement:update-provider': updateProvider,
  'placement:delete-provider': deleteProvider,
  'placement:set-provider-traits': setProviderTraits,
  'placement:set-aggregates': setAggregates,
  'placement:add-inventory': addInventory,
  'placement:update-inventory': updateInventory,
  'placement:replace-inventories': replaceInventories,
  'placement:delete-inventory': deleteInventory,
  'placement:replace-allocations': claimSeveral,
  'placement:delete-allocations': deleteAllocations,
  'placement:reshape': reshape,
})

/** Claims within Nova's server groups, whose policies upstream's Placement does not know. */
export const groupRules = {
  'placement:expect-group-claim': expectGroupClaim,
  ...rejectForeignOwned({ 'placement:claim-allocations': claimAllocations }),
}

/**
 * Every command of Placement with the rule that decides it. No rule changes what belongs to another service;
 * an import checks that line by line.
 */
export const placementRules = { ...guardedRules, ...groupRules, 'placement:import-lines': importLines }

export type PlacementRules = typeof placementRules
