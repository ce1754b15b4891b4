import { indexDefinitions } from '../../../catalog/check/defined-keys.ts'
import { findDrift } from '../../../catalog/check/drift.ts'
import { countText } from '../../../kernel/count-text.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** Keys and values of flavors, aggregates and share types that no definition allows. */
export const metadataDrift: AttentionCheck = {
  code: 'metadata.drift',
  what: 'Keys and values of flavors, aggregates and share types that the catalog does not allow.',
  severity: 'note',
  operation: 'berth:catalog:drift',
  restMs: 5_000,
  async find({ world: { catalog }, specSources, turns }) {
    const namespaces = catalog.namespaces.all()
    // Without definitions everything would differ from them.
    if (namespaces.length === 0) return null
    const { counts, findings } = await findDrift(
      indexDefinitions(catalog, namespaces),
      [...specSources()],
      () => turns.give(),
    )
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    if (total === 0) return null
    const worst = new WorstItems()
    for (const { kind, name, key, text } of findings)
      worst.add(0, { name: `${kind} ${name}`, text: `${key}: ${text}`, link: '/catalog/drift' })
    return {
      total,
      text: `${countText(total, 'key or value does', 'keys or values do')} not match the catalog`,
      link: '/catalog/drift',
      command: 'berth catalog lint',
      items: worst.list(),
    }
  },
}
