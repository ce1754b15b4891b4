import { isNestedAtMost } from '../kernel/exact-json.ts'
import { Problem } from './problem.ts'

/** Nobody nests JSON so deep by hand. */
const DEPTH_MAX = 100

/** Turns away bodies that are nested so deep that they cannot be looked through or written down again. */
export function requireShallow(body: unknown): void {
  if (!isNestedAtMost(body, DEPTH_MAX)) throw refused(`it is nested more than ${DEPTH_MAX} deep`)
}

/** Turns away bodies that could not be kept as they are: with numbers that have no end, or characters that no database keeps. */
export function requireKeepable(body: unknown): void {
  const waiting = [body]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'number' && !Number.isFinite(value))
      throw refused('a number has no end: at most 1.7976931348623157e308 can be kept')
    if (typeof value === 'string') requireText(value)
    else if (Array.isArray(value)) for (const one of value) waiting.push(one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) waiting.push(key, one)
  }
}

function requireText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0'))
    throw refused(
      `${JSON.stringify(text)} has a character that no text may have (U+0000 or half a surrogate pair)`,
    )
}

const refused = (why: string): Problem => new Problem(400, 'request.invalid', `The body: ${why}.`)
