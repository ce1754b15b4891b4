import { randomUUID } from 'node:crypto'
import { AUDIT_GENERATIONS_MAX } from '../../kernel/number-bounds.ts'
import { makeTimedUuid } from '../../kernel/uuid.ts'
import type { CommitRecorder } from '../../store/sequencer/batch-decider.ts'
import type { PlainPut } from '../../store/tables/plain-tables.ts'
import type { RowOp } from '../../world/change.ts'
import { type Caller, callerContext } from '../request/caller-context.ts'

export interface GenerationChange {
  readonly provider?: string
  readonly consumer?: string
  /** Null: created or deleted. */
  readonly before: number | null
  readonly after: number | null
}

/** Records who changed what, in the commit of the change. Skips changes without a caller. */
export const auditRecorder: CommitRecorder = {
  seen: () => callerContext.getStore() ?? null,
  record(seen, { kind, change, revision }, nowMs): PlainPut[] {
    const caller = seen as Caller | null
    if (caller === null) return []
    const { userId, projectId, roles } = caller.credentials
    const row = {
      id: makeTimedUuid(nowMs, randomUUID()),
      request_id: caller.requestId,
      user: userId,
      project: projectId,
      roles: roles.join(' '),
      service: caller.service,
      operation: caller.operation,
      method: caller.method,
      path: caller.path,
      command: kind,
      revision,
      rows: change.ops.length,
      generations: JSON.stringify(listGenerations(change.ops)),
      at_ms: nowMs,
    }
    return [{ table: 'audit_log', row }]
  },
}

export function listGenerations(ops: readonly RowOp[]): GenerationChange[] {
  const found: GenerationChange[] = []
  for (const op of ops) {
    if (op.table !== 'resource_providers' && op.table !== 'consumers') continue
    if (op.before?.generation === op.after?.generation) continue
    if (found.length >= AUDIT_GENERATIONS_MAX) break
    const uuid = (op.after ?? op.before)?.uuid as string
    const name = op.table === 'consumers' ? { consumer: uuid } : { provider: uuid }
    found.push({ ...name, before: op.before?.generation ?? null, after: op.after?.generation ?? null })
  }
  return found
}
