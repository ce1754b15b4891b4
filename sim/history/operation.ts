/** Operations of clients on several servers, their results, and their times. */

/** What a consumer shall hold, by provider; empty releases everything. The generation is the client's belief. */
export interface Claim {
  readonly consumer: string
  readonly generation: number | null
  readonly holdings: Readonly<Record<string, number>>
}

export type Write =
  | { readonly kind: 'claim'; readonly claims: readonly Claim[] }
  | { readonly kind: 'forget'; readonly consumer: string }
  | {
      readonly kind: 'resize'
      readonly provider: string
      readonly generation: number
      readonly total: number
    }

export type Read =
  | { readonly kind: 'see-consumer'; readonly consumer: string }
  | { readonly kind: 'see-usage'; readonly provider: string }
  | { readonly kind: 'see-holders'; readonly provider: string }
  | { readonly kind: 'see-inventory'; readonly provider: string }
  | { readonly kind: 'see-candidates'; readonly amount: number }

export type Ask = Write | Read

export type Refusal =
  | {
      readonly kind: 'consumer-generation'
      readonly actual: number | null
      readonly given: number | null
    }
  | { readonly kind: 'provider-generation' }
  | { readonly kind: 'over-capacity'; readonly provider: string }
  | { readonly kind: 'no-allocations' }

export type OperationResult =
  | { readonly kind: 'done'; readonly generation?: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'seen'; readonly view: unknown }
  /** The server says that nothing was changed, or was not reached. */
  | { readonly kind: 'nothing'; readonly why: string }
  /** The outcome is unknown. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** An answer that no server may give. */
  | { readonly kind: 'fault'; readonly why: string }

/** One request and its answer, by one clock. */
export interface Operation {
  readonly id: number
  readonly server: string
  readonly ask: Ask
  readonly result: OperationResult
  readonly startMs: number
  readonly endMs: number
}

/** Claims carry the number of their operation as the user, resizes as the largest unit, so that each can be found. */
const MARK_BASE = 1_000_000

export const signatureOf = (id: number): string => `w${id}`
export const markOf = (id: number): number => MARK_BASE + id

export function idOfSignature(signature: unknown): number | null {
  const found = /^w(\d+)$/.exec(String(signature))
  return found === null ? null : Number(found[1])
}

export const idOfMark = (mark: number): number | null => (mark >= MARK_BASE ? mark - MARK_BASE : null)

export const isWrite = (ask: Ask): ask is Write => !ask.kind.startsWith('see-')

/** Whether the stored change identifies the operation. */
export const isSigned = (ask: Write): boolean =>
  ask.kind === 'resize' || (ask.kind === 'claim' && ask.claims.some(claim => !isEmpty(claim)))

/** Whether it deletes what it believes is absent, so that it changes nothing if it is accepted. */
export const isIdle = (ask: Write): boolean =>
  ask.kind === 'claim' && ask.claims.every(claim => isEmpty(claim) && claim.generation === null)

export const isEmpty = ({ holdings }: Claim): boolean => Object.keys(holdings).length === 0

/** The providers and consumers of an operation; null is all. */
export function objectsOf(ask: Ask): readonly string[] | null {
  switch (ask.kind) {
    case 'claim':
      return ask.claims.flatMap(({ consumer, holdings }) => [consumer, ...Object.keys(holdings)])
    case 'forget':
    case 'see-consumer':
      return [ask.consumer]
    case 'see-candidates':
      return null
    default:
      return [ask.provider]
  }
}

/** One line for the report. */
export function describeOperation({ id, server, ask, result, startMs, endMs }: Operation): string {
  const times = `${startMs.toFixed(1).padStart(9)} to ${endMs.toFixed(1).padStart(9)} ms`
  return `${times}  ${server}  #${id} ${describeAsk(ask)} -> ${describeResult(result)}`
}

function describeAsk(ask: Ask): string {
  switch (ask.kind) {
    case 'claim':
      return ask.claims
        .map(({ consumer, generation, holdings }) => {
          const wanted = Object.entries(holdings).map(
            ([provider, amount]) => `${amount} of ${short(provider)}`,
          )
          return `${short(consumer)} at ${generation} shall hold ${wanted.join(' and ') || 'nothing'}`
        })
        .join(', ')
    case 'forget':
      return `delete all of ${short(ask.consumer)}`
    case 'resize':
      return `${short(ask.provider)} at ${ask.generation} shall have ${ask.total}`
    case 'see-consumer':
      return `see ${short(ask.consumer)}`
    case 'see-candidates':
      return `see where ${ask.amount} fit`
    default:
      return `${ask.kind.replace('-', ' ')} of ${short(ask.provider)}`
  }
}

function describeResult(result: OperationResult): string {
  switch (result.kind) {
    case 'done':
      return result.generation === undefined ? 'done' : `done, generation ${result.generation}`
    case 'refused':
      return `refused: ${shortened(result.refusal)}`
    case 'seen':
      return shortened(result.view)
    default:
      return `${result.kind}: ${result.why}`
  }
}

/** Uuids here are small numbers with leading zeros. */
export const short = (uuid: string): string =>
  uuid.replace(/^0{8}-0000-4000-8([0-9]{3})-0*([0-9]+)$/, (_, group, number) =>
    group === '000' ? `p${number}` : `${group === '001' ? 'c' : 'probe'}${number}`,
  )

export const shortened = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/[0-9]{8}-0000-4000-8[0-9]{3}-[0-9]{12}/g, short)
    .replaceAll('"', '')
