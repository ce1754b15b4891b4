import { AsyncLocalStorage } from 'node:async_hooks'
import type { CommitRecorder } from '../store/sequencer/batch-decider.ts'
import type { PlainPut } from '../store/tables/plain-tables.ts'
import type { World } from '../world/world.ts'
import type { KeptRequest } from './exchange.ts'
import { listTouched } from './touched.ts'

/** The request that is being answered, to be queued in the commit of its write. */
export const shadowedRequest = new AsyncLocalStorage<KeptRequest>()

interface Seen {
  readonly inner: unknown
  readonly request: KeptRequest | null
}

const ID_DIGITS = 16

/**
 * While Berth answers writes, queues each one for the Placement that is shadowed, in the same commit. A write of the Placement API is
 * queued as the original request, so that it has the same effect there; for any other write, the queue names what it touched.
 */
export function outboxRecorder(world: World, inner: CommitRecorder | undefined): CommitRecorder {
  return {
    seen: (): Seen => ({ inner: inner?.seen(), request: shadowedRequest.getStore() ?? null }),
    record(seen, done, nowMs): readonly PlainPut[] {
      const { inner: seenInner, request } = seen as Seen
      const rows = inner?.record(seenInner, done, nowMs) ?? []
      const { row } = world.shadow
      if (row === null || row.writes !== 'berth' || row.is_ended === 1 || done.kind.startsWith('shadow:'))
        return rows
      const touched = [...listTouched(world, done.change)]
      if (touched.length === 0) return rows
      const queued = {
        id: String(done.revision).padStart(ID_DIGITS, '0'),
        request_id: request?.requestId ?? '',
        method: request?.method ?? '',
        path: request?.path ?? '',
        version: String(request?.headers['openstack-api-version'] ?? ''),
        body: request?.body.toString('utf8') ?? '',
        subjects: JSON.stringify(touched),
        at_ms: nowMs,
      }
      return [...rows, { table: 'shadow_queue', row: queued }]
    },
  }
}
