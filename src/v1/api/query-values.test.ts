import { expect, test, vi } from 'vitest'
import { Query } from '../../http/request/query.ts'
import { readQuery } from './query-values.ts'

test('a list is read once, however often its name is repeated', () => {
  const all = vi.spyOn(Query.prototype, 'all')
  const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } } as const
  expect(readQuery(Query.parse('a=1&'.repeat(100)) as Query, schema)).toEqual({ a: Array(100).fill(1) })
  expect(all).toHaveBeenCalledTimes(1)
})
