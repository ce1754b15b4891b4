import { expect, test } from 'vitest'
import { type Authenticator, RateLimited } from '../http/authenticator.ts'
import { limitRate } from './rate-limit.ts'
import { TokenBuckets } from './token-buckets.ts'

let nowMs = 0
const clock = { nowMs: () => nowMs }

test('so many at once, then as they drip in', () => {
  const buckets = new TokenBuckets({ burst: 2, perSecond: 0.5 }, clock)
  expect([buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([true, true, false])
  expect(buckets.waitS('a')).toBe(2)
  expect(buckets.take('b')).toBe(true)
  nowMs += 1_000
  expect(buckets.take('a')).toBe(false)
  nowMs += 1_000
  expect([buckets.take('a'), buckets.take('a')]).toEqual([true, false])
  nowMs += 3_600_000
  expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([true, true, false])
})

test('a clock that goes back gives nothing and takes nothing', () => {
  const buckets = new TokenBuckets({ burst: 1, perSecond: 1 }, clock)
  buckets.take('a')
  nowMs -= 10_000
  expect(buckets.take('a')).toBe(false)
})

test('of more names than are remembered the oldest are as good as new', () => {
  const buckets = new TokenBuckets({ burst: 1, perSecond: 0.001 }, clock, 2)
  for (const name of ['a', 'b', 'c']) buckets.take(name)
  expect([buckets.take('c'), buckets.take('b'), buckets.take('a')]).toEqual([false, false, true])
})

test('a user sends so many a second and twice as many at once; services and admins are not held up', async () => {
  const roles: Record<string, string[]> = { m: ['member'], s: ['service'], a: ['admin', 'member'] }
  const inner: Authenticator = {
    authenticate: headers => {
      const token = String(headers['x-auth-token'])
      return token === 'none'
        ? null
        : { userId: token.slice(1), projectId: 'p', roles: roles[token.charAt(0)] ?? [], systemScope: false }
    },
  }
  const limited = limitRate(inner, 5, clock)
  const send = async (token: string) => limited.authenticate({ 'x-auth-token': token })
  const verdicts = await Promise.all(Array.from({ length: 12 }, () => send('mary')))
  expect(verdicts.filter(one => one instanceof RateLimited)).toHaveLength(2)
  expect((verdicts.at(-1) as RateLimited).waitS).toBe(1)
  expect(await send('mia')).not.toBeInstanceOf(RateLimited)
  expect(await limited.again?.({ 'x-auth-token': 'mary' })).toMatchObject({ userId: 'ary' })
  for (const token of ['sam', 'ann'])
    for (let at = 0; at < 30; at++) expect(await send(token)).not.toBeInstanceOf(RateLimited)
  expect(await send('none')).toBeNull()
})
