import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from './log.ts'

export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface TlsPaths {
  readonly cert: string
  readonly key: string
}

/** The certificate or its key is unusable. One line. */
export class CertificateRefused extends Error {
  override name = 'CertificateRefused'
}

/** Throws if they cannot be read or do not belong together. */
export async function readCertificate(paths: TlsPaths): Promise<TlsFiles> {
  const [cert, key] = await Promise.all([readContent(paths.cert), readContent(paths.key)])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new CertificateRefused(
      `the certificate ${paths.cert} and the key ${paths.key} cannot be used: ${(error as Error).message}`,
    )
  }
  return { cert, key }
}

async function readContent(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw describeUnreadable(path, error)
  }
}

function describeUnreadable(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  return new CertificateRefused(
    `the file ${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`,
  )
}

/** Reads the certificates of authorities. Only at start, so it may block. */
export function readAuthorities(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw describeUnreadable(path, error)
  }
  try {
    if (!text.includes('-----BEGIN ')) throw new Error('it contains no certificate in PEM format')
    createSecureContext({ ca: text })
  } catch (error) {
    throw new CertificateRefused(`the authorities in ${path} cannot be used: ${(error as Error).message}`)
  }
  return text
}

const LOOK_MS = 30_000

/** Checks periodically whether the files changed, and passes on their new content. Call the result to stop. */
export function watchCertificate(
  paths: TlsPaths,
  log: Log,
  take: (files: TlsFiles) => void,
  everyMs = LOOK_MS,
): () => void {
  let seen: string | null = null
  const look = async (): Promise<void> => {
    try {
      const [cert, key] = await Promise.all([stat(paths.cert), stat(paths.key)])
      const now = `${cert.mtimeMs} ${key.mtimeMs}`
      const isNew = seen !== null && seen !== now
      seen = now
      if (!isNew) return
      take(await readCertificate(paths))
      log.info('loaded a new certificate', { file: paths.cert })
    } catch (error) {
      // Only one of the two files may be new: the next check sees the other.
      seen = seen === null ? null : ''
      log.error('cannot load the new certificate; the old one stays in use', { error: error as Error })
    }
  }
  void look()
  const timer = setInterval(() => void look(), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
