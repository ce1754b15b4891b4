import { defineMicroversions, type FeatureRow } from '../kernel/microversions.ts'

/**
 * Microversions of Manila that change something for what Berth has. All versions from the first to the last are accepted:
 * those not listed concern share networks, servers, groups, replicas and the like.
 */
const rows = [
  [1, 'zoneAtCreate', 'a new share goes to its availability zone'],
  [2, 'snapshotSupport', 'shares show whether they can have snapshots'],
  [3, 'instances', 'share instances, of which there are none'],
  [5, 'taskState', 'shares show their task state'],
  [6, 'typeIds', 'shares show their type by id'],
  [7, 'coreNames', 'paths and actions without os- in front'],
  [9, 'exportLocations', 'export locations are a resource of their own'],
  [10, 'accessRulesStatus', 'shares show access_rules_status'],
  [11, 'replication', 'shares show replication fields'],
  [13, 'cephxAccess', 'access rules of type cephx'],
  [16, 'userId', 'shares show their user'],
  [17, 'snapshotOwner', 'snapshots show project and user'],
  [21, 'accessKey', 'access rules show access_key'],
  [22, 'migrationPhases', 'migration has two phases'],
  [23, 'poolsByType', 'pools can be filtered by share type'],
  [24, 'createFromSnapshotSupport', 'shares show whether shares can be created from their snapshots'],
  [25, 'quotaDetail', 'quotas in detail'],
  [27, 'revertSupport', 'shares show revert_to_snapshot_support'],
  [28, 'accessStates', 'each access rule has a state; rules can be added beside failed ones'],
  [29, 'migrationFlags', 'the flags of migration_start are mandatory'],
  [31, 'shareGroups', 'shares show share group fields'],
  [32, 'mountSnapshotSupport', 'shares show mount_snapshot_support'],
  [33, 'accessTimes', 'access rules show created_at and updated_at'],
  [35, 'exportFilters', 'shares can be listed by export location'],
  [36, 'likeFilters', 'lists can be filtered by parts of names and descriptions'],
  [37, 'messages', 'user messages'],
  [38, 'ipv6Access', 'access rules for IPv6 networks'],
  [39, 'typeQuotas', 'quotas by share type'],
  [40, 'groupQuotas', 'quotas of share groups'],
  [41, 'typeDescription', 'share types have a description'],
  [42, 'withCount', 'lists of shares can include a count'],
  [43, 'typesBySpecs', 'share types can be listed by extra specs'],
  [45, 'accessRules', 'access rules are a resource of their own, with metadata'],
  [46, 'typeIsDefault', 'share types show whether they are the default'],
  [48, 'typeZones', 'the extra spec availability_zones'],
  [50, 'typeUpdate', 'share types can be changed'],
  [52, 'messagesByTime', 'messages can be listed by time'],
  [53, 'replicaQuotas', 'quotas of replicas'],
  [54, 'progress', 'shares show their progress'],
  [55, 'stableGroups', 'share groups need no header for experiments'],
  [58, 'groupLimits', 'share groups in the limits'],
  [59, 'migrationDetails', 'details in the progress of a migration'],
  [61, 'typeSizes', 'share types may limit the size of shares'],
  [62, 'perShareQuota', 'a quota for the size of one share'],
  [64, 'forcedExtend', 'extend takes force'],
  [65, 'hints', 'scheduler hints same_host and different_host'],
  [67, 'onlyHostHint', 'the scheduler hint only_host'],
  [67, 'checkedHintEdits', 'hints that an admin edits are checked, and dropped on both sides'],
  [69, 'softDelete', 'soft delete and restore'],
  [74, 'accessOnError', 'access rules of shares in error'],
  [79, 'snapshotCount', 'lists of snapshots can include a count'],
  [80, 'backupSource', 'shares show source_backup_id'],
  [82, 'accessFilters', 'filters of access rules are checked; locks of access rules'],
  [83, 'disabledReason', 'services show why they are disabled'],
] as const satisfies readonly FeatureRow[]

type Feature = (typeof rows)[number][1]
export type Features = { readonly [F in Feature]: boolean }

export const MINOR_MAX = 87
export const versions = defineMicroversions<Features>(2, 0, MINOR_MAX, rows)
