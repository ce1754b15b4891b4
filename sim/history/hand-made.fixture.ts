/** Hand-written histories: small clouds, operations with times, and the revisions that writes would leave. */
import { type Books, type ConsumerBook, done, type ProviderBook } from './books.ts'
import { type Ask, isWrite, type Operation, type OperationResult } from './operation.ts'
import type { Revision, RowChange } from './witness.ts'

export const P1 = '00000000-0000-4000-8000-000000000001'
export const P2 = '00000000-0000-4000-8000-000000000002'
export const C1 = '00000000-0000-4000-8001-000000000001'
export const C2 = '00000000-0000-4000-8001-000000000002'

/** Two providers with so much of it each. */
export function freshBooks(total = 4): Books {
  const book = (): ProviderBook => ({ generation: 1, total, mark: 100 })
  return {
    providers: new Map([
      [P1, book()],
      [P2, book()],
    ]),
    consumers: new Map(),
  }
}

export function operation(
  id: number,
  [startMs, endMs]: readonly [number, number],
  ask: Ask,
  result: OperationResult,
): Operation {
  return { id, server: 'a', ask, result, startMs, endMs }
}

export const claimOf = (
  consumer: string,
  generation: number | null,
  holdings: Record<string, number>,
): Ask => ({
  kind: 'claim',
  claims: [{ consumer, generation, holdings }],
})

/** The revisions that writes leave when they are done in this order; null if one of them would be refused. */
export function revisionsOf(start: Books, writes: readonly Operation[]): Revision[] | null {
  let books = start
  const revisions: Revision[] = []
  for (const { id, ask } of writes) {
    if (!isWrite(ask)) throw new Error('only writes leave something behind')
    const outcome = done(books, id, ask)
    if (!outcome.ok) return null
    revisions.push({ revision: revisions.length + 1, ops: rowsBetween(books, outcome.books) })
    books = outcome.books
  }
  return revisions
}

function rowsBetween(before: Books, after: Books): RowChange[] {
  const consumers = new Set([...before.consumers.keys(), ...after.consumers.keys()])
  return [
    ...[...consumers].flatMap(uuid =>
      rowsOfConsumer(uuid, before.consumers.get(uuid), after.consumers.get(uuid)),
    ),
    ...[...before.providers.keys()].flatMap(uuid =>
      rowsOfProvider(
        uuid,
        before.providers.get(uuid) as ProviderBook,
        after.providers.get(uuid) as ProviderBook,
      ),
    ),
  ]
}

function rowsOfProvider(uuid: string, before: ProviderBook, after: ProviderBook): RowChange[] {
  const rows: RowChange[] = []
  const inventory = ({ total, mark }: ProviderBook) => ({ provider: uuid, total, max_unit: mark })
  const provider = ({ generation }: ProviderBook) => ({ uuid, generation })
  if (before.mark !== after.mark)
    rows.push({ table: 'inventories', before: inventory(before), after: inventory(after) })
  if (before.generation !== after.generation)
    rows.push({ table: 'resource_providers', before: provider(before), after: provider(after) })
  return rows
}

function rowsOfConsumer(
  uuid: string,
  before: ConsumerBook | undefined,
  after: ConsumerBook | undefined,
): RowChange[] {
  if (before === after) return []
  const row = (book: ConsumerBook | undefined) =>
    book === undefined ? null : { uuid, generation: book.generation, user_id: book.signature }
  const held = (provider: string, used: number | undefined) =>
    used === undefined ? null : { consumer: uuid, provider, resource_class: 'VCPU', used }
  const providers = new Set([...(before?.holdings.keys() ?? []), ...(after?.holdings.keys() ?? [])])
  const holdings = [...providers]
    .map(provider => [provider, before?.holdings.get(provider), after?.holdings.get(provider)] as const)
    .filter(([, was, is]) => was !== is)
    .map(([provider, was, is]) => ({
      table: 'allocations',
      before: held(provider, was),
      after: held(provider, is),
    }))
  const consumer = { table: 'consumers', before: row(before), after: row(after) }
  return after === undefined ? [...holdings, consumer] : [consumer, ...holdings]
}
