import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asBerth, asOpenstack, type CandidateQuery, emptyGroup, formatQuery, parseQuery } from './query.ts'

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

  test('whatever the form holds, its text means the same form', () => {
    const queries: fc.Arbitrary<CandidateQuery> = fc.record({
      groups: fc.tuple(group(''), group('1'), group('_NET')),
      policy: fc.constantFrom('', 'none', 'isolate'),
      sameSubtrees: fc.array(fc.array(word, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
      rootRequired: words,
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

  test('commands: openstack where it can, berth always', () => {
    const simple = parseQuery('resources=VCPU:1&required=A&limit=5')
    expect(asOpenstack(simple)).toContain('--resource VCPU=1 \\\n  --required A \\\n  --limit 5')
    expect(asOpenstack(parseQuery('resources=VCPU:1&in_tree=x'))).toBeNull()
    expect(asBerth("resources=VCPU:1&x='")).toBe("berth candidates --query 'resources=VCPU:1&x='\\'''")
    expect(emptyGroup('1').suffix).toBe('1')
  })
})
