import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../store/durable.ts'

const NAME = 'admin-token'
const RANDOM_BYTES = 32
const CHARS_MIN = 16

/** The token file is there but cannot be used. One plain line. */
export class TokenFileRefused extends Error {
  override name = 'TokenFileRefused'
}

export interface AdminToken {
  readonly token: string
  /** This call made it, so nobody has seen it yet. */
  readonly created: boolean
}

export const adminTokenPath = (dataDir: string): string => join(dataDir, NAME)

/** The admin token of a data directory; null if it has none. */
export async function readAdminToken(dataDir: string): Promise<string | null> {
  const path = adminTokenPath(dataDir)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const token = text.trim()
  if (token.length < CHARS_MIN || !/^[\x21-\x7e]+$/.test(token))
    throw new TokenFileRefused(
      `${path} must hold one token of ${CHARS_MIN} or more printable characters; remove it to have a new one made`,
    )
  return token
}

/** The admin token of a data directory, made if there is none yet. An operator may put one there first. */
export async function ensureAdminToken(dataDir: string): Promise<AdminToken> {
  const found = await readAdminToken(dataDir)
  if (found !== null) return { token: found, created: false }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const token = randomBytes(RANDOM_BYTES).toString('base64url')
  const path = adminTokenPath(dataDir)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeDurably(draft, `${token}\n`)
  try {
    // A link appears whole or not at all, and never replaces the token that another process just made.
    await link(draft, path)
    await syncDirectory(dataDir)
    return { token, created: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return { token: (await readAdminToken(dataDir)) as string, created: false }
  } finally {
    await unlink(draft)
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
