/** Typed arrays that grow with the number of slots. */

export function growFloat64(old: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length)
  grown.set(old)
  return grown
}

export function growInt32(old: Int32Array, length: number, fill = 0): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length).fill(fill, old.length)
  grown.set(old)
  return grown
}

export function growLength(length: number, needed: number): number {
  let grown = Math.max(length, 64)
  while (grown < needed) grown *= 2
  return grown
}
