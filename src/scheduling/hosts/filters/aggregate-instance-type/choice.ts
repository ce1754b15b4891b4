import { isSentinel } from '../../../operators/dialects.ts'
import type { Meaning } from './reasons.ts'

/** What a choice of words allows. Flavors and forced aggregates both use such choices. */
export interface WordChoice {
  readonly values: readonly string[]
  readonly anyValue: boolean
  readonly absence: boolean
  readonly meaning: Meaning
}

export function makeChoice(words: readonly string[]): WordChoice {
  const values = [...new Set(words.filter(word => !isSentinel(word)))]
  const anyValue = words.includes('*')
  const mayLack = words.includes('~')
  const mustLack = words.includes('!')
  // `!` excludes `*` and `~`, whatever else is there. With plain values it means: absent, or one of these.
  if (mustLack && (anyValue || mayLack))
    return { values: [], anyValue: false, absence: false, meaning: 'contradiction' }
  const absence = mayLack || mustLack
  return { values, anyValue, absence, meaning: chooseMeaning(values.length > 0, anyValue, absence) }
}

function chooseMeaning(hasValues: boolean, anyValue: boolean, absence: boolean): Meaning {
  if (anyValue) return absence ? 'anything' : 'any-value'
  if (hasValues) return absence ? 'value-or-absent' : 'value'
  return absence ? 'absent' : 'nothing'
}
