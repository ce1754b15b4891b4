import { ownValue } from '../../kernel/records.ts'
import type { ConsumerFields, InventoryFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { isCustom, type Ledger } from './ledger.ts'

/** One difference between two ledgers; null if a side lacks the object. */
export interface LedgerDifference {
  readonly kind: 'resource_class' | 'trait' | 'provider' | 'consumer'
  readonly name: string
  /** The uuid, or the name of a class or trait. */
  readonly key: string
  readonly field: string
  readonly left: unknown
  readonly right: unknown
}

interface Exactness {
  /** False where they cannot match. */
  readonly generations?: boolean
  /** True where one side is to be made what the other shows. */
  readonly ratioDigits?: boolean
}

/** Every difference, by name, in a fixed order. */
export function compareLedgers(
  left: Ledger,
  right: Ledger,
  { generations = true, ratioDigits = false }: Exactness = {},
): LedgerDifference[] {
  const found = [
    ...compareNames('resource_class', left.classes, right.classes),
    ...compareNames('trait', left.traits, right.traits),
    ...compareProviders(left, right, ratioDigits ? Math.fround : roundRatio),
    ...compareConsumers(left, right),
  ]
  return generations ? found : found.filter(({ field }) => field !== 'generation')
}

/** Standard names are not part of a ledger: each side brings its own. */
function* compareNames(
  kind: 'resource_class' | 'trait',
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
): Generator<LedgerDifference> {
  for (const name of [...left.symmetricDifference(right)].filter(isCustom).sort())
    yield { kind, name, key: name, field: 'exists', left: left.has(name), right: right.has(name) }
}

type Round = (ratio: number) => number

function* compareProviders(left: Ledger, right: Ledger, round: Round): Generator<LedgerDifference> {
  for (const key of sortedKeys(left.providers, right.providers)) {
    const [a, b] = [left.providers.get(key), right.providers.get(key)]
    const name = (a ?? b)?.name ?? key
    for (const [field, one, other] of differingFields(providerFields(a, round), providerFields(b, round)))
      yield { kind: 'provider', name, key, field, left: one, right: other }
  }
}

function* compareConsumers(left: Ledger, right: Ledger): Generator<LedgerDifference> {
  for (const key of sortedKeys(left.consumers, right.consumers)) {
    const [a, b] = [left.consumers.get(key), right.consumers.get(key)]
    for (const [field, one, other] of differingFields(consumerFields(a), consumerFields(b)))
      yield { kind: 'consumer', name: key, key, field, left: one, right: other }
  }
}

const sortedKeys = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].sort()

type Fields = Readonly<Record<string, unknown>>

/** Each field that differs; if one side lacks the object, only `exists`. */
function* differingFields(
  a: Fields | undefined,
  b: Fields | undefined,
): Generator<readonly [string, unknown, unknown]> {
  if (a === undefined || b === undefined) {
    if (a !== b) yield ['exists', a !== undefined, b !== undefined]
    return
  }
  for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [one = null, other = null] = [ownValue(a, field), ownValue(b, field)]
    if (JSON.stringify(one) !== JSON.stringify(other)) yield [field, one, other]
  }
}

function providerFields(provider: ProviderFields | undefined, round: Round): Fields | undefined {
  if (provider === undefined) return undefined
  const { inventories, traits, aggregates, name, generation, parent_provider_uuid } = provider
  const entries = Object.entries(inventories).map(([name, one]) => [
    `inventories.${name}`,
    inventoryFields(one, round),
  ])
  return {
    name,
    generation,
    parent_provider_uuid,
    traits: traits.toSorted(),
    aggregates: aggregates.toSorted(),
    ...Object.fromEntries(entries),
  }
}

/** Placement keeps ratios in single precision, and reads six digits of them from MariaDB. */
export const roundRatio = (ratio: number): number => Number(Math.fround(ratio).toPrecision(6))

const inventoryFields = (one: InventoryFields, round: Round) => ({
  total: one.total,
  reserved: one.reserved,
  min_unit: one.min_unit,
  max_unit: one.max_unit,
  step_size: one.step_size,
  allocation_ratio: round(one.allocation_ratio),
})

function consumerFields(consumer: ConsumerFields | undefined): Fields | undefined {
  if (consumer === undefined) return undefined
  const { generation, project_id, user_id, consumer_type, allocations } = consumer
  const held = Object.entries(allocations).flatMap(([provider, { resources }]) =>
    Object.entries(resources).map(([name, used]) => [`allocations.${provider}.${name}`, used] as const),
  )
  return { generation, project_id, user_id, consumer_type, ...Object.fromEntries(held) }
}
