/**
 * Counts what this process executes: every block of JavaScript, as V8 counts it for coverage, and what the built-in
 * functions that hide a loop go through. A count is the same on every machine, and no code has to report to it. Must be
 * imported before what is to be counted is compiled.
 */
import { Session } from 'node:inspector'

const session = new Session()
session.connect()

function post<T>(method: string, parameters: object = {}): T {
  let answer: unknown
  session.post(method, parameters, (error, result) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`)
    answer = result
  })
  return answer as T
}

post('Profiler.enable')
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** Those that look at all of what they are called on; a sort, some times over. */
const HIDDEN_LOOPS: readonly (readonly [object, readonly string[]])[] = [
  [
    Array.prototype,
    ['includes', 'indexOf', 'lastIndexOf', 'join', 'slice', 'splice', 'shift', 'unshift', 'concat'],
  ],
  [Array.prototype, ['flat', 'reverse', 'fill', 'sort', 'toSorted']],
  [
    String.prototype,
    ['includes', 'indexOf', 'split', 'replace', 'replaceAll', 'toLowerCase', 'trim', 'match'],
  ],
]

/** A built-in function goes through more in the time of one block of ours. */
const ELEMENTS_PER_UNIT = 16

let elements = 0

for (const [prototype, names] of HIDDEN_LOOPS)
  for (const name of names) {
    const original = Reflect.get(prototype, name) as (...given: unknown[]) => unknown
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value: function (this: { readonly length: number }, ...given: unknown[]) {
        const result = Reflect.apply(original, this, given)
        elements += name === 'indexOf' ? lookedAt(this.length, result as number, given[1]) : this.length
        return result
      },
    })
  }

/** A search ends where it finds something, and need not begin at the beginning. */
function lookedAt(length: number, found: number, from: unknown): number {
  const start = typeof from === 'number' && from > 0 ? from : 0
  return Math.max(0, (found < 0 ? length : found) - start)
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

/** What was executed since the last call. */
function takeCount(): number {
  const { result } = post<Coverage>('Profiler.takePreciseCoverage')
  let count = elements / ELEMENTS_PER_UNIT
  for (const { url, functions } of result) {
    if (url === import.meta.url) continue
    for (const { ranges } of functions) for (const range of ranges) count += range.count
  }
  elements = 0
  return Math.round(count)
}

/** All that was executed while a promise was waited for. */
export async function wholeCount(work: () => Promise<unknown>): Promise<number> {
  takeCount()
  await work()
  return takeCount()
}

/** The most work without yielding while a promise was awaited. */
export async function largestSlice(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let most = 0
  takeCount()
  const look = (): void => {
    most = Math.max(most, takeCount())
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  return Math.max(most, takeCount())
}
