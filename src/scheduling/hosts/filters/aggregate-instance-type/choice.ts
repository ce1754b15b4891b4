import type { Meaning } from '../../../framework/refusal.ts'
import { isSentinel } from '../../../operators/dialects.ts'

/** What a choice of words leaves open. Flavors and forced aggregates both speak in such choices. */
export interface WordChoice {
  readonly values: readonly string[]
  readonly anyValue: boolean
  readonly absence: boolean
  readonly meaning: Meaning
}

export function choiceOf(words: readonly string[]): WordChoice {
  const values = [...new Set(words.filter(word => !isSentinel(word)))]
  const anyValue = words.includes('*')
  const mayLack = words.includes('~')
  const mustLack = words.includes('!')
  // `!` excludes `*` and `~`, whatever else stands beside them. With plain values it reads: absent, or one of these.
  if (mustLack && (anyValue || mayLack))
    return { values: [], anyValue: false, absence: false, meaning: 'contradiction' }
  const absence = mayLack || mustLack
  return { values, anyValue, absence, meaning: meaningOf(values.length > 0, anyValue, absence) }
}

function meaningOf(hasValues: boolean, anyValue: boolean, absence: boolean): Meaning {
  if (anyValue) return absence ? 'anything' : 'any-value'
  if (hasValues) return absence ? 'value-or-absent' : 'value'
  return absence ? 'absent' : 'nothing'
}
