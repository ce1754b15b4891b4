import { beforeEach, expect, test } from 'vitest'
import { type SignInOutcome, SignInThrottle, type Source } from './sign-in-throttle.ts'

let nowMs: number
let guesses: SignInThrottle
beforeEach(() => {
  nowMs = 1_000_000
  guesses = new SignInThrottle({ nowMs: () => nowMs })
})

const at = (address: string, claimed: string | null = null): Source => ({ address, claimed })
const PROXY = '10.0.0.254'

const attempt = (account: string, source: Source, outcome: SignInOutcome) =>
  guesses.attempt(account, source)(outcome)
/** As many wrong ones as are let through, and how many that were. */
function guess(account: string, source: Source, times: number): number {
  let looked = 0
  for (let time = 0; time < times; time++) {
    if (guesses.waitS(account, source) > 0) continue
    attempt(account, source, 'wrong')
    looked++
  }
  return looked
}

test('five failures at one account from one address, then one every ten seconds', () => {
  expect(guess('user u', at('10.0.0.1'), 20)).toBe(5)
  expect(guesses.waitS('user u', at('10.0.0.1'))).toBe(10)
  expect(guesses.waitS('user u', at('10.0.0.2'))).toBe(0)
  expect(guesses.waitS('user v', at('10.0.0.1'))).toBe(0)
  nowMs += 10_000
  expect(guess('user u', at('10.0.0.1'), 20)).toBe(1)
})

test('many addresses together get fifty failures at one account, one address two hundred at many', () => {
  for (let one = 0; one < 50; one++) guess('user u', at(`10.0.1.${one}`), 1)
  expect(guesses.waitS('user u', at('10.9.9.9'))).toBeGreaterThan(0)
  for (let one = 0; one < 300; one++) guess(`user ${one}`, at('10.0.0.3'), 1)
  expect(guesses.waitS('user x', at('10.0.0.3'))).toBe(1)
})

test('successful attempts are not counted, running ones are, unchecked ones are not', () => {
  for (let one = 0; one < 20; one++) attempt('user w', at('10.0.0.4'), 'unknown')
  expect(guesses.waitS('user w', at('10.0.0.4'))).toBe(0)
  const settled = Array.from({ length: 5 }, () => guesses.attempt('user w', at('10.0.0.4')))
  expect(guesses.waitS('user w', at('10.0.0.4'))).toBeGreaterThan(0)
  for (const settle of settled) settle('right')
  expect(guesses.waitS('user w', at('10.0.0.4'))).toBe(0)
})

test('behind an untrusted proxy, failures of a stranger lock no other user out', () => {
  const people = Array.from({ length: 12 }, (_, one) => ({
    account: `user ${one}`,
    source: at(PROXY, `10.1.0.${one}`),
  }))
  for (let one = 0; one < 1_000; one++) guess(`user stranger-${one}`, at(PROXY, '10.6.6.6'), 1)
  for (let one = 0; one < 12; one++) guess(`user ${one}`, at(PROXY, '10.6.6.6'), 60)
  for (const { account, source } of people) expect(guesses.waitS(account, source), account).toBe(0)
})

test('an account that signed in from its source before is kept out by no failure from elsewhere', () => {
  const home = at('10.1.0.1')
  attempt('user u', home, 'right')
  for (let one = 0; one < 200; one++) guess('user u', at(`10.2.0.${one}`), 5)
  for (let one = 0; one < 400; one++) guess(`user other-${one}`, home, 1)
  expect(guesses.waitS('user v', home)).toBeGreaterThan(0)
  expect(guesses.waitS('user u', at('10.3.0.1'))).toBeGreaterThan(0)
  expect(guesses.waitS('user u', home)).toBe(0)
})

test('an account that signs in from many sources makes no other one unknown', () => {
  attempt('user u', at(PROXY, '10.1.1.1'), 'right')
  for (let one = 0; one < 60_000; one++) attempt('credential c', at(PROXY, `source ${one}`), 'right')
  expect(guesses.laneOf('user u', at(PROXY, '10.1.1.1')).isKnown).toBe(true)
  expect(guesses.laneOf('credential c', at(PROXY, 'source 59999')).isKnown).toBe(true)
  expect(guesses.laneOf('credential c', at(PROXY, 'source 0')).isKnown).toBe(false)
})

test('not even one who shares the address guesses without a bound at an account that signed in there', () => {
  attempt('user u', at(PROXY), 'right')
  expect(guess('user u', at(PROXY), 1_000)).toBe(100)
  nowMs += 10_000
  expect(guess('user u', at(PROXY), 1_000)).toBe(10)
})

test('a client that forges proxy headers gets no more guesses than its address', () => {
  let looked = 0
  for (let one = 0; one < 1_000; one++)
    looked += guess(`user ${one}`, at('10.6.6.6', `10.7.${one >> 8}.${one & 255}`), 1)
  expect(looked).toBe(400)
  for (let one = 0; one < 1_000; one++) looked += guess('user u', at('10.6.6.7', `made-up-${one}`), 1)
  expect(looked).toBe(450)
})

test('known accounts wait in their own lane, strangers in that of their address', () => {
  attempt('user u', at(PROXY, '10.1.0.1'), 'right')
  expect(guesses.laneOf('user u', at(PROXY, '10.1.0.1'))).toEqual({ name: 'user u', isKnown: true })
  expect(guesses.laneOf('user u', at(PROXY, '10.1.0.2'))).toEqual({
    name: `address ${PROXY}`,
    isKnown: false,
  })
  expect(guesses.laneOf('user x', at('2001:db8::1', 'x')).name).toBe(
    guesses.laneOf('user y', at('2001:db8::2')).name,
  )
})

test('addresses of one /64 of IPv6 count as one, however they are written; those of IPv4 inside it as themselves', () => {
  for (let one = 0; one < 5; one++) attempt('user y', at(`2001:db8::${one}:1`), 'wrong')
  expect(guesses.waitS('user y', at('2001:0DB8:0:0:ffff::1'))).toBe(10)
  expect(guesses.waitS('user y', at('2001:db8:0:0:1:2:3:4'))).toBe(10)
  expect(guesses.waitS('user y', at('2001:db8:0:1::1'))).toBe(0)
  expect(guesses.waitS('user y', at('2001::db8:0:0:1:2:3:4'))).toBe(0)
  for (let one = 0; one < 5; one++) attempt('user z', at('::ffff:10.0.0.5'), 'wrong')
  expect(guesses.waitS('user z', at('10.0.0.5'))).toBe(10)
  expect(guesses.waitS('user z', at('::ffff:10.0.0.6'))).toBe(0)
})
