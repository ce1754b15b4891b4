import { expect, test } from 'vitest'
import { TurnsBusy } from '../fair-turns.ts'
import {
  hashPassword as hashPasswordOf,
  hashRandomSecret,
  isPasswordTooLong,
  PASSWORD_BYTES_MAX,
  verifyPassword as verifyPasswordOf,
} from './passwords.ts'

const lane = { name: 'test', isKnown: true }
const hashPassword = (password: string) => hashPasswordOf(password, lane)
const verifyPassword = (password: string, stored: string | null) => verifyPasswordOf(password, stored, lane)

test('a password is known again by its hash, and no other is', async () => {
  const hash = await hashPassword('sesame')
  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  expect(await verifyPassword('sesame', hash)).toBe(true)
  expect(await verifyPassword('Sesame', hash)).toBe(false)
  expect(await verifyPassword('', hash)).toBe(false)
})

test('the same password has another hash each time', async () => {
  expect(await hashPassword('sesame')).not.toBe(await hashPassword('sesame'))
})

test('letters that look alike are alike, however they were typed', async () => {
  expect(await verifyPassword('u\u0308', await hashPassword('\u00fc'))).toBe(true)
})

test('where there is no hash nothing fits, nor where it is another kind', async () => {
  expect(await verifyPassword('sesame', null)).toBe(false)
  expect(await verifyPassword('sesame', 'md5$x')).toBe(false)
})

test('what is too long is not even tried, and cannot be stored', async () => {
  const long = 'x'.repeat(PASSWORD_BYTES_MAX + 1)
  expect(await verifyPassword(long, null)).toBe(false)
  expect(isPasswordTooLong(long)).toBe(true)
  await expect(hashPassword(long)).rejects.toThrow(RangeError)
  expect(isPasswordTooLong('\u00fc'.repeat(PASSWORD_BYTES_MAX / 2 + 1))).toBe(true)
})

test('every password that can be stored can be used, however its letters are written', async () => {
  for (const letter of ['x', '\u00fc', '\u20ac', '\u{1f511}', '\u1e69']) {
    const longest = letter.repeat(Math.floor(PASSWORD_BYTES_MAX / Buffer.byteLength(letter)))
    expect(isPasswordTooLong(longest)).toBe(false)
    expect(isPasswordTooLong(longest.normalize('NFD'))).toBe(false)
    expect(isPasswordTooLong(longest + letter)).toBe(true)
  }
  const longest = '\u1e69'.repeat(Math.floor(PASSWORD_BYTES_MAX / 3))
  expect(await verifyPassword(longest.normalize('NFD'), await hashPassword(longest))).toBe(true)
})

test('a secret that the server made is known by a quick hash; a wrong one is as slow as any', async () => {
  const stored = hashRandomSecret('random')
  expect(stored).toMatch(/^sha256\$[0-9a-f]{64}$/)
  const busy = Array.from({ length: 2 }, () => hashPassword('x'))
  let isDone = false
  void Promise.all(busy).then(() => {
    isDone = true
  })
  expect(await verifyPassword('random', stored)).toBe(true)
  expect(isDone).toBe(false)
  expect(await verifyPassword('guess', stored)).toBe(false)
  // It had to wait for its turn, behind those.
  expect(await verifyPassword(stored, stored)).toBe(false)
  await Promise.all(busy)
})

test('more of one lane than can wait are turned away, and the others are served', async () => {
  const weak = 'scrypt$2$1$1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const all = await Promise.allSettled(Array.from({ length: 30 }, () => verifyPassword('x', weak)))
  const turnedAway = all.filter(one => one.status === 'rejected')
  expect(turnedAway).toHaveLength(8)
  for (const one of turnedAway) expect(one.reason).toBeInstanceOf(TurnsBusy)
})
