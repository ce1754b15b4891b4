/**
 * JSON that keeps numbers unchanged. `JSON.parse` reads 9007199254740993 as ...992, 1e400 as infinity and 1.0
 * as 1; here such numbers stay text, and `JSON.stringify` writes that text again.
 */

interface Raw {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
const { rawJSON, isRawJSON } = JSON as typeof JSON & Raw

/** Only a number with one of these characters could change. */
const DELICATE_NUMBER = /\d{16}|\d\.|\d[eE]|-0/

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const keepText: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value

/** Throws a SyntaxError like `JSON.parse`. Recursive, so check the depth before. */
export function parseExactly(text: string): unknown {
  return DELICATE_NUMBER.test(text) ? JSON.parse(text, keepText as never) : JSON.parse(text)
}

/** The same text for equal values, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`).join(',')}}`
}

/** Whether arrays and objects are nested at most this deep. */
export function isNestedAtMost(value: unknown, depthMax: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const containers = level.filter(one => typeof one === 'object' && one !== null) as object[]
    if (containers.length > 0 && depth === depthMax) return false
    level = containers.flatMap(one => Object.values(one))
  }
  return true
}

/** Limits of a JSON text: how deep arrays and objects may be nested, and how many members an object may have. */
export interface JsonBounds {
  readonly depthMax: number
  readonly membersMax: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** `[` and `{`, and `]` and `}`, differ only in this bit. */
const CURLY_BIT = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d
/** Arrays may have any number of items, so this is never counted to a limit. */
const UNCOUNTED = -(2 ** 31)

/**
 * Which limit a JSON text exceeds, in one pass over its bytes, valid JSON or not. Parsing first would take
 * seconds for megabytes of brackets, and tens of times longer for an object of a hundred thousand keys than
 * for a list of them.
 */
export function brokenBound(text: Uint8Array, { depthMax, membersMax }: JsonBounds): keyof JsonBounds | null {
  if (text.length <= Math.min(depthMax, membersMax)) return null
  // A plain list: a typed array of this size is allocated outside the heap, which costs more than scanning a
  // short text.
  const members = [0]
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (byte === QUOTE) at = endOfString(text, at)
    else if (byte === COMMA) {
      if (++members[depth]! > membersMax) return 'membersMax'
    } else if ((byte | CURLY_BIT) === OPEN) {
      if (++depth > depthMax) return 'depthMax'
      // The first member has no comma before it.
      members[depth] = byte === OPEN ? 1 : UNCOUNTED
    } else if ((byte | CURLY_BIT) === CLOSE && depth > 0) depth--
  }
  return null
}

/** The position of the quote that ends a string, or past the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1
  return at
}
