import { ownValue } from '../../kernel/records.ts'
import type { ChangedRow, RecordedChange } from '../../wire/changes.ts'
import { fieldPhrase, text } from './field-change-text.ts'
import {
  keepingPhrase,
  NAMED_COLUMNS,
  type NameList,
  NOTHING_CHANGED,
  rowPhrases,
} from './row-change-text.ts'

type Op = RecordedChange['ops'][number]
type NameOf = (id: string) => string

const PHRASES_MAX = 8

/** Describes a change in one line. */
export function changeText({ ops }: RecordedChange, nameOf: NameOf): string {
  const all = [
    ...ops.flatMap(op => ownPhrase(op, nameOf)),
    ...providerPhrases(ops, nameOf),
    ...consumerPhrases(ops, nameOf),
  ]
  // A row that is written only because its metadata changed gets no phrase of its own.
  const telling = all.filter(phrase => !phrase.endsWith(NOTHING_CHANGED))
  const phrases = telling.length === 0 ? all : telling
  if (phrases.length === 0) return generationsOnly(ops, nameOf)
  const shown = phrases.slice(0, PHRASES_MAX)
  const more = phrases.length - shown.length
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

/** Every id in a change, with the list that has its name. */
export function idsIn({ ops }: RecordedChange): ReadonlyMap<string, NameList> {
  const found = new Map<string, NameList>()
  for (const { before, after } of ops)
    for (const row of [before, after])
      for (const [column, list] of Object.entries(NAMED_COLUMNS)) {
        const value = row?.[column]
        if (typeof value === 'string') found.set(value, list)
      }
  return found
}

/** The phrase for one row: something was created, changed or removed. */
function ownPhrase({ table, before, after }: Op, nameOf: NameOf): string[] {
  const row = (after ?? before) as ChangedRow
  const verb = before === null ? 'created' : after === null ? 'deleted' : 'changed'
  switch (table) {
    case 'resource_providers':
      return before !== null && after !== null
        ? movesOf(before, after, nameOf)
        : [`provider ${text(row.name)} ${verb}${after?.parent ? ` below ${nameOf(text(after.parent))}` : ''}`]
    case 'traits':
      return [`trait ${text(row.name)} ${verb}`]
    case 'resource_classes':
      return [`resource class ${text(row.name)} ${verb}`]
    case 'inventories':
    case 'provider_traits':
    case 'provider_aggregates':
    case 'allocations':
    case 'consumers':
    // An aggregate exists as soon as a provider is in it, which is printed anyway.
    case 'aggregates':
      return []
    default:
      return rowPhrases(table, before, after, nameOf)
  }
}

function movesOf(before: ChangedRow, after: ChangedRow, nameOf: NameOf): string[] {
  const moves: string[] = []
  if (before.name !== after.name) moves.push(`provider ${text(before.name)} renamed to ${text(after.name)}`)
  if (before.parent !== after.parent)
    moves.push(
      `provider ${text(after.name)} moved ${after.parent ? `below ${nameOf(text(after.parent))}` : 'to the root'}`,
    )
  return moves
}

/** `compute-1: VCPU +64, MEMORY_MB total 1024 → 2048, +CUSTOM_A, -CUSTOM_B`, one phrase per provider. */
function providerPhrases(ops: readonly Op[], nameOf: NameOf): string[] {
  const byProvider = new Map<string, string[]>()
  for (const { table, before, after } of ops) {
    const row = (after ?? before) as ChangedRow
    const phrase = onProvider(table, before, after, row)
    if (phrase === null) continue
    const provider = text(row.provider)
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), phrase])
  }
  return [...byProvider].map(([provider, phrases]) => `${nameOf(provider)}: ${phrases.join(', ')}`)
}

function onProvider(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  row: ChangedRow,
): string | null {
  const sign = after === null ? '-' : '+'
  switch (table) {
    case 'inventories':
      if (before !== null && after !== null) return inventoryChange(before, after)
      return after === null
        ? `-${text(row.resource_class)}`
        : `+${text(row.resource_class)} ${text(row.total)}`
    case 'provider_traits':
      return `${sign}${text(row.trait)}`
    case 'provider_aggregates':
      return `${sign}aggregate ${text(row.aggregate)}`
    default:
      return null
  }
}

function inventoryChange(before: ChangedRow, after: ChangedRow): string {
  const fields = ['total', 'reserved', 'min_unit', 'max_unit', 'step_size', 'allocation_ratio']
  const changed = fields.filter(field => ownValue(before, field) !== ownValue(after, field))
  const phrases = changed.map(field =>
    fieldPhrase(field, ownValue(before, field), ownValue(after, field), String),
  )
  return [text(after.resource_class), ...(phrases.length === 0 ? ['written again'] : phrases)].join(' ')
}

