import { ownValue } from '../../../kernel/records.ts'
import { strip } from '../../operators/python-text.ts'

/** A version that a host reports as one number, three digits per part: 7002001 is 7.2.1. */
export function renderVersion(version: number): string {
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

/** Whether a version is within every bound of a list such as `>=6.0, <8`. No version is within an unreadable bound. */
export const isVersionWithin = (version: string, bounds: string): boolean =>
  bounds.split(',').every(text => {
    const [, operator, bound] = BOUND.exec(strip(text)) ?? []
    if (operator === undefined || bound === undefined) return false
    return ownValue(tests, operator)?.(compareVersions(version, bound)) ?? false
  })

/** Part by part; missing parts are zero. */
function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = (left[at] ?? 0) - (right[at] ?? 0)
    if (order !== 0) return order
  }
  return 0
}
