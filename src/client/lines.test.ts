import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf, ndjsonOf } from './lines.ts'

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('lines are the same however the bytes are cut, also within a character', async () => {
  const line = fc.string({ unit: 'grapheme' }).filter(text => !/[\n\r\ufeff]/.test(text))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const bytes = new TextEncoder().encode(lines.map(text => `${text}\n`).join(''))
      expect(await all(linesOf(chunked(bytes, size)))).toEqual(lines)
    }),
    { numRuns: 50 },
  )
})

test('a last line without an end counts, and a carriage return does not', async () => {
  expect(await all(linesOf(chunked(Buffer.from('a\r\nb'), 2)))).toEqual(['a', 'b'])
})

test('a line that is not JSON is named by its number', async () => {
  await expect(all(ndjsonOf(chunked(Buffer.from('{}\n\n{'), 4)))).rejects.toThrow(
    'line 3 of the answer is not JSON',
  )
})
