import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { type Ledger, orderByParents } from '../placement/ledger.ts'
import type { Change, Repair } from './finding.ts'

/** The ledger after a repair. */
export function applyRepair(ledger: Ledger, repair: Repair): Ledger {
  if (repair.of === 'consumers')
    return { ...ledger, consumers: applyChanges(ledger.consumers, repair.changes) }
  const providers = applyChanges(ledger.providers, repair.changes)
  return { ...ledger, providers: orderByParents([...providers.values()]).ordered }
}

function applyChanges<T extends ConsumerFields | ProviderFields>(
  known: ReadonlyMap<string, T>,
  changes: readonly Change<T>[],
): Map<string, T> {
  const result = new Map(known)
  for (const { before, after } of changes) {
    const uuid = (before ?? after)?.uuid
    if (uuid === undefined) continue
    const generation = (known.get(uuid)?.generation ?? 0) + 1
    if (after === null) result.delete(uuid)
    else result.set(uuid, { ...after, generation })
  }
  return result
}
