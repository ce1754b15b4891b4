import { ownValue } from '../../../src/kernel/records.ts'
import type { RequirementForm } from '../../../src/wire/operators.ts'
import type { Specs } from './spec-changes.ts'

/** The edited values, and forms that are not converted to strings yet. */
export interface Draft {
  readonly specs: Specs
  /** Forms by key that the server has not written yet, or that are incomplete. */
  readonly forms: Readonly<Record<string, RequirementForm>>
}

export const draftOf = (specs: Specs): Draft => ({ specs, forms: {} })

/** A typed string replaces the form of the same key. */
export const withText = ({ specs, forms }: Draft, key: string, text: string): Draft => ({
  specs: { ...specs, [key]: text },
  forms: without(forms, key),
})

export const withoutKey = ({ specs, forms }: Draft, key: string): Draft => ({
  specs: without(specs, key),
  forms: without(forms, key),
})

/** A plain value is its own string; any other form waits for the server. */
export const withForm = (draft: Draft, key: string, form: RequirementForm): Draft =>
  form.kind === 'literal'
    ? withText(draft, key, form.text)
    : { ...draft, forms: { ...draft.forms, [key]: form } }

/** The server wrote a form. Ignored if the key has changed since. */
export const withWritten = (draft: Draft, key: string, form: RequirementForm, text: string): Draft =>
  draft.forms[key] === form ? withText(draft, key, text) : draft

/** Renames a key; does nothing if the new one exists. */
export function withRenamed(draft: Draft, key: string, to: string): Draft {
  const text = ownValue(draft.specs, key)
  if (text === undefined || ownValue(draft.specs, to) !== undefined) return draft
  return withText(withoutKey(draft, key), to, text)
}

/** Why this cannot be saved as it is; null if it can. */
export function unfinished({ forms }: Draft): string | null {
  const [first] = Object.entries(forms)
  if (first === undefined) return null
  const [key, form] = first
  return form.kind === 'operator' && form.operands.length === 0
    ? `${key} has the operator ${form.operator} and no value yet.`
    : `What was chosen for ${key} is not written yet.`
}

function without<T>(all: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).filter(([one]) => one !== key))
}
