import { expect, test } from 'vitest'
import { NoLongerAllowed, stopWhenForbidden } from './streaming.ts'

async function* pieces() {
  for (let piece = 1; ; piece++) yield piece
}

test('an answer ends, and not as if it were whole, once its caller may no longer have it', async () => {
  const got: number[] = []
  let isAllowed = true
  const read = async () => {
    for await (const piece of stopWhenForbidden(pieces(), async () => (isAllowed ? {} : null))) {
      got.push(piece)
      isAllowed = piece < 3
    }
  }
  await expect(read()).rejects.toThrow(NoLongerAllowed)
  expect(got).toEqual([1, 2, 3])
})
