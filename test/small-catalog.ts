/** A catalog changed by the real rules, without a store; every change is also taken back and done again. */
import { expect } from 'vitest'
import { checkCatalog } from '../src/catalog/invariants.ts'
import { readDefinition } from '../src/catalog/reading.ts'
import { type CatalogRules, catalogRules } from '../src/catalog/rules.ts'
import { findNamespaceFault } from '../src/catalog/schemas/faults.schemas.ts'
import { exportDefinition } from '../src/catalog/transfer/export.ts'
import type { ImportedNamespace, Merge } from '../src/catalog/transfer/import.ts'
import { parseExactly } from '../src/kernel/exact-json.ts'
import type { AnswerOf, CommandOf, RefusalOf } from '../src/store/sequencer/sequencer.ts'
import type { Decision } from '../src/world/decision.ts'
import { checkInvariants } from '../src/world/findings.ts'
import { collectNames } from '../src/world/naming.ts'
import { mirroredTables } from '../src/world/tables.ts'
import { World } from '../src/world/world.ts'

type Kind = keyof CatalogRules & string
type Outcome<K extends Kind> = Decision<AnswerOf<CatalogRules[K]>, RefusalOf<CatalogRules[K]>>

export class SmallCatalog {
  readonly world = new World()
  nowMs = 1_000

  do<K extends Kind>(kind: K, command: CommandOf<CatalogRules[K]>): Outcome<K> {
    const rule = catalogRules[kind] as (world: World, command: unknown, nowMs: number) => Outcome<K>
    const before = this.rows()
    const decision = rule(this.world, command, this.nowMs)
    expect(this.rows()).toEqual(before)
    if (!decision.ok) return decision
    collectNames(this.world, decision.change)
    this.world.apply(decision.change)
    this.world.undo(decision.change)
    expect(this.rows()).toEqual(before)
    this.world.apply(decision.change)
    this.#check()
    return decision
  }

  /** Definitions as JSON text, as a file has them. */
  import(texts: readonly string[], merge: Merge = 'skip', dryRun = false): readonly ImportedNamespace[] {
    for (const text of texts) expect(findNamespaceFault(JSON.parse(text))).toBeNull()
    const definitions = texts.map(text => readDefinition(parseExactly(text) as Record<string, unknown>))
    const decision = this.do('catalog:import', { definitions, merge, owner: 'me', dryRun })
    if (!decision.ok) throw new Error(JSON.stringify(decision.refusal))
    return decision.answer
  }

  /** Every namespace as a file, the oldest first. */
  export(): string[] {
    const { catalog } = this.world
    return catalog.namespaces.all().map(row => JSON.stringify(exportDefinition(catalog, row)))
  }

  rows(): Record<string, unknown[]> {
    const byId = (a: { id?: unknown }, b: { id?: unknown }) => Number(a.id) - Number(b.id)
    return Object.fromEntries(mirroredTables.map(({ name }) => [name, [...this.world.rows(name)].sort(byId)]))
  }

  #check(): void {
    expect(checkInvariants(this.world, [checkCatalog]).items).toEqual([])
  }
}
