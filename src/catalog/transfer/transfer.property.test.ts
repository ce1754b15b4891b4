import fc from 'fast-check'
import { expect, test } from 'vitest'
import { definitionTexts } from '../../../test/catalog-definitions.ts'
import { countRuns } from '../../../test/property-runs.ts'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { parseExactly } from '../../kernel/exact-json.ts'
import { merges } from './import.ts'

const isNew = (one: { outcome: string }) => one.outcome === 'created'
const isSame = (one: { outcome: string }) => one.outcome === 'unchanged'

test('what is imported and exported imports elsewhere and exports as the same text', () => {
  fc.assert(
    fc.property(definitionTexts, texts => {
      const here = new SmallCatalog()
      expect(here.import(texts).every(isNew)).toBe(true)
      const files = here.export()
      const there = new SmallCatalog()
      expect(there.import(files).every(isNew)).toBe(true)
      expect(there.export()).toEqual(files)
    }),
    { numRuns: countRuns(150) },
  )
})

test('importing it again changes nothing, in every merge mode', () => {
  fc.assert(
    fc.property(definitionTexts, fc.constantFrom(...merges), (texts, merge) => {
      const catalog = new SmallCatalog()
      catalog.import(texts)
      const before = catalog.rows()
      expect(catalog.import(texts, merge).every(isSame)).toBe(true)
      expect(catalog.import(catalog.export(), merge).every(isSame)).toBe(true)
      expect(catalog.rows()).toEqual(before)
    }),
    { numRuns: countRuns(100) },
  )
})

test('an export keeps every digit and every key of what was given', () => {
  fc.assert(
    fc.property(definitionTexts, texts => {
      const catalog = new SmallCatalog()
      catalog.import(texts)
      for (const [at, text] of texts.entries()) {
        const file = catalog.export()[at] as string
        const { properties = {} } = parseExactly(text) as { properties?: Record<string, unknown> }
        for (const one of Object.values(properties)) expect(file).toContain(JSON.stringify(one))
        expect(JSON.parse(file)).toMatchObject(withoutEmpty(JSON.parse(text)))
      }
    }),
    { numRuns: countRuns(100) },
  )
})

/** Containers without anything in them are not written. */
function withoutEmpty(given: object): object {
  const entries = Object.entries(given).filter(
    ([, value]) => typeof value !== 'object' || Object.keys(value).length > 0,
  )
  return Object.fromEntries(entries)
}

/** The same of one namespace. */
const renamed = (text: string | undefined) =>
  JSON.stringify({ ...(parseExactly(text as string) as object), namespace: 'same', owner: 'me' })

test('overwriting makes any namespace exactly what the file says', () => {
  fc.assert(
    fc.property(definitionTexts, definitionTexts, ([first], [second]) => {
      const catalog = new SmallCatalog()
      catalog.import([renamed(first)])
      catalog.import([renamed(second)], 'overwrite')
      const fresh = new SmallCatalog()
      fresh.import([renamed(second)])
      expect(catalog.export()).toEqual(fresh.export())
    }),
    { numRuns: countRuns(100) },
  )
})

test('preferring the new keeps what only the old one has, adding keeps what both have', () => {
  fc.assert(
    fc.property(definitionTexts, definitionTexts, ([first], [second]) => {
      const merged = (merge: 'add' | 'prefer-new') => {
        const catalog = new SmallCatalog()
        catalog.import([renamed(first)])
        catalog.import([renamed(second)], merge)
        return JSON.parse(catalog.export()[0] as string).properties ?? {}
      }
      const old = JSON.parse(renamed(first)).properties ?? {}
      const now = JSON.parse(renamed(second)).properties ?? {}
      expect(merged('add')).toEqual({ ...now, ...old })
      expect(merged('prefer-new')).toEqual({ ...old, ...now })
    }),
    { numRuns: countRuns(100) },
  )
})
