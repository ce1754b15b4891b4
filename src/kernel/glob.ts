/**
 * Matches texts with a pattern: `*` stands for any text, `?` for one character. Not a regular expression,
 * which takes exponential time for many stars: this takes at most pattern times text steps.
 */
export function globMatcher(
  glob: string,
  wild: Wildcards = { run: '*', one: '?' },
): (text: string) => boolean {
  const pattern = [...glob]
  return text => matches(pattern, SURROGATE.test(text) ? [...text] : text, wild)
}

interface Wildcards {
  /** Stands for any text. */
  readonly run: string
  /** Stands for one character. */
  readonly one: string
}

/** Half of a surrogate pair. */
const SURROGATE = /[\ud800-\udfff]/

function matches(pattern: readonly string[], text: ArrayLike<string>, { run, one }: Wildcards): boolean {
  let at = 0
  let inText = 0
  /** The last star, and the position in the text when it matched nothing. */
  let star = -1
  let starText = 0
  while (inText < text.length) {
    if (pattern[at] === run) {
      star = at++
      starText = inText
    } else if (at < pattern.length && (pattern[at] === one || pattern[at] === text[inText])) {
      at++
      inText++
    } else if (star >= 0) {
      // The last star matches one more character. Earlier stars need not change: the last one can match
      // whatever they could.
      at = star + 1
      inText = ++starText
    } else return false
  }
  while (pattern[at] === run) at++
  return at === pattern.length
}
