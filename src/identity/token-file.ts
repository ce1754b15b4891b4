import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../store/files/sync-directory.ts'
import { generateSecret } from './secret.ts'

const TOKEN_NAME = 'admin-token'
const PASSWORD_NAME = 'admin-password'
const CHARS_MIN = 16
/** No longer than a token or password can be when it is used. */
const CHARS_MAX = 255

/** The file of a secret exists but is unusable. One line. */
export class TokenFileRefused extends Error {
  override name = 'TokenFileRefused'
}

export interface AdminToken {
  readonly token: string
  /** This call created it, so no one has seen it yet. */
  readonly created: boolean
}

export const adminTokenPath = (dataDir: string): string => join(dataDir, TOKEN_NAME)
export const adminPasswordPath = (dataDir: string): string => join(dataDir, PASSWORD_NAME)

/** Null if the data directory has none. */
export const readAdminToken = (dataDir: string): Promise<string | null> =>
  readSecret(adminTokenPath(dataDir), 'token')

/** Creates the admin token if there is none. An operator may put one there first. */
export const ensureAdminToken = (dataDir: string): Promise<AdminToken> =>
  ensureSecret(dataDir, adminTokenPath(dataDir), 'token')

/** The admin's password from the first start, unless the file was removed. It may be outdated. */
export const readAdminPassword = (dataDir: string): Promise<string | null> =>
  readSecret(adminPasswordPath(dataDir), 'password')

export const ensureAdminPassword = (dataDir: string): Promise<AdminToken> =>
  ensureSecret(dataDir, adminPasswordPath(dataDir), 'password')

export const removeAdminPassword = (dataDir: string): Promise<void> => unlink(adminPasswordPath(dataDir))

async function readSecret(path: string, what: string): Promise<string | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const secret = text.trim()
  if (secret.length < CHARS_MIN || secret.length > CHARS_MAX || !/^[\x21-\x7e]+$/.test(secret))
    throw new TokenFileRefused(
      `${path} must hold one ${what} of ${CHARS_MIN} to ${CHARS_MAX} printable characters; if you remove it, the next start makes a new one`,
    )
  return secret
}

async function ensureSecret(dataDir: string, path: string, what: string): Promise<AdminToken> {
  const found = await readSecret(path, what)
  if (found !== null) return { token: found, created: false }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const token = generateSecret()
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeDurably(draft, `${token}\n`)
  try {
    // A link appears whole or not at all, and never replaces a secret that another process just created.
    await link(draft, path)
    await syncDirectory(dataDir)
    return { token, created: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return { token: (await readSecret(path, what)) as string, created: false }
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
