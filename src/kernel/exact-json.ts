/**
 * JSON whose numbers come out as they went in. `JSON.parse` reads 9007199254740993 as ...992, 1e400 as infinity
 * and 1.0 as 1; here such numbers stay the text they were, and `JSON.stringify` writes that text again.
 */

interface Raw {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
const { rawJSON, isRawJSON } = JSON as unknown as Raw

/** Only a number with one of these could come out another way. */
const DELICATE_NUMBER = /\d{16}|\d\.|\d[eE]|-0/

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const keepText: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value

/** Throws a SyntaxError, as `JSON.parse` does. Nested as deep as the stack allows, so check the depth before. */
export function parseExactly(text: string): unknown {
  return DELICATE_NUMBER.test(text) ? JSON.parse(text, keepText as never) : JSON.parse(text)
}

/** A text that is the same for values that are the same, in whatever order their keys are. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`).join(',')}}`
}

/** Whether arrays and objects lie at most so deep within each other. */
export function isNestedAtMost(value: unknown, depthMax: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const containers = level.filter(one => typeof one === 'object' && one !== null) as object[]
    if (containers.length > 0 && depth === depthMax) return false
    level = containers.flatMap(one => Object.values(one))
  }
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CURLY_BIT = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/** Whether a JSON text opens more arrays and objects within each other; one pass over its bytes, whatever they are. */
export function isNestedDeeper(text: Uint8Array, depthMax: number): boolean {
  if (text.length <= depthMax) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if ((byte | CURLY_BIT) === OPEN) {
      if (++depth > depthMax) return true
    } else if ((byte | CURLY_BIT) === CLOSE) depth--
  }
  return false
}
