import type { Batch, Head, Retention } from '../../src/store/store.ts'
import type { PlainName, PlainPut } from '../../src/store/tables/plain-tables.ts'
import type { Value } from '../../src/world/table.ts'

export interface Commit {
  readonly kind: 'commit'
  readonly from: Head
  readonly batch: Batch
  readonly retention: Retention
}

export interface Fence {
  readonly kind: 'fence'
}

/** Requests of a client to the server; `gone`: it closed the connection. */
export type Request =
  | { readonly kind: 'begin'; readonly afterRevision: number }
  | Commit
  | Fence
  | { readonly kind: 'release' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'head' }
  | { readonly kind: 'changes'; readonly afterRevision: number; readonly limit: number }
  | { readonly kind: 'plain'; readonly table: PlainName; readonly key: readonly Value[] }
  | { readonly kind: 'holds'; readonly puts: readonly PlainPut[] }
  | { readonly kind: 'gone' }

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error }

export const done = (value: unknown = undefined): Reply => ({ ok: true, value })
export const failed = (error: Error): Reply => ({ ok: false, error })

export function describeRequest(request: Request): string {
  switch (request.kind) {
    case 'begin':
    case 'changes':
      return `${request.kind} after ${request.afterRevision}`
    case 'commit':
      return `commit ${request.batch.id} (${request.batch.changes.length} changes, ${request.batch.plain?.length ?? 0} plain) from ${request.from.revision}`
    default:
      return request.kind
  }
}
