/** The order of events by the database, which the checker compares with what clients saw. */
import { type Books, type ConsumerBook, type ProviderBook, usage } from './books.ts'

export type Row = Readonly<Record<string, unknown>>

export interface RowChange {
  readonly table: string
  readonly before: Row | null
  readonly after: Row | null
}

/** One committed change, with names instead of numbers. */
export interface Revision {
  readonly revision: number
  readonly ops: readonly RowChange[]
}

/**
 * The events in order. A loss is a failover to a standby without the last revisions: the state is
 * again that after the first `kept` events, from some moment between the two times.
 */
export type Event =
  | ({ readonly kind: 'revision' } & Revision)
  | { readonly kind: 'loss'; readonly kept: number; readonly fromMs: number; readonly toMs: number }

export function eventsOf(revisions: readonly Revision[]): Event[] {
  return revisions.map(one => ({ kind: 'revision', ...one }))
}

/** Joins a history and another that shares its beginning, with the loss between them; and how many are shared. */
export function eventsWithLoss(
  before: readonly Revision[],
  after: readonly Revision[],
  [fromMs, toMs]: readonly [fromMs: number, toMs: number],
): { readonly events: Event[]; readonly kept: number } {
  let kept = 0
  while (kept < before.length && kept < after.length && isSame(before[kept], after[kept])) kept++
  const loss: Event = { kind: 'loss', kept, fromMs, toMs }
  return { events: [...eventsOf(before), loss, ...eventsOf(after.slice(kept))], kept }
}

const isSame = (a: Revision | undefined, b: Revision | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** The effect of a revision on the books; or what is wrong with it. */
export function applied(books: Books, { revision, ops }: Revision): Books | string {
  const draft = {
    providers: new Map(books.providers),
    consumers: new Map(books.consumers),
  }
  for (const op of ops) {
    const wrong = appliedRow(draft, op)
    if (wrong !== null) return `revision ${revision}: ${wrong}`
  }
  for (const [uuid, { holdings }] of draft.consumers)
    if (holdings.size === 0) return `revision ${revision} leaves ${uuid} with nothing`
  const over = overbooked(books, draft)
  return over === null ? draft : `revision ${revision} gives out more of ${over} than there is`
}

interface Draft {
  readonly providers: Map<string, ProviderBook>
  readonly consumers: Map<string, ConsumerBook>
}

function appliedRow(draft: Draft, op: RowChange): string | null {
  switch (op.table) {
    case 'resource_providers':
    case 'inventories':
      return appliedToProvider(draft, op)
    case 'consumers':
      return appliedToConsumer(draft, op)
    case 'allocations':
      return appliedToHolding(draft, op)
    default:
      return `it touches ${op.table}`
  }
}

function appliedToProvider({ providers }: Draft, { table, before, after }: RowChange): string | null {
  if (before === null || after === null) return `it adds or removes a row of ${table}`
  const uuid = String(before[table === 'inventories' ? 'provider' : 'uuid'])
  const known = providers.get(uuid)
  if (known === undefined) return `it is about ${uuid}, which is unknown`
  if (table === 'inventories') {
    if (before.total !== known.total || before.max_unit !== known.mark) return wrongBefore(table, before)
    providers.set(uuid, { ...known, total: Number(after.total), mark: Number(after.max_unit) })
  } else {
    if (before.generation !== known.generation) return wrongBefore(table, before)
    providers.set(uuid, { ...known, generation: Number(after.generation) })
  }
  return null
}

function appliedToConsumer({ consumers }: Draft, { table, before, after }: RowChange): string | null {
  const uuid = String((before ?? after)?.uuid)
  const known = consumers.get(uuid)
  const isAsBefore =
    before === null
      ? known === undefined
      : known?.generation === before.generation && known?.signature === before.user_id
  if (!isAsBefore) return wrongBefore(table, before)
  if (after === null) {
    if (known?.holdings.size !== 0) return `it removes ${uuid}, which still holds something`
    consumers.delete(uuid)
  } else {
    const { generation, user_id: signature } = after as { generation: number; user_id: string }
    consumers.set(uuid, { generation, signature, holdings: known?.holdings ?? new Map() })
  }
  return null
}

function appliedToHolding({ consumers }: Draft, { table, before, after }: RowChange): string | null {
  const { consumer, provider } = (before ?? after) as { consumer: string; provider: string }
  const known = consumers.get(consumer)
  if (known === undefined) return `it gives something to ${consumer}, which does not exist`
  if (known.holdings.get(provider) !== before?.used) return wrongBefore(table, before)
  const holdings = new Map(known.holdings)
  if (after === null) holdings.delete(provider)
  else holdings.set(provider, Number(after.used))
  consumers.set(consumer, { ...known, holdings })
  return null
}

const wrongBefore = (table: string, before: Row | null): string =>
  `in ${table} it finds ${JSON.stringify(before)}, which was not so`

/** A provider that is overbooked, and more than before. */
function overbooked(before: Books, after: Books): string | null {
  for (const [uuid, { total }] of after.providers) {
    const used = usage(after, uuid)
    if (used > total && used > usage(before, uuid)) return uuid
  }
  return null
}
