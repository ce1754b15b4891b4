import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft, findDuplicate } from '../catalog-draft.ts'
import type { Attributes, Content, Definition } from '../fields.ts'
import { type CatalogRefusal, partExists } from '../refusals.ts'
import { collectWhole, type Whole } from '../whole.ts'
import {
  attributesOf,
  compareEntries,
  contentOf,
  type Difference,
  isSameOrder,
  listAttributeEntries,
  listContentEntries,
} from './differences.ts'

/**
 * How to merge into an existing namespace. `skip`: not at all. `add`: add what only the file has. `prefer-new`: also
 * replace what both have. `overwrite`: make it exactly like the file.
 */
export const merges = ['skip', 'add', 'prefer-new', 'overwrite'] as const
export type Merge = (typeof merges)[number]

interface ImportCommand {
  readonly definitions: readonly Definition[]
  readonly merge: Merge
  /** The owner of namespaces that name none. */
  readonly owner: string
  readonly dryRun: boolean
}

interface ImportedDifference {
  readonly part: Difference['part']
  readonly name: string
  /** `kept`: differs from the file, but stays. */
  readonly action: 'added' | 'changed' | 'removed' | 'kept'
  /** In the store, and in the file. */
  readonly before?: unknown
  readonly after?: unknown
}

export interface ImportedNamespace {
  readonly namespace: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped'
  readonly differences: readonly ImportedDifference[]
}

export type ImportRefusal = CatalogRefusal | { readonly kind: 'defined-twice'; readonly namespace: string }

/** All or nothing. */
export function importDefinitions(
  world: World,
  command: ImportCommand,
  nowMs: number,
): Decision<readonly ImportedNamespace[], ImportRefusal> {
  const { definitions, merge, owner, dryRun } = command
  const wrong = findRefusal(definitions)
  if (wrong !== null) return refuse(wrong)
  const draft = new CatalogDraft(world.catalog, nowMs)
  const report = definitions.map(definition => {
    const row = world.catalog.namespaces.find(definition.namespace)
    if (row === undefined) return createFrom(draft, definition, owner)
    return mergeInto(draft, collectWhole(world.catalog, row), definition, merge)
  })
  return accept(dryRun ? NO_CHANGE : { ops: draft.ops }, report)
}

export function findRefusal(definitions: readonly Definition[]): ImportRefusal | null {
  const seen = new Set<string>()
  for (const { namespace, content } of definitions) {
    if (seen.has(namespace)) return { kind: 'defined-twice', namespace }
    seen.add(namespace)
    const twice = findDuplicate(content)
    if (twice !== null) return partExists(namespace, twice.part, twice.name)
  }
  return null
}

export function createFrom(draft: CatalogDraft, definition: Definition, owner: string): ImportedNamespace {
  const { namespace, content } = definition
  draft.addContent(draft.addNamespace({ namespace, ...fillDefaults(definition, owner) }), content)
  const differences = listContentEntries(content).map(({ part, name }) => ({
    part,
    name,
    action: 'added' as const,
  }))
  return { namespace, outcome: 'created', differences }
}

function fillDefaults({ attributes }: Definition, owner: string): Attributes {
  const defaults = { display_name: null, description: null, visibility: 'private', protected: false } as const
  return { ...defaults, owner, ...attributes }
}

function mergeInto(
  draft: CatalogDraft,
  whole: Whole,
  definition: Definition,
  merge: Merge,
): ImportedNamespace {
  const { namespace, content } = definition
  const here = attributesOf(whole)
  const imported: Partial<Attributes> =
    merge === 'overwrite' ? fillDefaults(definition, here.owner) : definition.attributes
  const before = [...listAttributeEntries(here), ...listContentEntries(contentOf(whole))]
  const after = [...listAttributeEntries(imported), ...listContentEntries(content)]
  const differences = compareEntries(before, after).flatMap(one => decideAction(one, merge))
  const changes = differences.filter(({ action }) => action !== 'kept')
  const reordered = merge === 'overwrite' && !isSameOrder(before, after)
  if (changes.length === 0 && !reordered) {
    const outcome = merge === 'skip' && differences.length > 0 ? 'skipped' : 'unchanged'
    return { namespace, outcome, differences }
  }
  if (changes.some(({ part }) => part === 'attribute'))
    draft.updateNamespace(whole.row, { namespace, ...here, ...imported })
  const partsChange = changes.some(({ part }) => part !== 'attribute')
  if (merge !== 'overwrite') apply(draft, whole, content, changes)
  else if (partsChange || reordered) {
    draft.removeContent(whole.row.id)
    draft.addContent(whole.row, content)
  }
  return { namespace, outcome: 'updated', differences }
}

/** Empty for parts that only the store has and that stay. */
function decideAction({ part, name, before, after }: Difference, merge: Merge): ImportedDifference[] {
  const describe = (action: ImportedDifference['action']): ImportedDifference[] => [
    {
      part,
      name,
      action,
      ...(before === null ? {} : { before: before.value }),
      ...(after === null || action === 'added' ? {} : { after: after.value }),
    },
  ]
  if (after === null) return merge === 'overwrite' ? describe('removed') : []
  if (merge === 'skip') return describe('kept')
  if (before === null) return merge === 'add' && part === 'attribute' ? describe('kept') : describe('added')
  return merge === 'add' ? describe('kept') : describe('changed')
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
    else draft.updateAssociation(there, one)
  }
  const properties = new Map(whole.properties.map(row => [row.name, row]))
  for (const one of content.properties) {
    if (!wanted.has(`property ${one.name}`)) continue
    const there = properties.get(one.name)
    if (there === undefined) draft.addProperty(id, one)
    else draft.updateProperty(there, one)
  }
  const objects = new Map(whole.objects.map(row => [row.name, row]))
  for (const one of content.objects) {
    if (!wanted.has(`object ${one.name}`)) continue
    const there = objects.get(one.name)
    if (there === undefined) draft.addObject(id, one)
    else draft.updateObject(there, one)
  }
  for (const name of content.tags) if (wanted.has(`tag ${name}`)) draft.addTag(id, name)
}
