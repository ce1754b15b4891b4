import type { CloudLine } from '../../placement/transfer/lines.ts'
import type { HostProvider } from './nova-rows.ts'
import { isPulledTable, keyOf, type PullLine } from './pull-line.ts'
import { ShareRows } from './share-state.ts'

/** What Berth has, as far as a pull compares it. */
export interface BerthState {
  /** By table and key. */
  readonly rows: Map<string, PullLine>
  /** Root providers, by name. */
  readonly providers: ReadonlyMap<string, HostProvider>
  /** The root providers on which a consumer holds something. */
  readonly consumers: ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads the lines of an export. */
export async function readBerthState(lines: AsyncIterable<unknown>): Promise<BerthState> {
  const rows = new Map<string, PullLine>()
  const providers = new Map<string, HostProvider>()
  const rootOf = new Map<string, string>()
  const consumers = new Map<string, ReadonlySet<string>>()
  const shareRows = new ShareRows()
  for await (const line of lines as AsyncIterable<CloudLine | PullLine>) {
    if ('provider' in line) {
      // Parents come before their children.
      const { uuid, name, parent_provider_uuid: parent } = line.provider
      shareRows.noteProvider(line.provider)
      rootOf.set(uuid, parent === null ? uuid : (rootOf.get(parent) ?? parent))
      if (parent === null) providers.set(name, { uuid, name })
    } else if ('consumer' in line) {
      const { uuid, allocations } = line.consumer
      consumers.set(uuid, new Set(Object.keys(allocations).map(one => rootOf.get(one) ?? one)))
    } else if ('table' in line && !shareRows.take(line) && isPulledTable(line.table))
      rows.set(keyOf(line), line)
  }
  for (const line of shareRows.lines()) rows.set(keyOf(line), line)
  return { rows, providers, consumers }
}
