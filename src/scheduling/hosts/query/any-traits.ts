import { strip } from '../../operators/python-text.ts'

/** `in:A,B` as the value of a trait in a flavor or an image: any of these. The key only needs to be unique. */
const PREFIX = 'in:'
const NAME = /^[A-Z0-9_]+$/

export const isAnyOf = (value: string): boolean => value.startsWith(PREFIX)

type AnyOf =
  | { readonly ok: true; readonly traits: readonly string[] }
  /** In words that follow the value. */
  | { readonly ok: false; readonly fault: string }

/** The traits, or why the value cannot be parsed. Only for a value that `isAnyOf`. */
export function readAnyOf(value: string): AnyOf {
  const names = value.slice(PREFIX.length).split(',').map(strip)
  const wrong = names.find(name => !NAME.test(name))
  if (wrong === undefined) return { ok: true, traits: [...new Set(names)] }
  if (wrong === '') return { ok: false, fault: 'has an empty name after in:' }
  return wrong.startsWith('!')
    ? { ok: false, fault: `cannot forbid ${wrong.slice(1)} after in:` }
    : { ok: false, fault: `has ${JSON.stringify(wrong)} after in:, which is not the name of a trait` }
}
