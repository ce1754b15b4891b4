/** Combining characters take no column; the characters below take two. */
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}]/u
const TWO_COLUMNS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const PLAIN = /^[\x20-\x7e]*$/

/** How many columns a text takes on a terminal. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const char of text) width += columnsOf(char)
  return width
}

const columnsOf = (char: string): number => (NO_COLUMN.test(char) ? 0 : TWO_COLUMNS.test(char) ? 2 : 1)

/** Cuts a text to this many columns; a cut text ends in an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const char of text) {
    left -= columnsOf(char)
    if (left < 0) break
    kept += char
  }
  return `${kept}…`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Names come from users and must not move the cursor or change colours. */
export const escapeControls = (text: string): string => text.replace(CONTROL, '?')
