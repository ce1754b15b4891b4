import { ownValue } from '../../../kernel/records.ts'
import { stripped } from '../../operators/python-text.ts'

/** A version that a host reports as one number, three digits for each part: 7002001 is 7.2.1. */
export function dottedVersion(version: number): string {
  const parts: number[] = []
  for (let rest = version; rest > 0; rest = Math.floor(rest / 1000)) parts.unshift(rest % 1000)
  return parts.join('.')
}

const BOUND = /^(<=|>=|<|>|!=|==)\s*v?(\d+(?:\.\d+)*)$/

const tests: Readonly<Record<string, (order: number) => boolean>> = {
  '<': order => order < 0,
  '<=': order => order <= 0,
  '>': order => order > 0,
  '>=': order => order >= 0,
  '==': order => order === 0,
  '!=': order => order !== 0,
}

/** Whether a version keeps every bound of a list such as `>=6.0, <8`. No version keeps a bound that cannot be read. */
export const isVersionWithin = (version: string, bounds: string): boolean =>
  bounds.split(',').every(text => {
    const [, operator, bound] = BOUND.exec(stripped(text)) ?? []
    if (operator === undefined || bound === undefined) return false
    return ownValue(tests, operator)?.(orderOf(version, bound)) ?? false
  })

/** Part by part; what one of them lacks is zero. */
function orderOf(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = (left[at] ?? 0) - (right[at] ?? 0)
    if (order !== 0) return order
  }
  return 0
}
