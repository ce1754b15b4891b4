import { createContext, Script } from 'node:vm'
import { expressionOf, type Matcher } from '../catalog/check/pattern.ts'

/** Some patterns take years to find that a text does not match, and all the while nobody else is served. */
const MATCHING_MS_MAX = 250
const GIVEN_UP_MAX = 1_000

const trial = new Script('expression.test(text)')
const room = createContext({})
/** What took too long once is not tried again. */
const givenUp = new Set<string>()

/** Has patience to a point: a pattern that takes longer says nothing, now and later. */
export const patientMatcher: Matcher = (pattern, text) => {
  const expression = givenUp.has(pattern) ? null : expressionOf(pattern)
  if (expression === null) return null
  if (isQuick(pattern)) return expression.test(text)
  try {
    return trial.runInContext(Object.assign(room, { expression, text }), { timeout: MATCHING_MS_MAX })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    if (givenUp.size >= GIVEN_UP_MAX) givenUp.clear()
    givenUp.add(pattern)
    return null
  }
}

/** Only repetitions within repetitions, or many in a row, take long. */
function isQuick(pattern: string): boolean {
  return !/\)[*+{]/.test(pattern) && (pattern.match(/[*+}]/g) ?? []).length <= 2
}
