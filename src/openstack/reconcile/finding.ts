import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Kind } from './kinds.ts'

/** A difference between the ledger and Nova. */
export interface Finding {
  readonly kind: Kind
  readonly subject: Subject
  /** The state on each side, in a sentence. */
  readonly nova: string
  readonly ledger: string
  readonly remedy: string
  /** A command for the operator; null if none helps. */
  readonly command: string | null
  /** The repair of `--fix`; null if the ledger alone cannot be repaired. */
  readonly repair: Repair | null
}

export interface Subject {
  readonly type: 'server' | 'migration' | 'consumer' | 'provider'
  readonly id: string
  readonly name: string
}

/** Something that may or may not be damage. */
export interface NotJudged {
  readonly subject: Subject
  readonly reason: string
}

/** Changes that are made together: of consumers, or of providers. Null: it is not there. */
export type Repair =
  | { readonly of: 'consumers'; readonly changes: readonly Change<ConsumerFields>[] }
  | { readonly of: 'providers'; readonly changes: readonly Change<ProviderFields>[] }

export interface Change<T> {
  readonly before: T | null
  readonly after: T | null
}

/** Equal for findings of two readings that have the same facts. */
export const findingKey = ({ kind, subject, nova, ledger }: Finding): string =>
  JSON.stringify([kind, subject.id, nova, ledger])

export const changeConsumer = (before: ConsumerFields | null, after: ConsumerFields | null): Repair => ({
  of: 'consumers',
  changes: [{ before, after }],
})

export const changeProvider = (before: ProviderFields, after: ProviderFields): Repair => ({
  of: 'providers',
  changes: [{ before, after }],
})

export type Resources = Readonly<Record<string, number>>

/** `VCPU=2,MEMORY_MB=4096`, as commands take it. */
export const resourcesText = (resources: Resources): string =>
  Object.entries(resources)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',')
