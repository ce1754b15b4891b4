import { Problem } from './problem.ts'

/** Refuses bodies that could not be stored: with infinite numbers, or characters that no database stores. */
export function requireKeepable(body: unknown): void {
  const waiting = [body]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'number' && !Number.isFinite(value))
      throw makeProblem('a number has no end: at most 1.7976931348623157e308 can be kept')
    if (typeof value === 'string') requireText(value)
    else if (Array.isArray(value)) for (const one of value) waiting.push(one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) waiting.push(key, one)
  }
}

/** How much of a text an error quotes. */
const SHOWN_MAX = 200

function requireText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0'))
    throw makeProblem(
      `${JSON.stringify(text.slice(0, SHOWN_MAX))} has a character that no text may have (U+0000 or half a surrogate pair)`,
    )
}

const makeProblem = (why: string): Problem => new Problem(400, 'request.invalid', `The body: ${why}.`)
