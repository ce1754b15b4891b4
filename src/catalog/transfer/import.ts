import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft, duplicateIn } from '../draft.ts'
import type { Attributes, Content, Definition } from '../fields.ts'
import { type CatalogRefusal, partExists } from '../refusals.ts'
import { type Whole, wholeOf } from '../whole.ts'
import {
  attributeEntries,
  attributesIn,
  contentEntries,
  contentIn,
  type Difference,
  differencesBetween,
  sameOrder,
} from './differences.ts'

/**
 * What becomes of a namespace that is there already. `skip`: nothing. `add`: what only the file has is added.
 * `prefer-new`: that, and what both have becomes as the file has it. `overwrite`: it becomes exactly the file.
 */
export const merges = ['skip', 'add', 'prefer-new', 'overwrite'] as const
export type Merge = (typeof merges)[number]

interface ImportCommand {
  readonly definitions: readonly Definition[]
  readonly merge: Merge
  /** Whose the namespaces are that do not say it. */
  readonly owner: string
  /** Only say what would be done. */
  readonly dryRun: boolean
}

interface ImportedDifference {
  readonly part: Difference['part']
  readonly name: string
  /** `kept`: what is there stays, though the file says otherwise. */
  readonly action: 'added' | 'changed' | 'removed' | 'kept'
  /** What was there, and what the file says. */
  readonly before?: unknown
  readonly after?: unknown
}

export interface ImportedNamespace {
  readonly namespace: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped'
  readonly differences: readonly ImportedDifference[]
}

export type ImportRefusal = CatalogRefusal | { readonly kind: 'defined-twice'; readonly namespace: string }

/** Takes in definitions, all of them or none. */
export function importDefinitions(
  world: World,
  command: ImportCommand,
  nowMs: number,
): Decision<readonly ImportedNamespace[], ImportRefusal> {
  const { definitions, merge, owner, dryRun } = command
  const wrong = refusalOf(definitions)
  if (wrong !== null) return refuse(wrong)
  const draft = new CatalogDraft(world.catalog, nowMs)
  const report = definitions.map(definition => {
    const row = world.catalog.namespaces.find(definition.namespace)
    if (row === undefined) return created(draft, definition, owner)
    return merged(draft, wholeOf(world.catalog, row), definition, merge)
  })
  return accept(dryRun ? NO_CHANGE : { ops: draft.ops }, report)
}

export function refusalOf(definitions: readonly Definition[]): ImportRefusal | null {
  const seen = new Set<string>()
  for (const { namespace, content } of definitions) {
    if (seen.has(namespace)) return { kind: 'defined-twice', namespace }
    seen.add(namespace)
    const twice = duplicateIn(content)
    if (twice !== null) return partExists(namespace, twice.part, twice.name)
  }
  return null
}

export function created(draft: CatalogDraft, definition: Definition, owner: string): ImportedNamespace {
  const { namespace, content } = definition
  draft.addContent(draft.addNamespace({ namespace, ...complete(definition, owner) }), content)
  const differences = contentEntries(content).map(({ part, name }) => ({
    part,
    name,
    action: 'added' as const,
  }))
  return { namespace, outcome: 'created', differences }
}

/** With defaults for all that the file does not say. */
function complete({ attributes }: Definition, owner: string): Attributes {
  const defaults = { display_name: null, description: null, visibility: 'private', protected: false } as const
  return { ...defaults, owner, ...attributes }
}

function merged(draft: CatalogDraft, whole: Whole, definition: Definition, merge: Merge): ImportedNamespace {
  const { namespace, content } = definition
  const here = attributesIn(whole)
  const said: Partial<Attributes> =
    merge === 'overwrite' ? complete(definition, here.owner) : definition.attributes
  const before = [...attributeEntries(here), ...contentEntries(contentIn(whole))]
  const after = [...attributeEntries(said), ...contentEntries(content)]
  const differences = differencesBetween(before, after).flatMap(one => judged(one, merge))
  const changes = differences.filter(({ action }) => action !== 'kept')
  const reordered = merge === 'overwrite' && !sameOrder(before, after)
  if (changes.length === 0 && !reordered) {
    const outcome = merge === 'skip' && differences.length > 0 ? 'skipped' : 'unchanged'
    return { namespace, outcome, differences }
  }
  if (changes.some(({ part }) => part === 'attribute'))
    draft.changeNamespace(whole.row, { namespace, ...here, ...said })
  const partsChange = changes.some(({ part }) => part !== 'attribute')
  if (merge !== 'overwrite') apply(draft, whole, content, changes)
  else if (partsChange || reordered) {
    draft.removeContent(whole.row.id)
    draft.addContent(whole.row, content)
  }
  return { namespace, outcome: 'updated', differences }
}

/** The action for a difference; nothing for parts that only the store has and that stay. */
function judged({ part, name, before, after }: Difference, merge: Merge): ImportedDifference[] {
  const told = (action: ImportedDifference['action']): ImportedDifference[] => [
    {
      part,
      name,
      action,
      ...(before === null ? {} : { before: before.value }),
      ...(after === null || action === 'added' ? {} : { after: after.value }),
    },
  ]
  if (after === null) return merge === 'overwrite' ? told('removed') : []
  if (merge === 'skip') return told('kept')
  if (before === null) return merge === 'add' && part === 'attribute' ? told('kept') : told('added')
  return merge === 'add' ? told('kept') : told('changed')
}

function apply(
  draft: CatalogDraft,
  whole: Whole,
  content: Content,
  changes: readonly ImportedDifference[],
): void {
  const wanted = new Set(changes.map(({ part, name }) => `${part} ${name}`))
  const { id } = whole.row
  const associations = new Map(whole.associations.map(({ name, row }) => [name, row]))
  for (const one of content.associations) {
    if (!wanted.has(`association ${one.name}`)) continue
    const there = associations.get(one.name)
    if (there === undefined) draft.addAssociation(id, one)
    else draft.changeAssociation(there, one)
  }
  const properties = new Map(whole.properties.map(row => [row.name, row]))
  for (const one of content.properties) {
    if (!wanted.has(`property ${one.name}`)) continue
    const there = properties.get(one.name)
    if (there === undefined) draft.addProperty(id, one)
    else draft.changeProperty(there, one)
  }
  const objects = new Map(whole.objects.map(row => [row.name, row]))
  for (const one of content.objects) {
    if (!wanted.has(`object ${one.name}`)) continue
    const there = objects.get(one.name)
    if (there === undefined) draft.addObject(id, one)
    else draft.changeObject(there, one)
  }
  for (const name of content.tags) if (wanted.has(`tag ${name}`)) draft.addTag(id, name)
}
