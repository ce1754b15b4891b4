import { rejectCloudOwned } from '../world/cloud-owned.ts'
import { accept, NO_CHANGE } from '../world/decision.ts'
import type { World } from '../world/world.ts'
import { allowAccess, deleteAccessMetadata, denyAccess, setAccessMetadata } from './access/access-rules.ts'
import { declareBackends, setBackend } from './backends/backends.ts'
import { setQuotas } from './quotas/quotas.ts'
import { deleteMetadata, setMetadata, setShareState, updateShare } from './share/change.ts'
import { createShare } from './share/create.ts'
import { deleteShare, moveToBin, restoreShare, unmanageShare } from './share/delete.ts'
import { cancelMigration, completeMigration, startMigration } from './share/migrate.ts'
import { resizeShare } from './share/sizes.ts'
import {
  createType,
  declareTypes,
  deleteType,
  deleteTypeSpec,
  setTypeSpecs,
  updateType,
  updateTypeAccess,
} from './share-types/share-types.ts'
import { createSnapshot, deleteSnapshot, updateSnapshot } from './snapshots/snapshots.ts'
import { beginWork, releaseLeases, renewLeases } from './worker/leases.ts'
import { endStep } from './worker/results.ts'

/** Changes nothing: carries plain rows into the store. */
const record = (_world: World, _command: object) => accept(NO_CHANGE, null)

const guardedRules = rejectCloudOwned({
  'shares:declare-backends': declareBackends,
  'shares:set-backend': setBackend,
  'shares:declare-types': declareTypes,
  'shares:create-type': createType,
  'shares:update-type': updateType,
  'shares:delete-type': deleteType,
  'shares:set-type-specs': setTypeSpecs,
  'shares:delete-type-spec': deleteTypeSpec,
  'shares:change-type-access': updateTypeAccess,
  'shares:create': createShare,
  'shares:update': updateShare,
  'shares:delete': deleteShare,
  'shares:soft-delete': moveToBin,
  'shares:restore': restoreShare,
  'shares:unmanage': unmanageShare,
  'shares:set-state': setShareState,
  'shares:resize': resizeShare,
  'shares:set-metadata': setMetadata,
  'shares:delete-metadata': deleteMetadata,
  'shares:start-migration': startMigration,
  'shares:complete-migration': completeMigration,
  'shares:cancel-migration': cancelMigration,
  'shares:create-snapshot': createSnapshot,
  'shares:update-snapshot': updateSnapshot,
  'shares:delete-snapshot': deleteSnapshot,
  'shares:allow-access': allowAccess,
  'shares:deny-access': denyAccess,
  'shares:set-access-metadata': setAccessMetadata,
  'shares:delete-access-metadata': deleteAccessMetadata,
  'shares:set-quotas': setQuotas,
})

/** Work on back ends: those of a cloud have none. */
const workRules = {
  'shares:begin-work': beginWork,
  'shares:renew-leases': renewLeases,
  'shares:release-leases': releaseLeases,
  'shares:end-step': endStep,
  'shares:record': record,
}

export const shareRules = { ...guardedRules, ...workRules }

export type ShareRules = typeof shareRules
