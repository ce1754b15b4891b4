/** The request was accepted, but may not do what its author expects. */
const WARNING_HEADER = 'berth-warning'
const LENGTH_MAX = 4_000

/** Warnings as one header in plain ASCII. */
export function warningHeader(texts: readonly string[]): Readonly<Record<string, string>> {
  return texts.length === 0 ? {} : { [WARNING_HEADER]: escapeHeader(texts.join(' ')) }
}

function escapeHeader(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, char => JSON.stringify(char).slice(1, -1))
  const ascii = plain.replaceAll(
    /[^\x20-\x7e]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return ascii.length <= LENGTH_MAX ? ascii : `${ascii.slice(0, LENGTH_MAX)}...`
}
