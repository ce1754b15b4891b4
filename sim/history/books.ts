/** The reference model: the state of a cloud of one resource class after each write, and the answer to each read. */
import type { Ask, Claim, Read, Refusal, Write } from './operation.ts'
import { isEmpty, markOf, signatureOf } from './operation.ts'

export interface ProviderBook {
  readonly generation: number
  readonly total: number
  readonly mark: number
}

export interface ConsumerBook {
  readonly generation: number
  readonly signature: string
  /** By provider. */
  readonly holdings: ReadonlyMap<string, number>
}

/** Immutable: each write returns new ones. */
export interface Books {
  readonly providers: ReadonlyMap<string, ProviderBook>
  readonly consumers: ReadonlyMap<string, ConsumerBook>
}

type Outcome =
  | { readonly ok: true; readonly books: Books; readonly generation?: number }
  | { readonly ok: false; readonly refusal: Refusal }

const refused = (refusal: Refusal): Outcome => ({ ok: false, refusal })

export function usage(books: Books, provider: string): number {
  let used = 0
  for (const { holdings } of books.consumers.values()) used += holdings.get(provider) ?? 0
  return used
}

/** Applies the write with this number. */
export function done(books: Books, id: number, write: Write): Outcome {
  switch (write.kind) {
    case 'claim':
      return claimed(books, id, write.claims)
    case 'forget':
      return forgotten(books, write.consumer)
    case 'resize':
      return resized(books, id, write)
    default:
      return write satisfies never
  }
}

function resized(books: Books, id: number, write: Write & { kind: 'resize' }): Outcome {
  const { generation } = books.providers.get(write.provider) as ProviderBook
  if (generation !== write.generation) return refused({ kind: 'provider-generation' })
  const after = { generation: generation + 1, total: write.total, mark: markOf(id) }
  const providers = new Map(books.providers).set(write.provider, after)
  return { ok: true, books: { ...books, providers }, generation: after.generation }
}

/** Generations of providers stay as they are. */
function forgotten(books: Books, consumer: string): Outcome {
  if (!books.consumers.has(consumer)) return refused({ kind: 'no-allocations' })
  const consumers = new Map(books.consumers)
  consumers.delete(consumer)
  return { ok: true, books: { ...books, consumers } }
}

function claimed(books: Books, id: number, claims: readonly Claim[]): Outcome {
  for (const { consumer, generation: given } of claims) {
    const actual = books.consumers.get(consumer)?.generation ?? null
    if (actual !== given) return refused({ kind: 'consumer-generation', actual, given })
  }
  const named = claims.flatMap(claim =>
    isEmpty(claim)
      ? [...(books.consumers.get(claim.consumer)?.holdings.keys() ?? [])]
      : Object.keys(claim.holdings),
  )
  const consumers = new Map(books.consumers)
  for (const { consumer } of claims) consumers.delete(consumer)
  const short = overbooked(books, { ...books, consumers }, claims)
  if (short !== null) return refused({ kind: 'over-capacity', provider: short })
  for (const claim of claims) {
    if (isEmpty(claim)) continue
    consumers.set(claim.consumer, {
      generation: (books.consumers.get(claim.consumer)?.generation ?? 0) + 1,
      signature: signatureOf(id),
      holdings: new Map(Object.entries(claim.holdings)),
    })
  }
  return { ok: true, books: { consumers, providers: raised(books, named) } }
}

/** The first provider that would be overbooked, and more than before. */
function overbooked(before: Books, released: Books, claims: readonly Claim[]): string | null {
  const booked = new Map<string, number>()
  for (const { holdings } of claims)
    for (const [provider, amount] of Object.entries(holdings)) {
      const used = (booked.get(provider) ?? usage(released, provider)) + amount
      booked.set(provider, used)
      const { total } = before.providers.get(provider) as ProviderBook
      if (used > total && used > usage(before, provider)) return provider
    }
  return null
}

function raised(books: Books, named: readonly string[]): ReadonlyMap<string, ProviderBook> {
  const providers = new Map(books.providers)
  for (const uuid of new Set(named)) {
    const before = providers.get(uuid) as ProviderBook
    providers.set(uuid, { ...before, generation: before.generation + 1 })
  }
  return providers
}

/** The expected answer to a read. */
export function view(books: Books, read: Read): unknown {
  switch (read.kind) {
    case 'see-consumer':
      return viewOfConsumer(books, read.consumer)
    case 'see-usage': {
      const { generation } = books.providers.get(read.provider) as ProviderBook
      return { generation, used: usage(books, read.provider) }
    }
    case 'see-holders':
      return viewOfHolders(books, read.provider)
    case 'see-inventory':
      return { ...books.providers.get(read.provider) }
    case 'see-candidates':
      return viewOfCandidates(books, read.amount)
    default:
      return read satisfies never
  }
}

function viewOfConsumer(books: Books, uuid: string) {
  const book = books.consumers.get(uuid)
  if (book === undefined) return { holds: {} }
  const holds: Record<string, unknown> = {}
  for (const [provider, amount] of book.holdings)
    holds[provider] = { amount, generation: books.providers.get(provider)?.generation }
  return { generation: book.generation, signature: book.signature, holds }
}

function viewOfHolders(books: Books, provider: string) {
  const holders: Record<string, unknown> = {}
  for (const [uuid, { generation, holdings }] of books.consumers) {
    const amount = holdings.get(provider)
    if (amount !== undefined) holders[uuid] = { generation, amount }
  }
  return { generation: books.providers.get(provider)?.generation, holders }
}

/** Providers with so much left. */
function viewOfCandidates(books: Books, amount: number) {
  const places: Record<string, unknown> = {}
  for (const [uuid, { total }] of books.providers) {
    const used = usage(books, uuid)
    if (used + amount <= total) places[uuid] = { total, used }
  }
  return { places }
}

/** The objects for which two books differ. */
export function differences(a: Books, b: Books): string[] {
  const found: string[] = []
  for (const uuid of new Set([...a.providers.keys(), ...b.providers.keys()]))
    if (!sameProvider(a.providers.get(uuid), b.providers.get(uuid))) found.push(uuid)
  for (const uuid of new Set([...a.consumers.keys(), ...b.consumers.keys()]))
    if (!sameConsumer(a.consumers.get(uuid), b.consumers.get(uuid))) found.push(uuid)
  return found
}

function sameProvider(a: ProviderBook | undefined, b: ProviderBook | undefined): boolean {
  return a === b || (a?.generation === b?.generation && a?.total === b?.total && a?.mark === b?.mark)
}

function sameConsumer(a: ConsumerBook | undefined, b: ConsumerBook | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  if (a.generation !== b.generation || a.signature !== b.signature) return false
  if (a.holdings.size !== b.holdings.size) return false
  for (const [provider, amount] of a.holdings) if (b.holdings.get(provider) !== amount) return false
  return true
}

/** One object in words. */
export function entry(books: Books, uuid: string): unknown {
  const provider = books.providers.get(uuid)
  if (provider !== undefined) return { ...provider, used: usage(books, uuid) }
  const consumer = books.consumers.get(uuid)
  return consumer === undefined ? 'nothing' : { ...consumer, holdings: Object.fromEntries(consumer.holdings) }
}

export const isReadOf = (ask: Ask): ask is Read => ask.kind.startsWith('see-')
