import type { NamedOp } from '../../world/naming.ts'
import type { World } from '../../world/world.ts'
import { renderProvider } from './fleet.ts'

/** A line of the fleet as a client keeps it. */
interface Line {
  uuid: string
  name: string
  generation: number
  parent_provider_uuid: string | null
  root_provider_uuid: string
  inventories: Record<string, Record<string, unknown>>
  usages: Record<string, number>
  traits: string[]
  aggregates: string[]
  revision: number
}

export interface ToldChange {
  readonly revision: number
  readonly ops: readonly NamedOp[]
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every table
type Row = any

/**
 * The state that a client builds from the fleet and the changes after it, using only what the reference
 * documents.
 */
export class Picture {
  readonly #lines = new Map<string, Line>()

  addLines(text: string): void {
    for (const line of text.trimEnd().split('\n')) {
      const parsed = JSON.parse(line) as Line
      this.#lines.set(parsed.uuid, parsed)
    }
  }

  apply({ revision, ops }: ToldChange): void {
    for (const { table, before, after } of ops as { table: string; before: Row; after: Row }[])
      if (table === 'resource_classes') this.#renameClass(revision, before, after)
      else if (table === 'resource_providers') this.#putProvider(revision, before, after)
      else {
        const line = this.#lines.get((after ?? before).provider)
        if (line !== undefined && line.revision < revision) putPart(line, table, before, after)
      }
  }

  #renameClass(revision: number, before: Row, after: Row): void {
    if (before === null || after === null || before.name === after.name) return
    for (const line of this.#lines.values()) {
      if (line.revision >= revision || !(before.name in line.inventories)) continue
      line.inventories[after.name] = line.inventories[before.name] as Record<string, unknown>
      line.usages[after.name] = line.usages[before.name] as number
      delete line.inventories[before.name]
      delete line.usages[before.name]
    }
  }

  #putProvider(revision: number, before: Row, after: Row): void {
    const known = this.#lines.get((after ?? before).uuid)
    if (known !== undefined && known.revision >= revision) return
    if (after === null) this.#lines.delete(before.uuid)
    else if (before === null)
      this.#lines.set(after.uuid, {
        uuid: after.uuid,
        name: after.name,
        generation: after.generation,
        parent_provider_uuid: after.parent,
        root_provider_uuid: '',
        inventories: {},
        usages: {},
        traits: [],
        aggregates: [],
        revision: revision - 1,
      })
    else if (known !== undefined)
      Object.assign(known, {
        name: after.name,
        generation: after.generation,
        parent_provider_uuid: after.parent,
      })
  }

  /** Sorted, so that two pictures can be compared. */
  get sorted(): unknown[] {
    const rootOf = (line: Line): string => {
      const parent = line.parent_provider_uuid
      return parent === null ? line.uuid : rootOf(this.#lines.get(parent) as Line)
    }
    return [...this.#lines.values()]
      .map(({ revision: _, ...line }) => ({
        ...line,
        root_provider_uuid: rootOf(this.#lines.get(line.uuid) as Line),
        traits: line.traits.toSorted(),
        aggregates: line.aggregates.toSorted(),
      }))
      .sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
  }
}

function putPart(line: Line, table: string, before: Row, after: Row): void {
  switch (table) {
    case 'inventories': {
      const { provider: _, resource_class: name, ...record } = after ?? before
      if (after === null) {
        delete line.inventories[name]
        delete line.usages[name]
      } else {
        line.inventories[name] = record
        line.usages[name] ??= 0
      }
      break
    }
    case 'allocations': {
      const name = (after ?? before).resource_class
      line.usages[name] = (line.usages[name] ?? 0) + (after?.used ?? 0) - (before?.used ?? 0)
      break
    }
    case 'provider_traits':
      line.traits = line.traits.filter(name => name !== (after ?? before).trait)
      if (after !== null) line.traits.push(after.trait)
      break
    case 'provider_aggregates':
      line.aggregates = line.aggregates.filter(uuid => uuid !== (after ?? before).aggregate)
      if (after !== null) line.aggregates.push(after.aggregate)
      break
  }
}

/** The same, read directly from memory. */
export function pictureOf(world: World): Picture {
  const picture = new Picture()
  for (const slot of world.providers.all()) picture.addLines(renderProvider(world, slot))
  return picture
}
