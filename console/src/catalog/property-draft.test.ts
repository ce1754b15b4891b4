import { describe, expect, test } from 'vitest'
import type { MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import { bodyOf, draftOfProperty, valuesFault } from './property-draft.ts'

const edited = (
  property: MetadefProperty,
  more: MetadefProperty,
  values = draftOfProperty(property).values,
) => ({
  property: { ...property, ...more },
  values,
})

describe('a property that is edited', () => {
  test('an array without values lists none: an empty list would allow nothing', () => {
    const before = { type: 'array', items: { type: 'string', enum: ['a'] } }
    expect(bodyOf('p', edited(before, {}, []))).toEqual({
      name: 'p',
      title: 'p',
      type: 'array',
      items: { type: 'string' },
    })
    expect(bodyOf('p', edited({ type: 'array' }, {}))).toMatchObject({ items: { type: 'string' } })
  })

  test('the values of a string become those of the items when it becomes an array, and back', () => {
    const before = { type: 'string', enum: ['a', 'b'] }
    expect(bodyOf('p', edited(before, { type: 'array' }))).toEqual({
      name: 'p',
      title: 'p',
      type: 'array',
      items: { type: 'string', enum: ['a', 'b'] },
    })
    const list = { type: 'array', items: { type: 'string', enum: ['a'] } }
    expect(bodyOf('p', edited(list, { type: 'string' }))).toEqual({
      name: 'p',
      title: 'p',
      type: 'string',
      enum: ['a'],
    })
  })

  test('a boolean has no list of values', () => {
    expect(bodyOf('p', edited({ type: 'string', enum: ['a'] }, { type: 'boolean' }))).toEqual({
      name: 'p',
      title: 'p',
      type: 'boolean',
    })
  })

  test('numbers are written as numbers, and what is none is refused in words', () => {
    expect(bodyOf('p', edited({ type: 'integer' }, {}, ['1', '2']))).toMatchObject({ enum: [1, 2] })
    expect(valuesFault(edited({ type: 'integer' }, {}, ['1', 'two', '1.5']))).toBe(
      '“two”, “1.5” are no whole numbers.',
    )
    expect(valuesFault(edited({ type: 'number' }, {}, ['1.5', ' ']))).toBe('“ ” is no number.')
    expect(valuesFault(edited({ type: 'string', enum: ['a'] }, { type: 'number' }))).toBe('“a” is no number.')
    expect(valuesFault(edited({ type: 'string' }, {}, ['a']))).toBeNull()
  })

  test('limits, patterns and everything else that the form does not show are kept', () => {
    const before = { type: 'string', pattern: '^a', default: 'a', operators: ['<or>'], minLength: 2 }
    expect(bodyOf('p', draftOfProperty(before))).toEqual({ ...before, name: 'p', title: 'p' })
  })
})
