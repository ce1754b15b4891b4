import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** How much work a hash takes. What is stored names its own, so this may be raised at any time. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const KEY_BYTES = 32
/** Above what the cost needs: 128 * N * r, and a little for each of p. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024

/** Each takes a thread and 32 MiB for a good part of a second: two at a time leave threads for everything else. */
const AT_ONCE_MAX = 2
const WAITING_MAX = 100

/** So many sign-ins are under way that another one would only wait. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

export const PASSWORD_BYTES_MAX = 1024

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await inTurn(() => derived(password, salt, COST))
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** The same work is done where there is no hash to compare with, so that time does not tell who exists. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return false
  const { cost, salt, key } = partsOf(stored) ?? NOBODY
  const found = await inTurn(() => derived(password, salt, cost))
  return timingSafeEqual(found, key) && stored !== null
}

const NOBODY: Parts = { cost: COST, salt: Buffer.alloc(SALT_BYTES), key: randomBytes(KEY_BYTES) }

interface Parts {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number }
  readonly salt: Buffer
  readonly key: Buffer
}

function partsOf(stored: string | null): Parts | null {
  const [kind, N, r, p, salt = '', key = ''] = stored?.split('$') ?? []
  if (kind !== 'scrypt') return null
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  }
}

function derived(password: string, salt: Buffer, cost: Parts['cost']): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) throw new PasswordsBusy(`${waiting.length} sign-ins are waiting`)
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
