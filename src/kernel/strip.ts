/**
 * Strips characters from the ends of a text. By hand: an expression such as `/x+$/` takes quadratic time on
 * long runs inside the text.
 */
export function stripEnd(text: string, characters: string): string {
  let to = text.length
  while (to > 0 && characters.includes(text[to - 1] as string)) to--
  return text.slice(0, to)
}

export function stripEnds(text: string, characters: string): string {
  let from = 0
  while (from < text.length && characters.includes(text[from] as string)) from++
  return stripEnd(text.slice(from), characters)
}
