/**
 * The Accept header as WebOb reads it (RFC 7231, 5.3.2). A header that breaks the grammar is ignored, so the
 * expressions below follow the grammar exactly. Each is sticky and matches in linear time.
 */
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const QUOTED = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const PARAMETER = `${TOKEN}=(?:${TOKEN}|${QUOTED})`
const SEMICOLON = '[ \\t]*;[ \\t]*'

const MEDIA_RANGE = new RegExp(`(${TOKEN})/(${TOKEN})`, 'y')
const RANGE_PARAMETER = new RegExp(`${SEMICOLON}(?![qQ]=)${PARAMETER}`, 'y')
const WEIGHT = new RegExp(`${SEMICOLON}[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)`, 'y')
const EXTENSION = new RegExp(`${SEMICOLON}(?:${PARAMETER}|${TOKEN})`, 'y')
const COMMA = /[ \t]*,/y
const LEADING_COMMA = /,/y
const BLANKS = /[ \t]*/y

interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly hasParameters: boolean
  readonly quality: number
}

/** Scans one header; `take` advances only if its expression matches here. */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get done(): boolean {
    return this.#at === this.#text.length
  }

  take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#text)
    if (match !== null) this.#at = expression.lastIndex
    return match
  }

  /** Takes all or nothing. */
  attempt<T>(what: (scanner: Scanner) => T | null): T | null {
    const from = this.#at
    const result = what(this)
    if (result === null) this.#at = from
    return result
  }
}

/** Null if the header breaks the grammar. */
function parseAccept(header: string): MediaRange[] | null {
  const scanner = new Scanner(header)
  const ranges: MediaRange[] = []
  if (scanner.done) return ranges
  const first = scanner.attempt(takeRange)
  if (first !== null) ranges.push(first)
  // In the grammar a leading comma is an element: `,a/b` is wrong where `,,a/b` is right.
  else if (scanner.take(LEADING_COMMA) === null) return null
  while (!scanner.done) {
    if (scanner.take(COMMA) === null) return null
    // List elements may be empty; blanks then belong to the next comma.
    const next = scanner.attempt(takeBlanksAndRange)
    if (next !== null) ranges.push(next)
  }
  return ranges
}

function takeBlanksAndRange(scanner: Scanner): MediaRange | null {
  scanner.take(BLANKS)
  return takeRange(scanner)
}

function takeRange(scanner: Scanner): MediaRange | null {
  const range = scanner.take(MEDIA_RANGE)
  if (range === null) return null
  let hasParameters = false
  while (scanner.take(RANGE_PARAMETER) !== null) hasParameters = true
  const weight = scanner.take(WEIGHT)
  if (weight !== null) while (scanner.take(EXTENSION) !== null);
  return {
    type: (range[1] as string).toLowerCase(),
    subtype: (range[2] as string).toLowerCase(),
    hasParameters,
    quality: weight === null ? 1 : Number(weight[1]),
  }
}

/** How closely a range describes `type/subtype` (without parameters); 0 is not at all. */
function computeCloseness(range: MediaRange, type: string, subtype: string): 0 | 1 | 2 | 3 {
  if (range.type === type && range.subtype === subtype) return range.hasParameters ? 0 : 3
  if (range.subtype !== '*') return 0
  if (range.type === type) return 2
  return range.type === '*' ? 1 : 0
}

function findQuality(offer: string, ranges: readonly MediaRange[]): number {
  const slash = offer.indexOf('/')
  const type = offer.slice(0, slash)
  const subtype = offer.slice(slash + 1)
  let closest = 0
  let quality = 0
  for (const range of ranges) {
    const near = computeCloseness(range, type, subtype)
    if (near <= closest) continue
    closest = near
    quality = range.quality
  }
  return quality
}

/**
 * The best offer, the first of equals; null if none is acceptable. Offers are lower-case media types without
 * parameters.
 */
export function choosePreferred(header: string | undefined, offers: readonly string[]): string | null {
  const ranges = header === undefined ? null : parseAccept(header)
  if (ranges === null) return offers[0] ?? null
  let best: string | null = null
  let bestQuality = 0
  for (const offer of offers) {
    const quality = findQuality(offer, ranges)
    if (quality <= bestQuality) continue
    best = offer
    bestQuality = quality
  }
  return best
}

const JSON_ONLY = ['application/json']

export function acceptsJson(header: string | undefined): boolean {
  // Nearly every client sends one of these.
  if (header === undefined || header === '' || header === '*/*' || header === 'application/json') return true
  return choosePreferred(header, JSON_ONLY) !== null
}
