import { expect, test } from 'vitest'
import { decodeOp, type EncodedOp, insert, opsText, remove, update } from './change.ts'

const provider = { id: 7, uuid: 'u', name: '"ü\\\n', generation: 2 ** 53, parent_id: null, updated_at: -0.5 }

test('ops become JSON, whatever their values are, and come back as they were', () => {
  const ops = [
    insert('resource_providers', provider),
    update('resource_providers', provider, { ...provider, name: '', parent_id: 1e21 }),
    remove('provider_traits', { provider_id: 0, trait_id: 1 }),
  ]
  const encoded = JSON.parse(opsText(ops)) as EncodedOp[]
  expect(encoded[2]).toEqual(['provider_traits', [0, 1], null])
  expect(encoded.map(decodeOp)).toEqual(ops)
  expect(opsText([])).toBe('[]')
})
