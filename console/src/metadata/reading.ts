import type { ParsedRequirement, RequirementForm } from '../../../src/wire/operators.ts'

interface Reading {
  readonly form: RequirementForm
  /** The string changed since, and the server has not read it again: the form is of the earlier string. */
  readonly isBehind: boolean
}

/**
 * What the form shows of a string. While an operator is typed, the answer for the earlier string is good enough;
 * a plain value is always the current string, or typed letters would vanish.
 */
export function readingOf(text: string, parsed: ParsedRequirement | undefined, isOfBefore: boolean): Reading {
  const literal: Reading = { form: { kind: 'literal', text }, isBehind: false }
  if (parsed === undefined || parsed.repaired) return literal
  const { form } = parsed
  if (!isOfBefore) return { form, isBehind: false }
  return form.kind === 'operator' && text.startsWith(`${form.operator} `) ? { form, isBehind: true } : literal
}

/** Parts of the string that the form cannot show and would drop; null if none. */
export function lostByForm(
  text: string,
  { form, ignored, repaired, text: written }: ParsedRequirement,
): string | null {
  if (form.kind === 'literal' || repaired) return null
  if (ignored.length > 0)
    return `“${ignored.join(' ')}” after the operand is ignored. It is kept until the form is changed.`
  const words = (one: string) => one.trim().split(/\s+/).join(' ')
  return words(text) === words(written)
    ? null
    : `It is read as “${written}”, and becomes that when the form is changed.`
}
