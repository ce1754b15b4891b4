import { ndjsonOf } from '../../client/lines.ts'
import type { CloudLine, ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Ledger } from './ledger.ts'

/** A row of a table that is no part of the ledger. */
interface RowLine {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The class of what shares take from their pools. */
const SHARE_CLASS = 'CUSTOM_SHARE_GB'

/**
 * The ledger in the lines of an export, with the standard names that the server knows. Omits back ends of shares, their pools
 * and the allocations of shares: no Placement has them.
 */
export async function readExport(
  lines: AsyncIterable<unknown>,
  known: { readonly classes: readonly string[]; readonly traits: readonly string[] },
): Promise<Ledger> {
  const providers = new Map<string, ProviderFields>()
  const consumers = new Map<string, ConsumerFields>()
  const classes = new Set(known.classes)
  for await (const line of lines as AsyncIterable<CloudLine | RowLine>) {
    if ('provider' in line) providers.set(line.provider.uuid, line.provider)
    else if ('consumer' in line) consumers.set(line.consumer.uuid, line.consumer)
    else if (!('table' in line)) continue
    else if (line.table === 'share_backends' || line.table === 'share_pools') {
      providers.delete(String(line.table === 'share_pools' ? line.row.pool : line.row.backend))
      classes.delete(SHARE_CLASS)
    } else if (line.table === 'shares') consumers.delete(String(line.row.uuid))
  }
  return { classes, traits: new Set(known.traits), providers, consumers }
}

/** The same from the bytes of a whole export, without names that nothing uses. */
export const readExportBytes = (bytes: AsyncIterable<Uint8Array>): Promise<Ledger> =>
  readExport(ndjsonOf(bytes), { classes: [], traits: [] })