/** One phrase per consumer. */
function consumerPhrases(ops: readonly Op[], nameOf: NameOf): string[] {
  const byConsumer = new Map<string, Op[]>()
  for (const op of ops) {
    if (op.table !== 'allocations') continue
    const consumer = text(((op.after ?? op.before) as ChangedRow).consumer)
    byConsumer.set(consumer, [...(byConsumer.get(consumer) ?? []), op])
  }
  const taken = [...byConsumer].map(
    ([consumer, own]) => `consumer ${nameOf(consumer)} ${allocationPhrase(own, nameOf)}`,
  )
  const alone = ops.filter(
    ({ table, before, after }) =>
      table === 'consumers' && !byConsumer.has(text((after ?? before)?.uuid)) && ownerChanged(before, after),
  )
  return [...taken, ...alone.map(({ before, after }) => consumerPhrase(before, after, nameOf))]
}

/** `placed on compute-1: VCPU 2`, `removed from compute-1: VCPU 2`, `moved from compute-1 to compute-2`, or what changed on each. */
function allocationPhrase(ops: readonly Op[], nameOf: NameOf): string {
  const [added, removed] = [
    ops.filter(({ before }) => before === null),
    ops.filter(({ after }) => after === null),
  ]
  if (added.length === ops.length) return `placed on ${listPlaces(added, nameOf)}: ${listAmounts(added)}`
  if (removed.length === ops.length)
    return `removed from ${listPlaces(removed, nameOf)}: ${listAmounts(removed)}`
  if (added.length + removed.length === ops.length && listAmounts(added) === listAmounts(removed))
    return `moved from ${listPlaces(removed, nameOf)} to ${listPlaces(added, nameOf)}`
  const byProvider = new Map<string, string[]>()
  for (const { before, after } of ops) {
    const row = (after ?? before) as ChangedRow
    const provider = text(row.provider)
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), allocationChange(before, after, row)])
  }
  const phrases = [...byProvider].map(([provider, own]) => `${own.join(', ')} on ${nameOf(provider)}`)
  return `changed: ${phrases.join(', ')}`
}

const rowOf = ({ before, after }: Op): ChangedRow => (after ?? before) as ChangedRow

const listPlaces = (ops: readonly Op[], nameOf: NameOf): string =>
  [...new Set(ops.map(op => nameOf(text(rowOf(op).provider))))].join(' and ')

/** Added up over the providers. */
function listAmounts(ops: readonly Op[]): string {
  const sums = new Map<string, number>()
  for (const op of ops) {
    const { resource_class, used } = rowOf(op)
    sums.set(text(resource_class), (sums.get(text(resource_class)) ?? 0) + (used as number))
  }
  return [...sums].map(([name, used]) => `${name} ${used}`).join(', ')
}

function allocationChange(before: ChangedRow | null, after: ChangedRow | null, row: ChangedRow): string {
  const name = text(row.resource_class)
  if (before === null) return `+${name} ${text(row.used)}`
  if (after === null) return `-${name} ${text(row.used)}`
  return `${name} ${text(before.used)} → ${text(after.used)}`
}

const ownerChanged = (before: ChangedRow | null, after: ChangedRow | null): boolean =>
  ['project_id', 'user_id', 'consumer_type'].some(
    field => ownValue(before ?? {}, field) !== ownValue(after ?? {}, field),
  )

function consumerPhrase(before: ChangedRow | null, after: ChangedRow | null, nameOf: NameOf): string {
  const verb = before === null ? 'created' : after === null ? 'deleted' : 'changed hands'
  return `consumer ${nameOf(text((after ?? before)?.uuid))} ${verb}`
}

/** A write that changed only a generation. */
function generationsOnly(ops: readonly Op[], nameOf: NameOf): string {
  const kept = [
    ...new Set(ops.flatMap(({ table, before, after }) => keepingPhrase(table, before, after, nameOf))),
  ]
  if (kept.length > 0) return kept.slice(0, PHRASES_MAX).join('; ')
  const touched = ops.map(({ table, before, after }) => {
    const row = (after ?? before) as ChangedRow
    return `${table === 'consumers' ? 'consumer ' : ''}${nameOf(text(row.uuid ?? row.provider))}`
  })
  return touched.length === 0 ? 'nothing' : `${[...new Set(touched)].join(', ')}: written, nothing changed`
}
