import { describe, expect, test } from 'vitest'
import { candidateQuery, parseGroups } from './candidate-query.ts'

describe('what candidates are asked for', () => {
  const asked = (options: Parameters<typeof candidateQuery>[0]) =>
    candidateQuery(options, {
      provider: async name => `uuid-of-${name}`,
      memberOf: async value => value.replace(/\w+$/, name => `uuid-of-${name}`),
    })

  test('every option becomes its parameter', async () => {
    expect(
      (
        await asked({
          resources: ['VCPU:1', 'DISK_GB:2,MEMORY_MB:3'],
          required: ['A,!B', 'in:C,D'],
          forbidden: ['E,F'],
          memberOf: ['!in:u,v'],
          inTree: 'host-1',
          groupPolicy: 'isolate',
          sameSubtree: ['_X,_Y'],
          rootRequired: ['R,!S'],
          group: [
            '_X',
            'resources=VGPU:1;required=G,!H',
            '_Y',
            'forbidden=I',
            'in_tree=host-2',
            'member_of=w',
          ],
        })
      ).split('&'),
    ).toEqual([
      'resources=VCPU:1,DISK_GB:2,MEMORY_MB:3',
      'required=A,!B',
      'required=in:C,D',
      'required=!E,!F',
      'member_of=!in:u,uuid-of-v',
      'in_tree=uuid-of-host-1',
      'group_policy=isolate',
      'same_subtree=_X,_Y',
      'root_required=R,!S',
      'resources_X=VGPU:1',
      'required_X=G,!H',
      'required_Y=!I',
      'in_tree_Y=uuid-of-host-2',
      'member_of_Y=uuid-of-w',
    ])
  })

  test('a raw query passes as it is', async () => {
    expect(await asked({ query: '?resources=VCPU%3A1&x=y' })).toBe('resources=VCPU%3A1&x=y')
  })

  test.each<[Parameters<typeof candidateQuery>[0], string]>([
    [{}, 'the request is empty'],
    [{ required: ['A'] }, 'the request is empty'],
    [{ query: 'resources=VCPU:1', required: ['A'] }, '--query cannot be combined'],
    [{ resources: ['VCPU:1'], microversion: '1.9' }, 'not a version of Placement from 1.16 on'],
    [{ resources: ['VCPU:1'], microversion: 'latest' }, 'not a version of Placement from 1.16 on'],
  ])('%j is refused', async (options, line) => {
    await expect(asked(options)).rejects.toThrow(line)
  })

  test('one word may hold a whole group, or several', () => {
    expect(parseGroups(['A resources=VCPU:1; required=X', 'B', 'resources=VCPU:2'])).toEqual([
      {
        name: 'A',
        parts: [
          ['resources', 'VCPU:1'],
          ['required', 'X'],
        ],
      },
      { name: 'B', parts: [['resources', 'VCPU:2']] },
    ])
  })

  test.each([
    [['resources=VCPU:1'], '--group starts with a name'],
    [['A', 'size=1'], 'a group has no size; it has resources'],
    [['A'], 'group A is empty'],
    [['A', 'resources=X:1', 'A', 'resources=X:1'], 'group A is given twice'],
    [['a.b', 'resources=X:1'], "'a.b' is not a group name"],
  ])('the group %j is refused', (words, line) => {
    expect(() => parseGroups(words)).toThrow(line)
  })
})
