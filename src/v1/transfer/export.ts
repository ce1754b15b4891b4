import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConsumerFields, InventoryFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Snapshot } from '../../store/store.ts'
import type { Row } from '../../world/tables.ts'
import type { VisibleTables } from '../fleet/feed-rights.ts'
import { GroupedRows } from '../fleet/grouped-rows.ts'
import { type NameOf, ROWS_PER_PAGE, RowsExport, readNames } from './export-rows.ts'

/** Version 1 had only Placement's tables. */
const EXPORT_VERSION = 2

const CHARS_PER_PIECE = 64 * 1024

/**
 * Exports a whole cloud as lines, as far as the caller may see it, as of the snapshot's head. Parents come
 * before children. Reads the tables in parallel, so that only names, and the rows of one provider, are in
 * memory. Sorts names within a line, so that equal clouds with the same history give equal lines.
 */
export async function* exportLines(snapshot: Snapshot, sight: VisibleTables): AsyncGenerator<string> {
  const counts = { resource_classes: 0, traits: 0, providers: 0, consumers: 0 }
  async function* lines(): AsyncGenerator<unknown> {
    yield { berth_export: EXPORT_VERSION, revision: snapshot.head.revision }
    const names = await readPlacementNames(snapshot)
    for (const name of listCustom(names.classes)) {
      counts.resource_classes++
      yield { resource_class: { name } }
    }
    for (const name of listCustom(names.traits)) {
      counts.traits++
      yield { trait: { name } }
    }
    for await (const provider of readProviders(snapshot, names)) {
      counts.providers++
      yield { provider }
    }
    for await (const consumer of readConsumers(snapshot, names)) {
      counts.consumers++
      yield { consumer }
    }
    const rows = new RowsExport(snapshot, sight, names.providers)
    yield* rows.readLines()
    yield { end: { ...counts, ...(await rows.end()) } }
  }
  yield* joinLines(lines())
}

async function* joinLines(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`
    if (piece.length < CHARS_PER_PIECE) continue
    yield piece
    piece = ''
    // Pages and sockets may be faster than rendering; without a pause, other requests would never run.
    await nextTurn()
  }
  if (piece !== '') yield piece
}

interface NamesIn {
  readonly classes: NameOf
  readonly traits: NameOf
  readonly aggregates: NameOf
  readonly providers: NameOf
}

const listCustom = (names: NameOf) => [...names.values()].filter(name => name.startsWith('CUSTOM_'))

async function readPlacementNames(snapshot: Snapshot): Promise<NamesIn> {
  return {
    classes: await readNames(snapshot, 'resource_classes'),
    traits: await readNames(snapshot, 'traits'),
    aggregates: await readNames(snapshot, 'aggregates'),
    providers: await readNames(snapshot, 'resource_providers'),
  }
}

/** In order of numbers, but parents first: a child that comes too early waits. */
async function* readProviders(snapshot: Snapshot, names: NamesIn): AsyncGenerator<ProviderFields> {
  const parts = {
    inventories: new GroupedRows<Row<'inventories'>>(
      snapshot.rows('inventories', ROWS_PER_PAGE),
      'provider_id',
    ),
    traits: new GroupedRows<Row<'provider_traits'>>(
      snapshot.rows('provider_traits', ROWS_PER_PAGE),
      'provider_id',
    ),
    aggregates: new GroupedRows<Row<'provider_aggregates'>>(
      snapshot.rows('provider_aggregates', ROWS_PER_PAGE),
      'provider_id',
    ),
  }
  const sent = new Set<number>()
  const waiting = new Map<number, { id: number; fields: ProviderFields }[]>()
  for await (const rows of snapshot.rows('resource_providers', ROWS_PER_PAGE))
    for (const row of rows as readonly Row<'resource_providers'>[]) {
      const fields: ProviderFields = {
        uuid: row.uuid,
        name: row.name,
        generation: row.generation,
        parent_provider_uuid: row.parent_id === null ? null : (names.providers.get(row.parent_id) as string),
        inventories: renderInventories(await parts.inventories.take(row.id), names),
        traits: renderNames(await parts.traits.take(row.id), 'trait_id', names.traits),
        aggregates: renderNames(await parts.aggregates.take(row.id), 'aggregate_id', names.aggregates),
      }
      if (row.parent_id !== null && !sent.has(row.parent_id)) {
        const siblings = waiting.get(row.parent_id)
        if (siblings === undefined) waiting.set(row.parent_id, [{ id: row.id, fields }])
        else siblings.push({ id: row.id, fields })
        continue
      }
      const ready = [{ id: row.id, fields }]
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
        yield next.fields
        sent.add(next.id)
        ready.unshift(...(waiting.get(next.id) ?? []))
        waiting.delete(next.id)
      }
    }
}

function renderInventories(
  rows: readonly Row<'inventories'>[],
  { classes }: NamesIn,
): Record<string, InventoryFields> {
  const entries = rows.map((row): [string, InventoryFields] => {
    const { total, reserved, min_unit, max_unit, step_size, allocation_ratio } = row
    return [
      classes.get(row.class_id) as string,
      { total, reserved, min_unit, max_unit, step_size, allocation_ratio },
    ]
  })
  return sortEntries(entries)
}

function renderNames<C extends string>(
  rows: readonly { readonly [K in C]: number }[],
  column: C,
  names: NameOf,
): string[] {
  return rows.map(row => names.get(row[column]) as string).sort()
}

async function* readConsumers(snapshot: Snapshot, names: NamesIn): AsyncGenerator<ConsumerFields> {
  const allocations = new GroupedRows<Row<'allocations'>>(
    snapshot.rows('allocations', ROWS_PER_PAGE),
    'consumer_id',
  )
  for await (const rows of snapshot.rows('consumers', ROWS_PER_PAGE))
    for (const row of rows as readonly Row<'consumers'>[]) {
      const { uuid, generation, project_id, user_id, consumer_type } = row
      const held = renderAllocations(await allocations.take(row.id), names)
      yield { uuid, generation, project_id, user_id, consumer_type, allocations: held }
    }
}

function renderAllocations(
  rows: readonly Row<'allocations'>[],
  names: NamesIn,
): ConsumerFields['allocations'] {
  const byProvider = Map.groupBy(rows, row => row.provider_id)
  return sortEntries(
    [...byProvider].map(([id, held]) => [
      names.providers.get(id) as string,
      { resources: sortEntries(held.map(row => [names.classes.get(row.class_id) as string, row.used])) },
    ]),
  )
}

function sortEntries<T>(entries: [string, T][]): Record<string, T> {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
