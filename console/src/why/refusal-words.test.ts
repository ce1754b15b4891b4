import { describe, expect, test } from 'vitest'
import { refusalWords } from './refusal-words.ts'

const choice = {
  ...{ candidates: 3, is_cut: false, top: [] },
  funnel: [
    { filter: 'ZoneFilter', before: 3, after: 0, removed: [] },
    { filter: 'OtherFilter', before: 0, after: 0, removed: [] },
  ],
}

describe('why a decision came to nothing', () => {
  test('no host is told with where the hosts went', () => {
    expect(refusalWords({ kind: 'no-host', instance: 'i', placed: 0 }, choice)).toEqual({
      text: 'No host will do: 3 hosts have room; ZoneFilter removes 3.',
      details: [
        ['instance', 'i'],
        ['placed', '0'],
      ],
    })
    expect(refusalWords({ kind: 'no-host', placed: 2 }, null).text).toBe(
      'After 2 servers no host will do: none has room for what is asked of Placement.',
    )
  })

  test('what is known has a sentence, what is not is told by its kind', () => {
    expect(refusalWords({ kind: 'host-missing', host: 'h' }, null).text).toBe('There is no host h.')
    expect(refusalWords({ kind: 'pool-on-fire' }, null).text).toBe('It was refused: pool on fire.')
  })
})
