import { expect, test } from 'vitest'
import { hashPassword, PASSWORD_BYTES_MAX, PasswordsBusy, verifyPassword } from './passwords.ts'

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

test('what is too long is not even tried', async () => {
  expect(await verifyPassword('x'.repeat(PASSWORD_BYTES_MAX + 1), null)).toBe(false)
})

test('more than can wait are turned away, and the others are served', async () => {
  const weak = 'scrypt$2$1$1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const all = await Promise.allSettled(Array.from({ length: 110 }, () => verifyPassword('x', weak)))
  const turnedAway = all.filter(one => one.status === 'rejected')
  expect(turnedAway).toHaveLength(8)
  for (const one of turnedAway) expect(one.reason).toBeInstanceOf(PasswordsBusy)
})
