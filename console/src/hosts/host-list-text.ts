import { orderKey } from '../formats.ts'

/**
 * Many host names as a short text for an address. Sorted names share their beginnings and ends: each is
 * `kept.end.new`, how many letters of the last name stay at its beginning and at its end, and what is new between; the
 * two numbers are left out where they are those of the name before.
 */
export function packHosts(names: Iterable<string>): string {
  let last = ''
  let numbers = '0.0'
  return sortNames(names)
    .map(name => {
      let start = commonStart(last, name)
      let end = commonStart(reverse(last.slice(start)), reverse(name.slice(start)))
      // Half a letter cannot stand in an address.
      if (!name.slice(start, name.length - end).isWellFormed()) [start, end] = [0, 0]
      const now = `${start}.${end}`
      const text = escapePart(name.slice(start, name.length - end))
      const packed = now === numbers ? text : `${now}.${text}`
      last = name
      numbers = now
      return packed
    })
    .join('*')
}

/** What is not such a text gives what can be read of it; the page says which hosts do not exist. */
export function unpackHosts(text: string | null): string[] {
  if (text === null || text === '') return []
  const names: string[] = []
  let [start, end] = [0, 0]
  for (const part of text.split('*')) {
    const pieces = part.split('.')
    if (pieces.length === 3) [start, end] = [Number(pieces[0]), Number(pieces[1])]
    const last = names.at(-1) ?? ''
    const middle = unescapePart(pieces.at(-1) as string)
    const name = last.slice(0, start) + middle + (end === 0 ? '' : last.slice(-end))
    // The next one could be twice as long.
    if (name.length > NAME_CHARS_MAX || names.length === NAMES_MAX) break
    names.push(name)
  }
  return [...new Set(names)].filter(name => name !== '')
}

/** An address of another person may have any length. */
const NAMES_MAX = 10_000
const NAME_CHARS_MAX = 1_000

const sortNames = (names: Iterable<string>): string[] =>
  [...new Set(names)]
    .map(name => [orderKey(name), name] as const)
    .sort(([one, name], [other, otherName]) =>
      one === other ? (name < otherName ? -1 : 1) : one < other ? -1 : 1,
    )
    .map(([, name]) => name)

function commonStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

const reverse = (text: string): string => text.split('').reverse().join('')

/** What stands between parts is written as ~ and its code, and so is ~. */
const escapePart = (text: string): string =>
  text.replaceAll(/[~.*]/g, sign => `~${sign.charCodeAt(0).toString(16)}`)
const unescapePart = (text: string): string =>
  text.replaceAll(/~([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
