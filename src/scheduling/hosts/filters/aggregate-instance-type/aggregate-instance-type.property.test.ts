/** Properties of the filter that must hold for any flavor and any aggregate. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../../../test/property-runs.ts'
import { DEFAULT_SETTINGS } from '../../../framework/settings.ts'
import { aggregate, flavor, host, request } from '../../views.fixture.ts'
import { aggregateInstanceExtraSpecsFilter } from '../aggregate-instance-extra-specs.ts'
import { aggregateInstanceTypeFilter } from './aggregate-instance-type.ts'

const numRuns = countRuns(3_000)

const ESCAPE = 'aggregate_instance_extra_specs:'

type Texts = Record<string, string>

const words = fc.constantFrom('1', '2', '3', 'a', '*', '~', '!')
const choices = fc
  .array(words, { maxLength: 3 })
  .map(all => all.map(word => `<or> ${word}`).join(' ') || '<or>')
const operators = fc
  .tuple(fc.constantFrom('>=', '==', '!=', 's!=', '<in>', '<='), words)
  .map(one => one.join(' '))
const names = fc.constantFrom('k', 'j', 'hw:k')
const specKeys = fc.tuple(fc.boolean(), names).map(([escaped, name]) => (escaped ? ESCAPE + name : name))

const extraSpecs: fc.Arbitrary<Texts> = fc.dictionary(
  fc.oneof({ weight: 9, arbitrary: specKeys }, fc.constant('force_metadata_check')),
  fc.oneof(words, choices, operators),
  { maxKeys: 3, noNullPrototype: true },
)
const metadata: fc.Arbitrary<Texts> = fc
  .tuple(
    fc.dictionary(
      fc.oneof(names, specKeys),
      fc.oneof(words, choices, fc.constantFrom('1,2', '3,~', '>= 2')),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
    fc.constantFrom(undefined, 'True', 'true', 'False', 'yes'),
  )
  .map(([entries, force]) => (force === undefined ? entries : { ...entries, force_metadata_check: force }))
const aggregates = fc.array(metadata, { maxLength: 3 })

function passes(filter: typeof aggregateInstanceTypeFilter, specs: Texts, all: readonly Texts[]): boolean {
  const asked = request({ flavor: flavor(specs) })
  return filter.check(asked, host({ aggregates: all.map(one => aggregate(one)) }), DEFAULT_SETTINGS).passes
}
const admits = (specs: Texts, all: readonly Texts[]): boolean =>
  passes(aggregateInstanceTypeFilter, specs, all)

const isForced = (one: Texts): boolean => one.force_metadata_check?.toLowerCase() === 'true'

/** Counts how often a property applied, so that one which never applies fails. */
function checked(
  claim: string,
  property: (count: () => void) => fc.IProperty<unknown>,
  least = numRuns / 50,
): void {
  test(claim, () => {
    let counted = 0
    fc.assert(
      property(() => counted++),
      { numRuns },
    )
    expect(counted).toBeGreaterThan(least)
  })
}

checked('the order of aggregates does not matter', count =>
  fc.property(extraSpecs, aggregates, (specs, all) => {
    const verdict = admits(specs, all)
    if (verdict && all.length > 1) count()
    expect(admits(specs, all.toReversed())).toBe(verdict)
  }),
)

checked('the order of keys does not matter', count =>
  fc.property(extraSpecs, aggregates, (specs, all) => {
    const turned = Object.fromEntries(Object.entries(specs).reverse())
    const verdict = admits(specs, all)
    if (verdict && Object.keys(specs).length > 1) count()
    expect(admits(turned, all)).toBe(verdict)
  }),
)

checked(
  'who is refused by what a forced aggregate demands stays refused, whatever else the host joins',
  count =>
    fc.property(extraSpecs, metadata, aggregates, (specs, one, others) => {
      if (!isForced(one)) return
      const asked = request({ flavor: flavor(specs) })
      const verdict = aggregateInstanceTypeFilter.check(
        asked,
        host({ aggregates: [aggregate(one)] }),
        DEFAULT_SETTINGS,
      )
      if (verdict.passes || !verdict.reasons.some(({ code }) => code.startsWith('demand.'))) return
      count()
      expect(admits(specs, [one, ...others])).toBe(false)
    }),
)

checked('being in an aggregate twice changes nothing', count =>
  fc.property(extraSpecs, aggregates, (specs, all) => {
    const verdict = admits(specs, all)
    if (verdict && all.length > 0) count()
    expect(admits(specs, [...all, ...all])).toBe(verdict)
  }),
)

checked('an aggregate that says nothing changes nothing, forced or not', count =>
  fc.property(extraSpecs, aggregates, fc.boolean(), (specs, all, force) => {
    const verdict = admits(specs, all)
    if (verdict) count()
    expect(admits(specs, [...all, force ? { force_metadata_check: 'True' } : {}])).toBe(verdict)
  }),
)

const withWord = (text: string, word: string): string =>
  text.startsWith('<or>') && text !== '<or>' ? `${text} <or> ${word}` : `<or> ${text} <or> ${word}`

checked(
  'another word in a choice of the flavor never shuts a door, unless sentinels exclude each other',
  count =>
    fc.property(names, fc.oneof(words, choices), words, aggregates, (name, text, word, all) => {
      const more = text === '<or>' ? `<or> ${word}` : withWord(text, word)
      if (more.includes('!') && /[*~]/.test(more)) return
      if (!admits({ [name]: text }, all)) return
      count()
      expect(admits({ [name]: more }, all)).toBe(true)
    }),
)

checked(
  'another word in a choice of a forced aggregate never shuts a door, unless sentinels exclude each other',
  count =>
    fc.property(extraSpecs, fc.oneof(words, choices), words, aggregates, (specs, text, word, others) => {
      const more = text === '<or>' ? `<or> ${word}` : withWord(text, word)
      if (more.includes('!') && /[*~]/.test(more)) return
      const forced = (value: string) => ({ k: value, force_metadata_check: 'True' })
      if (!admits(specs, [forced(text), ...others])) return
      count()
      expect(admits(specs, [forced(more), ...others])).toBe(true)
    }),
)

checked('without sentinels, force and namespaces it is the older filter', count =>
  fc.property(extraSpecs, aggregates, (specs, all) => {
    const plain = Object.entries(specs).filter(
      ([key, text]) =>
        !/[*~!]/.test(text.replace('!=', '')) && (key.startsWith(ESCAPE) || !key.includes(':')),
    )
    const mine = Object.fromEntries(plain.filter(([key]) => !key.includes('force')))
    const unforced = all.map(({ force_metadata_check: _, ...entries }) => entries)
    const verdict = admits(mine, unforced)
    if (verdict && Object.keys(mine).length > 0) count()
    expect(verdict).toBe(passes(aggregateInstanceExtraSpecsFilter, mine, unforced))
  }),
)
