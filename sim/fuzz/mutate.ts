/** Makes a valid body invalid, in its values or in its bytes. */
import type { Chance } from './chance.ts'
import { nastyName, nastyNumber, nastyValue, RawText, textOf } from './nasty.ts'

/** A list of lists of lists grows quickly. */
const REPEATED_CHARS_MAX = 2_000_000

type Holder = Record<string, unknown> | unknown[]

/** A copy with some wrong values, names or lists. */
export function mutateValue(chance: Chance, value: unknown, charsMax: number): unknown {
  const copy = structuredClone(value)
  const holder = { whole: copy } as Record<string, unknown>
  for (let left = 1 + chance.below(3); left > 0; left--) mutateOnce(chance, holder, charsMax)
  return holder.whole
}

function mutateOnce(chance: Chance, root: Record<string, unknown>, charsMax: number): void {
  const places = placesIn(root)
  const [holder, key] = chance.pick(places)
  const own = (holder as Record<string | number, unknown>)[key]
  const set = (value: unknown) =>
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
  switch (chance.below(9)) {
    case 0:
      if (holder !== root) delete (holder as Record<string | number, unknown>)[key]
      break
    case 1:
      if (Array.isArray(holder)) holder.push(nastyValue(chance, charsMax))
      else if (holder !== root)
        Object.defineProperty(holder, nastyName(chance), {
          value: nastyValue(chance, 100),
          writable: true,
          enumerable: true,
          configurable: true,
        })
      break
    case 2:
      set(nastyNumber(chance))
      break
    case 3:
      set([own])
      break
    case 4:
      set({ [nastyName(chance)]: own })
      break
    case 5:
      set(Array(Math.min(chance.size(2_000), Math.ceil(REPEATED_CHARS_MAX / textOf(own).length))).fill(own))
      break
    case 6:
      set(typeof own === 'number' ? String(own) : typeof own === 'string' ? Number(own) || 0 : textOf(own))
      break
    default:
      set(nastyValue(chance, charsMax))
  }
}

function placesIn(root: Holder): [Holder, string | number][] {
  const places: [Holder, string | number][] = []
  const visit = (holder: Holder) => {
    for (const key of Object.keys(holder).slice(0, 50)) {
      places.push([holder, Array.isArray(holder) ? Number(key) : key])
      const inner = (holder as Record<string, unknown>)[key]
      if (
        typeof inner === 'object' &&
        inner !== null &&
        Object.getPrototypeOf(inner) !== null &&
        !(inner instanceof RawText) &&
        places.length < 500
      )
        visit(inner as Holder)
    }
  }
  visit(root)
  return places
}

/** The bytes of a body: JSON, or lines of it. */
export function bytesOf(value: unknown, isLines: boolean): Buffer {
  const values = isLines && Array.isArray(value) ? value : [value]
  return Buffer.from(`${values.map(textOf).join('\n')}${isLines ? '\n' : ''}`)
}

const INSERTED = ['\u0000', '\ufeff', '\\ud800', ',', '"', '}', '//', '\r\n', 'NaN', '\u2028', '\\u0000', '0']

/** No longer JSON, or not quite. */
export function mutateBytes(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length + 1)
  switch (chance.below(9)) {
    case 0:
      return bytes.subarray(0, at)
    case 1: {
      const copy = Buffer.from(bytes)
      if (copy.length > 0) copy[chance.below(copy.length)] = chance.below(256)
      return copy
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(chance.pick(INSERTED)), bytes.subarray(at)])
    case 3:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
        bytes.subarray(at),
      ])
    case 4:
      return Buffer.concat([bytes, Buffer.from(chance.pick(['x', ' {}', '\n\n', ']', '\u0000']))])
    case 5:
      return Buffer.from(bytes.toString('utf8'), 'utf16le')
    case 6:
      return Buffer.concat([Buffer.alloc(chance.size(60_000), ' '), bytes])
    case 7:
      return Buffer.from(
        bytes.toString('utf8').replace(/"([\w:]+)":/, (member, name) => `"${name}":null,${member}`),
      )
    default:
      return Buffer.from(
        chance.pick(['', '[]', '{}', 'null', '1', '"x"', 'true', '[[]]', '{"":{}}', '<xml/>', 'a=b&c=d']),
      )
  }
}
