import { rejectCloudOwned } from '../world/cloud-owned.ts'
import {
  addAggregateHost,
  createAggregate,
  deleteAggregate,
  removeAggregateHost,
  updateAggregate,
} from './aggregates/aggregates.ts'
import { applyDeclarations } from './apply/apply.ts'
import {
  addFlavorAccess,
  createFlavor,
  deleteExtraSpec,
  deleteFlavor,
  removeFlavorAccess,
  setExtraSpecs,
  updateFlavor,
} from './flavors/flavors.ts'
import { createGroup, deleteGroup } from './groups/groups.ts'
import { changeOwnHosts } from './hosts/change-hosts.ts'
import { addHost, removeHost, setHost } from './hosts/hosts.ts'
import { undoHosts } from './hosts/undo-hosts.ts'

export const computeRules = rejectCloudOwned({
  'compute:create-flavor': createFlavor,
  'compute:update-flavor': updateFlavor,
  'compute:delete-flavor': deleteFlavor,
  'compute:set-extra-specs': setExtraSpecs,
  'compute:delete-extra-spec': deleteExtraSpec,
  'compute:add-flavor-access': addFlavorAccess,
  'compute:remove-flavor-access': removeFlavorAccess,
  'compute:create-aggregate': createAggregate,
  'compute:change-aggregate': updateAggregate,
  'compute:delete-aggregate': deleteAggregate,
  'compute:add-aggregate-host': addAggregateHost,
  'compute:remove-aggregate-host': removeAggregateHost,
  'compute:add-host': addHost,
  'compute:set-host': setHost,
  'compute:remove-host': removeHost,
  'compute:change-hosts': changeOwnHosts,
  'compute:undo-hosts': undoHosts,
  'compute:create-group': createGroup,
  'compute:delete-group': deleteGroup,
  'compute:apply': applyDeclarations,
})

export type ComputeRules = typeof computeRules
