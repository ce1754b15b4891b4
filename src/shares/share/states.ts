/** Manila's states of a share. */
export const STATUSES = [
  'available',
  'error',
  'creating',
  'creating_from_snapshot',
  'deleting',
  'error_deleting',
  'extending',
  'extending_error',
  'shrinking',
  'shrinking_error',
  'shrinking_possible_data_loss_error',
  'inactive',
  'manage_starting',
  'manage_error',
  'migrating',
  'migrating_to',
  'replication_change',
  'reverting',
  'reverting_error',
  'unmanage_starting',
  'unmanage_error',
] as const

/** States that end when their work is done. */
const TRANSITIONAL: ReadonlySet<string> = new Set([
  'creating',
  'creating_from_snapshot',
  'deleting',
  'extending',
  'shrinking',
  'manage_starting',
  'migrating',
  'migrating_to',
  'replication_change',
  'reverting',
  'unmanage_starting',
])

export const isTransitional = (status: string): boolean => TRANSITIONAL.has(status)

export const TASK_STATES = [
  'migration_starting',
  'migration_in_progress',
  'migration_completing',
  'migration_success',
  'migration_error',
  'migration_cancelled',
  'migration_driver_starting',
  'migration_driver_in_progress',
  'migration_driver_phase1_done',
  'data_copying_starting',
  'data_copying_in_progress',
  'data_copying_completing',
  'data_copying_completed',
  'data_copying_cancelled',
  'data_copying_error',
] as const

const ENDED: ReadonlySet<string> = new Set([
  'migration_success',
  'migration_error',
  'migration_cancelled',
  'data_copying_cancelled',
  'data_copying_error',
])

/** Task states of a share that is being worked on. */
const BUSY: ReadonlySet<string> = new Set(TASK_STATES.filter(state => !ENDED.has(state)))

export const isBusy = (taskState: string | null): boolean => taskState !== null && BUSY.has(taskState)
