import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../framework/json-value.ts'
import { evaluateFilter } from '../evaluate-filter.ts'

const attributes = {
  free_ram_mb: 2048,
  vcpus_total: 8,
  host: 'h1',
  stats: { arch: 'x86_64', io: 3 },
  gone: null,
}

function asked(query: JsonValue) {
  const [result] = evaluateFilter('JsonFilter', [{ hints: { query }, host: { attributes } }]) ?? []
  return result
}

test.each<[JsonValue, boolean]>([
  [null, true],
  ['', true],
  ['[]', true],
  ['{}', true],
  ['[">=", "$free_ram_mb", 1024]', true],
  [['>=', '$free_ram_mb', 1024], true],
  [['["=", "$host", "h1"]'], true],
  [['<', '$free_ram_mb', 1024], false],
  [['=', '$host', 'h1', 'h1'], true],
  [['=', '$host', 'h1', 'h2'], false],
  [['=', 1, true], true],
  [['=', 1, '1'], false],
  [['=', '$stats', '$stats'], true],
  [['in', '$host', 'h2', 'h1'], true],
  [['in', '$host'], false],
  [['<', 'Z', 'a'], true],
  [['=', '$stats.arch', 'x86_64'], true],
  [['and', ['>', '$vcpus_total', 4], ['or', ['=', '$host', 'h2'], ['=', '$host', 'h1']]], true],
  ['["and"]', true],
  ['["or"]', false],
  ['["not"]', false],
  [['not', ['=', '$host', 'h2']], true],
  [['not', ['=', '$host', 'h1']], false],
])('%j: %s', (query, passes) => {
  expect(asked(query)?.passes).toBe(passes)
})

test('a variable that the host does not have, or has without a value, is left out', () => {
  expect(asked(['=', '$nothing', 1])).toMatchObject({ passes: false, reasons: [{ code: 'query.refused' }] })
  expect(asked(['=', '$gone', 1])?.passes).toBe(false)
  expect(asked(['=', '$stats.nothing', 1])?.passes).toBe(false)
  expect(asked(['and', '$nothing'])?.passes).toBe(true)
})

test('what is inherited by every object is no variable and no member', () => {
  expect(asked(['or', '$constructor'])?.passes).toBe(false)
  expect(asked(['or', '$stats.constructor'])?.passes).toBe(false)
})

test('not turns each of its terms; one that is true will do, and within another operator the list is true', () => {
  expect(asked(['not', true, false])?.passes).toBe(true)
  expect(asked(['and', ['not', true]])?.passes).toBe(true)
})

test.each<[JsonValue, object]>([
  ['nonsense', { kind: 'not-json' }],
  ['"x"', { kind: 'not-a-list', found: 'x' }],
  [{ a: 1 }, { kind: 'not-a-list' }],
  [['<>', 1, 2], { kind: 'unknown-operator', operator: '<>' }],
  [['and', ['=', 1, 1], [7]], { kind: 'unknown-operator', operator: 7 }],
  [['>', '$host', 1], { kind: 'incomparable', operator: '>', left: 'h1', right: 1 }],
  [['or', true, ['<', 'a', 1]], { kind: 'incomparable' }],
  [['=', '$host.x', 1], { kind: 'no-members', variable: '$host.x', value: 'h1' }],
])('%j is refused with what is wrong with it', (query, problem) => {
  expect(asked(query)).toMatchObject({
    passes: false,
    reasons: [{ code: 'query.malformed', facts: { problem } }],
  })
})

test('a query that is too deep is refused, not a crash', () => {
  expect(asked(`${'["and",'.repeat(100_000)}1${']'.repeat(100_000)}`)).toMatchObject({
    reasons: [{ facts: { problem: { kind: 'too-deep' } } }],
  })
})

test('no query crashes', () => {
  const terms = fc.oneof(
    fc.constantFrom('$host', '$stats', '$stats.io', '$gone', '', 'a', '=', 'not'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const { query } = fc.letrec<{ query: JsonValue }>(tie => ({
    query: fc.oneof(
      { depthSize: 'small' },
      terms,
      fc.array(tie('query'), { maxLength: 3 }),
      fc
        .tuple(
          fc.constantFrom('=', '<', '>=', 'in', 'not', 'or', 'and'),
          fc.array(tie('query'), { maxLength: 3 }),
        )
        .map(([operator, rest]) => [operator, ...rest]),
    ),
  }))
  fc.assert(
    fc.property(query, one => {
      const result = asked(one)
      expect((result?.reasons.length ?? 0) === 0).toBe(result?.passes)
    }),
    { numRuns: Number(process.env.BERTH_PROPERTY_RUNS ?? 2_000) },
  )
})
