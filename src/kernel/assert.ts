/**
 * For our own bugs: crashes loudly. Never use it for mistakes of callers or for external failures. A message
 * that must be built is a function, called only if the assertion fails.
 */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${typeof message === 'string' ? message : message()}`)
}
