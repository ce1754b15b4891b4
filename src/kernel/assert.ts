/**
 * Our own bugs crash loudly. Never use it for what a caller or the world can get wrong. A message that has to be put together is a
 * function: it is only called when the assertion fails, which is never.
 */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${typeof message === 'string' ? message : message()}`)
}
