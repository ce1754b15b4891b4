import { expect, test } from 'vitest'
import { decodeOp, type EncodedOp, encodeOps, insert, remove, update } from './change.ts'

const provider = { id: 7, uuid: 'u', name: '"ü\\\n', generation: 2 ** 53, parent_id: null, updated_at: -0.5 }

test('ops become JSON and come back as they were', () => {
  const ops = [
    insert('resource_providers', provider),
    update('resource_providers', provider, { ...provider, name: '', parent_id: 1e21 }),
    remove('provider_traits', { provider_id: 0, trait_id: 1 }),
  ]
  const encoded = JSON.parse(encodeOps(ops)) as EncodedOp[]
  expect(encoded[2]).toEqual(['provider_traits', [0, 1], null])
  expect(encoded.map(decodeOp)).toEqual(ops)
  expect(encodeOps([])).toBe('[]')
})

test.each([0, -0, 1.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY, null, undefined, '', '\ud800\u2028"'])(
  'a value of %s is written as JSON has it',
  value => {
    const row = { id: value as number, name: 'CUSTOM_A', updated_at: 1 }
    expect(encodeOps([insert('traits', row)])).toBe(
      JSON.stringify([['traits', null, [value, 'CUSTOM_A', 1]]]),
    )
  },
)
