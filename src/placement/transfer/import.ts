import { assert } from '../../kernel/assert.ts'
import { accept, type Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { type ForeignOwned, findForeignOwned } from '../owned.ts'
import { type ConsumerRefusal, importConsumer } from './import-consumer.ts'
import { ImportDraft } from './import-draft.ts'
import { importProvider, type ProviderRefusal } from './import-provider.ts'
import { type CloudLine, type LineKind, lineKinds, subjectOf } from './lines.ts'
import { type RemovalRefusal, removeConsumer, removeProvider } from './remove.ts'

type Did = 'created' | 'updated' | 'unchanged' | 'removed'

const dids: readonly Did[] = ['created', 'updated', 'unchanged', 'removed']

export type ImportCounts = { readonly [K in LineKind]: { readonly [D in Did]: number } }

export type LineRefusal =
  | { readonly kind: 'not-custom'; readonly name: string }
  | ProviderRefusal
  | ConsumerRefusal
  | RemovalRefusal
  | ForeignOwned

export interface Imported {
  readonly counts: ImportCounts
  /** The first refused line. The lines before it are imported; those after it were not checked. */
  readonly stopped: { readonly at: number; readonly refusal: LineRefusal } | null
}

/**
 * Imports lines of a cloud. Creates what is new, with the generation of its line; changes what differs from its
 * line, which raises its generation; leaves equal things untouched. No two lines may be about the same thing. With
 * exact generations, changed things also get the generation of their line, as in a mirror of another ledger.
 *
 * Imports a ledger as it is: unlike a claim, a consumer's line may exceed the capacity, as happens after an
 * inventory shrank below its usage.
 */
export function importLines(
  world: World,
  command: { readonly lines: readonly CloudLine[]; readonly exactGenerations?: boolean },
  nowMs: number,
): Decision<Imported, never> {
  const { lines } = command
  const subjects = lines.map(subjectOf)
  const distinct = new Set(subjects.map(({ kind, key }) => `${kind} ${key}`))
  assert(distinct.size === lines.length, 'a command imports each thing once')
  const draft = new ImportDraft(world, nowMs, {
    providers: subjects.filter(({ kind }) => kind === 'providers').length,
    consumers: subjects.filter(({ kind }) => kind === 'consumers').length,
    exactGenerations: command.exactGenerations === true,
  })
  const counts = noCounts()
  for (const [at, line] of lines.entries()) {
    const before = draft.ops.length
    const did = importLine(draft, line)
    if (typeof did !== 'string') return accept({ ops: draft.ops }, { counts, stopped: { at, refusal: did } })
    const refusal = findForeignOwned(world, draft.ops.slice(before))
    if (refusal !== null)
      return accept({ ops: draft.ops.slice(0, before) }, { counts, stopped: { at, refusal } })
    counts[subjects[at]!.kind][did]++
  }
  return accept({ ops: draft.ops }, { counts, stopped: null })
}

/** Changes the draft only if it accepts the line. */
function importLine(draft: ImportDraft, line: CloudLine): Did | LineRefusal {
  if ('resource_class' in line) return importName(draft, 'class', line.resource_class.name)
  if ('trait' in line) return importName(draft, 'trait', line.trait.name)
  if ('provider' in line) return importProvider(draft, line.provider)
  if ('remove_provider' in line) return removeProvider(draft, line.remove_provider.uuid)
  if ('remove_consumer' in line) return removeConsumer(draft, line.remove_consumer.uuid)
  return importConsumer(draft, line.consumer)
}

function importName(draft: ImportDraft, what: 'class' | 'trait', name: string): Did | LineRefusal {
  if (draft[what](name) !== undefined) return 'unchanged'
  if (!name.startsWith('CUSTOM_')) return { kind: 'not-custom', name }
  if (what === 'class') draft.addClass(name)
  else draft.addTrait(name)
  return 'created'
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }

export function noCounts(): Mutable<ImportCounts> {
  const entries = lineKinds.map(kind => [kind, { created: 0, updated: 0, unchanged: 0, removed: 0 }])
  return Object.fromEntries(entries) as Mutable<ImportCounts>
}

export function sumOf(some: ImportCounts, more: ImportCounts): ImportCounts {
  const sum = noCounts()
  for (const kind of lineKinds) for (const did of dids) sum[kind][did] = some[kind][did] + more[kind][did]
  return sum
}
