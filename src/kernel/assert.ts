/** Our own bugs crash loudly. Never use it for what a caller or the world can get wrong. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}
