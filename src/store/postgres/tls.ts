import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { StoreRefused } from '../store.ts'
import type { Parameters } from './connection-url.ts'

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof sslModes)[number]

/** How to connect, in order: with TLS, or without (false). */
export type TlsTries = readonly (ConnectionOptions | false)[]

/** libpq's modes. An existing root certificate is used even if the mode does not require one. */
export function listTlsTries(parameters: Parameters, homeDirectory: string): TlsTries {
  const home = (name: string) => join(homeDirectory, '.postgresql', name)
  const root = parameters.sslrootcert ?? home('root.crt')
  const asked = parameters.sslmode ?? (root === 'system' ? 'verify-full' : 'prefer')
  if (!(sslModes as readonly string[]).includes(asked))
    throw new StoreRefused(`sslmode is ${asked}, and must be one of ${sslModes.join(', ')}`)
  const mode = asked as SslMode
  if (mode === 'disable') return [false]
  if (root === 'system' && mode !== 'verify-full')
    throw new StoreRefused(`sslmode is ${mode}, and with sslrootcert=system it must be verify-full`)
  const secured = { ...chooseTrust(mode, root), ...readOwnCertificate(parameters, home) }
  if (mode === 'allow') return [false, secured]
  return mode === 'prefer' ? [secured, false] : [secured]
}

function chooseTrust(mode: SslMode, root: string): ConnectionOptions {
  if (root === 'system') return { rejectUnauthorized: true }
  const ca = readText(root)
  const mustVerify = mode === 'verify-ca' || mode === 'verify-full'
  if (ca === null) {
    if (mustVerify)
      throw new StoreRefused(
        `sslmode is ${mode} and the root certificate ${root} does not exist: provide it, or set sslrootcert=system to trust what the system trusts`,
      )
    return { rejectUnauthorized: false }
  }
  if (mode === 'verify-full') return { ca, rejectUnauthorized: true }
  return { ca, rejectUnauthorized: mustVerify || mode === 'require', checkServerIdentity: () => undefined }
}

/** The client certificate, for servers that ask for one. */
function readOwnCertificate(parameters: Parameters, home: (name: string) => string): ConnectionOptions {
  const certFile = parameters.sslcert ?? home('postgresql.crt')
  const keyFile = parameters.sslkey ?? home('postgresql.key')
  const cert = readText(certFile)
  if (cert === null) {
    if (parameters.sslcert === undefined) return {}
    throw new StoreRefused(`the certificate ${certFile} does not exist`)
  }
  const key = readText(keyFile)
  if (key === null)
    throw new StoreRefused(`the certificate ${certFile} is there, but its key ${keyFile} is not`)
  checkSecret(keyFile)
  const passphrase = parameters.sslpassword
  return { cert, key, ...(passphrase === undefined ? {} : { passphrase }) }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new StoreRefused(`${file} cannot be read (${code})`)
  }
}

/** Only the owner may read the key, or its group if the owner is root, as certificates are often shared so. */
function checkSecret(file: string): void {
  const { mode, uid } = statSync(file)
  if ((mode & (uid === 0 ? 0o037 : 0o077)) !== 0)
    throw new StoreRefused(`the key ${file} may be read by others: chmod 600 ${file}`)
}
