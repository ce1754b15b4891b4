/** A standard name: in capitals, without the prefix CUSTOM_. */
export const isStandardName = (name: string): boolean =>
  name.length <= 255 && /^[A-Z0-9_]+$/.test(name) && !name.startsWith('CUSTOM_')

/** Names per request. */
export const STANDARD_NAMES_MAX = 10_000

/**
 * Names of standard traits in a file: a JSON array as os-traits prints it, or one name per line with `#` for
 * comments.
 */
export function parseTraitNames(text: string): readonly string[] | { readonly fault: string } {
  const names = text.trimStart().startsWith('[') ? parseArray(text) : parseLines(text)
  if (names === null) return { fault: 'it is not a JSON array of strings' }
  if (names.length > STANDARD_NAMES_MAX)
    return { fault: `it has ${names.length} names; at most ${STANDARD_NAMES_MAX} are allowed at once` }
  const wrong = names.find(name => !isStandardName(name))
  return wrong === undefined
    ? names
    : {
        fault: `${JSON.stringify(wrong.slice(0, 300))} is not a standard name: at most 255 of A-Z, 0-9 and _, not starting with CUSTOM_`,
      }
}

function parseArray(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(one => typeof one === 'string') ? value : null
  } catch {
    return null
  }
}

const parseLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => (line.split('#')[0] as string).trim())
    .filter(line => line !== '')
