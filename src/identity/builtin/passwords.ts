import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { FairTurns, type Lane } from '../fair-turns.ts'

/** The cost of a new hash. A stored hash names its own, so this can be raised at any time. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const KEY_BYTES = 32
/** Above what the cost needs: 128 * N * r, and some for each of p. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024

/** Each takes a thread and 32 MiB for much of a second: two at a time leave threads for other work. */
const turns = new FairTurns({ atOnceMax: 2, waitingMax: 100, perLaneMax: 20 })

export const PASSWORD_BYTES_MAX = 1024

/** The text to hash, with accents normalized; null if too long for a password. */
function normalizePassword(password: string): string | null {
  // Checked before normalizing, which takes time: no form of a valid password has more characters.
  if (password.length > 4 * PASSWORD_BYTES_MAX) return null
  const text = password.normalize('NFC')
  return Buffer.byteLength(text) > PASSWORD_BYTES_MAX ? null : text
}

export const isPasswordTooLong = (password: string): boolean => normalizePassword(password) === null

/** The password must not be too long. */
export async function hashPassword(password: string, lane: Lane): Promise<string> {
  const text = normalizePassword(password)
  if (text === null) throw new RangeError(`a password has at most ${PASSWORD_BYTES_MAX} bytes`)
  const salt = randomBytes(SALT_BYTES)
  const key = await turns.run(lane, () => deriveKey(text, salt, COST))
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** For a secret that this server generated: 256 random bits cannot be guessed, so a fast hash is enough. */
export const hashRandomSecret = (secret: string): string => `${QUICK}$${hash('sha256', secret, 'hex')}`

const QUICK = 'sha256'

/**
 * Takes as long where there is no hash, or a fast one that does not match, so that timing does not reveal which users
 * exist. Only a right generated secret is verified fast.
 */
export async function verifyPassword(password: string, stored: string | null, lane: Lane): Promise<boolean> {
  const text = normalizePassword(password)
  if (text === null) return false
  if (stored?.startsWith(`${QUICK}$`) === true && isSame(hashRandomSecret(password), stored)) return true
  const parts = parseStored(stored)
  const { cost, salt, key } = parts ?? NOBODY
  const found = await turns.run(lane, () => deriveKey(text, salt, cost))
  return timingSafeEqual(found, key) && parts !== null
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const NOBODY: Parts = { cost: COST, salt: Buffer.alloc(SALT_BYTES), key: randomBytes(KEY_BYTES) }

interface Parts {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number }
  readonly salt: Buffer
  readonly key: Buffer
}

function parseStored(stored: string | null): Parts | null {
  const [kind, N, r, p, salt = '', key = ''] = stored?.split('$') ?? []
  if (kind !== 'scrypt') return null
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  }
}

function deriveKey(text: string, salt: Buffer, cost: Parts['cost']): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(text, salt, KEY_BYTES, { ...cost, maxmem: MEMORY_BYTES_MAX }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )
}
