/** The states of shares: the words of the API, grouped into a few kinds with a mark each. */
import { ownValue } from '../../../src/kernel/records.ts'

export type StateKind = 'good' | 'busy' | 'waits' | 'bad' | 'off'

export interface State {
  readonly kind: StateKind
  readonly word: string
}

interface Stateful {
  readonly status: string
  readonly task_state?: string | null
  readonly is_soft_deleted?: boolean
}

const MOVING_TASKS: Readonly<Record<string, string>> = {
  migration_starting: 'begins',
  migration_driver_starting: 'begins',
  migration_driver_in_progress: 'copies',
  migration_in_progress: 'is taken back',
  migration_driver_phase1_done: 'copied, waits',
  migration_completing: 'changes over',
}

export const isMoving = ({ task_state }: Stateful): boolean =>
  task_state !== null && task_state !== undefined && task_state in MOVING_TASKS

export const isCopied = ({ task_state }: Stateful): boolean => task_state === 'migration_driver_phase1_done'

const CANCELLABLE = ['migration_starting', 'migration_driver_in_progress', 'migration_driver_phase1_done']
export const isCancellable = ({ task_state }: Stateful): boolean => CANCELLABLE.includes(task_state ?? '')

export const wordOf = (state: string): string => state.replaceAll('_', ' ')

export function stateOf(one: Stateful): State {
  const { status, task_state, is_soft_deleted } = one
  if (is_soft_deleted === true) return { kind: 'off', word: 'in the bin' }
  if (isMoving(one))
    return {
      kind: isCopied(one) ? 'waits' : 'busy',
      word: `migrating: ${ownValue(MOVING_TASKS, task_state ?? '')}`,
    }
  if (status === 'available') return { kind: 'good', word: status }
  if (/error/.test(status)) return { kind: 'bad', word: wordOf(status) }
  return { kind: status === 'inactive' ? 'off' : 'busy', word: wordOf(status) }
}

/** Work on it is in progress. */
export const isBusy = (one: Stateful): boolean => stateOf(one).kind === 'busy'

/** The result of the last move, while it matters. */
export function lastMove({ task_state }: Stateful): State | null {
  if (task_state === 'migration_error') return { kind: 'bad', word: 'the last move failed' }
  if (task_state === 'migration_cancelled') return { kind: 'off', word: 'the last move was cancelled' }
  if (task_state === 'migration_success') return { kind: 'good', word: 'moved' }
  return null
}
