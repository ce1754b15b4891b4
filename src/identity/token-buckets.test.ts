import { expect, test } from 'vitest'
import { type Authenticator, RateLimited } from './authenticator.ts'
import { Guesses } from './builtin/guesses.ts'
import { rateLimited } from './rate-limit.ts'
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

test('five failures at one account from one address, then one every ten seconds', () => {
  const guesses = new Guesses(clock)
  for (let at = 0; at < 5; at++) {
    expect(guesses.waitS('user u', '10.0.0.1')).toBe(0)
    guesses.attempt('user u', '10.0.0.1')(false)
  }
  expect(guesses.waitS('user u', '10.0.0.1')).toBe(10)
  expect(guesses.waitS('user u', '10.0.0.2')).toBe(0)
  expect(guesses.waitS('user v', '10.0.0.1')).toBe(0)
  nowMs += 10_000
  expect(guesses.waitS('user u', '10.0.0.1')).toBe(0)
})

test('many addresses together get fifty failures at one account, one address fifty at many', () => {
  const guesses = new Guesses(clock)
  for (let at = 0; at < 50; at++) guesses.attempt('user u', `10.0.1.${at}`)(false)
  expect(guesses.waitS('user u', '10.9.9.9')).toBeGreaterThan(0)
  for (let at = 0; at < 50; at++) guesses.attempt(`user ${at}`, '10.0.0.3')(false)
  expect(guesses.waitS('user x', '10.0.0.3')).toBe(1)
})

test('whoever is right is not counted, and attempts under way are', () => {
  const guesses = new Guesses(clock)
  for (let at = 0; at < 20; at++) guesses.attempt('user w', '10.0.0.4')(true)
  expect(guesses.waitS('user w', '10.0.0.4')).toBe(0)
  const settled = Array.from({ length: 5 }, () => guesses.attempt('user w', '10.0.0.4'))
  expect(guesses.waitS('user w', '10.0.0.4')).toBeGreaterThan(0)
  for (const settle of settled) settle(true)
  expect(guesses.waitS('user w', '10.0.0.4')).toBe(0)
})

test('a token sends so many a second and twice as many at once; services and admins are not held up', async () => {
  const roles: Record<string, string[]> = { m: ['member'], s: ['service'], a: ['admin', 'member'] }
  const inner: Authenticator = {
    authenticate: headers => {
      const token = String(headers['x-auth-token'])
      return token === 'none'
        ? null
        : { userId: 'u', projectId: 'p', roles: roles[token.charAt(0)] ?? [], systemScope: false }
    },
  }
  const limited = rateLimited(inner, 5, clock)
  const send = async (token: string) => limited.authenticate({ 'x-auth-token': token })
  const verdicts = await Promise.all(Array.from({ length: 12 }, () => send('m1')))
  expect(verdicts.filter(one => one instanceof RateLimited)).toHaveLength(2)
  expect((verdicts.at(-1) as RateLimited).waitS).toBe(1)
  expect(await send('m2')).not.toBeInstanceOf(RateLimited)
  for (const token of ['s', 'a'])
    for (let at = 0; at < 30; at++) expect(await send(token)).not.toBeInstanceOf(RateLimited)
  expect(await send('none')).toBeNull()
})
