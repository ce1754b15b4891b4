import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CandidateQuery, faultOfSuffix, formatQuery, parseQuery, renamed, without } from './query.ts'

describe('a request for candidates', () => {
  test.each([
    'resources=VCPU:8,MEMORY_MB:32768&member_of=c953fe61-054b-5c7f-aa53-f70be530c2c0',
    'resources1=PGPU:1&required1=CUSTOM_GPU_H100&resources2=PGPU:1&group_policy=isolate',
    'resources=VCPU:1&required=HW_A,!HW_B&required=in:C,D&member_of=in:x,y&member_of=!z&in_tree=t',
    'resources_CPU=VCPU:1&resources_NET=SRIOV_NET_VF:1&root_required=A,!B&same_subtree=_CPU,_NET&group_policy=none&limit=3',
    'resources=VCPU:1&pony=yes&limit=1',
  ])('%s comes back as it went into the form', text => {
    expect(formatQuery(parseQuery(text))).toBe(text)
  })

  test('escapes are read, and a question mark before it all is none of its parts', () => {
    expect(parseQuery('?resources=VCPU%3A1').groups[0]?.resources).toEqual([{ name: 'VCPU', amount: '1' }])
    expect(parseQuery('required=%zz').groups[0]?.required).toEqual(['%zz'])
  })

  const word = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/)
  const words = fc.array(word, { maxLength: 3 })
  const group = (suffix: string) =>
    fc.record({
      suffix: fc.constant(suffix),
      resources: fc.array(fc.record({ name: word, amount: fc.nat(99).map(String) }), {
        minLength: 1,
        maxLength: 2,
      }),
      required: words,
      anyOf: fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      forbidden: words,
      memberOf: fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      notMemberOf: words,
      inTree: fc.oneof(fc.constant(''), word),
    })

  test('the text of any form parses to the same form', () => {
    const queries: fc.Arbitrary<CandidateQuery> = fc.record({
      groups: fc.tuple(group(''), group('1'), group('_NET')),
      policy: fc.constantFrom('', 'none', 'isolate'),
      sameSubtrees: fc.array(fc.array(word, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
      rootRequired: words,
      rootAnyOf: fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      rootForbidden: words,
      limit: fc.constantFrom('', '10'),
      others: fc.constant([]),
    })
    fc.assert(
      fc.property(queries, query => {
        expect(parseQuery(formatQuery(query))).toEqual(query)
      }),
    )
  })

  test('a group is renamed in the same subtree too, and what is removed is in none', () => {
    const query = parseQuery(
      'resources_A=VCPU:1&resources_B=VCPU:2&same_subtree=_A,_B&same_subtree=_B&group_policy=none',
    )
    expect(formatQuery(renamed(query, '_B', '_C'))).toBe(
      'resources_A=VCPU:1&resources_C=VCPU:2&same_subtree=_A,_C&same_subtree=_C&group_policy=none',
    )
    expect(formatQuery(without(query, '_B'))).toBe('resources_A=VCPU:1&same_subtree=_A&group_policy=none')
  })

  test('no suffix is given to two groups, and none is empty', () => {
    const query = parseQuery('resources1=VCPU:1&resources2=VCPU:2')
    expect(faultOfSuffix(query, '2', '1')).toBe('There is a group 1 already.')
    expect(faultOfSuffix(query, '2', '')).toBe('A group needs a suffix.')
    expect(faultOfSuffix(query, '2', 'a b')).toContain('Letters')
    expect(faultOfSuffix(query, '2', '2')).toBeNull()
    expect(faultOfSuffix(query, '2', '_GPU')).toBeNull()
  })
})
