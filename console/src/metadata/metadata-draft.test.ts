import { describe, expect, test } from 'vitest'
import type { RequirementForm } from '../../../src/wire/operators.ts'
import {
  draftOf,
  unfinished,
  withForm,
  withoutKey,
  withRenamed,
  withText,
  withWritten,
} from './metadata-draft.ts'

const or = (...operands: string[]): RequirementForm => ({ kind: 'operator', operator: '<or>', operands })

describe('a draft', () => {
  const start = draftOf({ a: '1', b: '2' })

  test('a plain value is its own string at once', () => {
    expect(withForm(start, 'a', { kind: 'literal', text: 'x' })).toEqual(draftOf({ a: 'x', b: '2' }))
  })

  test('an edit of another key is kept when the server has written a form', () => {
    const form = or('x')
    const meanwhile = withText(withForm(start, 'a', form), 'b', '9')
    expect(withWritten(meanwhile, 'a', form, '<or> x')).toEqual(draftOf({ a: '<or> x', b: '9' }))
  })

  test('what is typed by hand ends the form, and a late answer does not overwrite it', () => {
    const form = or('x')
    const typed = withText(withForm(start, 'a', form), 'a', 'mine')
    expect(typed.forms).toEqual({})
    expect(withWritten(typed, 'a', form, '<or> x')).toBe(typed)
  })

  test('the answer to a form that was changed since is too late', () => {
    const [first, second] = [or('x'), or('x', 'y')]
    const changed = withForm(withForm(start, 'a', first), 'a', second)
    expect(withWritten(changed, 'a', first, '<or> x')).toBe(changed)
    expect(withWritten(changed, 'a', second, '<or> x <or> y').specs.a).toBe('<or> x <or> y')
  })

  test('a key that was removed stays removed', () => {
    const form = or('x')
    const removed = withoutKey(withForm(start, 'a', form), 'a')
    expect(withWritten(removed, 'a', form, '<or> x').specs).toEqual({ b: '2' })
  })

  test('says what is unfinished: an operator without a value, or a form that is not written', () => {
    expect(unfinished(start)).toBeNull()
    expect(unfinished(withForm(start, 'a', or()))).toBe('a has the operator <or> and no value yet.')
    expect(unfinished(withForm(start, 'a', or('x')))).toBe('What was chosen for a is not written yet.')
  })

  test('a key is renamed unless the other one is taken', () => {
    expect(withRenamed(start, 'a', 'c')).toEqual(draftOf({ b: '2', c: '1' }))
    expect(withRenamed(start, 'a', 'b')).toBe(start)
  })
})
