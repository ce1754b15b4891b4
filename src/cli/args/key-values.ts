import { makeUsageError } from '../connection/client-failures.ts'

/** `KEY=VALUE`; the value may contain further equals signs. */
export function parseKeyValues(words: readonly string[]): Record<string, string> {
  const pairs: Map<string, string> = new Map()
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals < 1) throw makeUsageError(`'${word}' has no value: write KEY=VALUE`)
    const key = word.slice(0, equals)
    if (pairs.has(key)) throw makeUsageError(`${key} is given twice`)
    pairs.set(key, word.slice(equals + 1))
  }
  return Object.fromEntries(pairs)
}

/** The same. A value that is valid JSON is parsed; any other is text. */
export function parseKeyJson(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parseKeyValues(words)).map(([key, text]) => [key, jsonOrText(text)]),
  )
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
