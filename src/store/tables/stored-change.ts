import { decodeOp, type EncodedOp, encodeOps } from '../../world/change.ts'
import type { Names } from '../../world/naming.ts'
import type { Committed } from '../store.ts'
import type { StoredChange } from './described-tables.ts'

export function parseStoredChange({ revision, chain, batch_id, at_ms, ops, names }: StoredChange): Committed {
  const change = { ops: (JSON.parse(ops) as EncodedOp[]).map(decodeOp) }
  return { revision, chain, batchId: batch_id, atMs: at_ms, change, names: JSON.parse(names) as Names }
}

export function encodeStoredChange({
  revision,
  chain,
  batchId,
  atMs,
  change,
  names,
}: Committed): StoredChange {
  const ops = encodeOps(change.ops)
  return { revision, batch_id: batchId, chain, at_ms: atMs, ops, names: JSON.stringify(names) }
}
