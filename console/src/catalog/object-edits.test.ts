import { describe, expect, test } from 'vitest'
import { objectBody, withoutProperty, withProperty } from './object-edits.ts'

const plan = {
  name: 'plan',
  required: ['keep', 'where'],
  properties: { keep: { type: 'integer' }, where: { type: 'string' }, note: { type: 'string' } },
}

describe('an object of the catalog', () => {
  test('is written with what it requires', () => {
    expect(objectBody(plan)).toEqual({ ...plan, description: '' })
    expect(objectBody({ name: 'bare', required: null })).toMatchObject({ required: [], properties: {} })
  })

  test('keeps what it requires when a property is changed, added or renamed', () => {
    expect(withProperty(plan, 'note', 'note', { type: 'integer' }).required).toEqual(['keep', 'where'])
    expect(withProperty(plan, null, 'more', {}).required).toEqual(['keep', 'where'])
    const renamed = withProperty(plan, 'keep', 'days', { type: 'integer' })
    expect(renamed.required).toEqual(['days', 'where'])
    expect(Object.keys(renamed.properties ?? {}).sort()).toEqual(['days', 'note', 'where'])
  })

  test('no longer requires a property that is gone', () => {
    expect(withoutProperty(plan, 'keep')).toEqual({
      name: 'plan',
      required: ['where'],
      properties: { where: { type: 'string' }, note: { type: 'string' } },
    })
  })
})
