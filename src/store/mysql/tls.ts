import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { StoreRefused } from '../store.ts'
import type { Parameters } from './connection-options.ts'

const sslModes = ['DISABLED', 'PREFERRED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const
type SslMode = (typeof sslModes)[number]

/** How to connect, in order: with TLS, or without (false). */
export type TlsTries = readonly (ConnectionOptions | false)[]

/** The modes of MySQL's programs; the parameters of Python's drivers choose one of them. */
export function listTlsTries(parameters: Parameters): TlsTries {
  const mode = chooseMode(parameters)
  if (mode === 'DISABLED') return [false]
  const secured: ConnectionOptions = { ...chooseTrust(mode, parameters), ...readOwnCertificate(parameters) }
  return mode === 'PREFERRED' ? [secured, false] : [secured]
}

/** Whether the name in the certificate has to be that of the host. */
export const isIdentityChecked = ([first = false]: TlsTries): boolean =>
  first !== false && first.rejectUnauthorized === true && first.checkServerIdentity === undefined

function chooseMode(parameters: Parameters): SslMode {
  const { ssl_mode, ssl_ca, ssl_cert, ssl_verify_cert, ssl_verify_identity, ssl_disabled } = parameters
  if (ssl_mode !== undefined) {
    const mode = ssl_mode.toUpperCase() as SslMode
    if (!sslModes.includes(mode))
      throw new StoreRefused(`ssl_mode is ${ssl_mode}, and must be one of ${sslModes.join(', ')}`)
    return mode
  }
  if (isTrue('ssl_disabled', ssl_disabled, false)) return 'DISABLED'
  if (isTrue('ssl_verify_identity', ssl_verify_identity, false)) return 'VERIFY_IDENTITY'
  if (isTrue('ssl_verify_cert', ssl_verify_cert, ssl_ca !== undefined)) return 'VERIFY_CA'
  return ssl_ca !== undefined || ssl_cert !== undefined ? 'REQUIRED' : 'PREFERRED'
}

function isTrue(name: string, value: string | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise
  const text = value.toLowerCase()
  if (!['true', 'false', '1', '0'].includes(text))
    throw new StoreRefused(`${name} is ${value}, and must be true or false`)
  return text === 'true' || text === '1'
}

/** Without a file of authorities, those that the system trusts. */
function chooseTrust(mode: SslMode, { ssl_ca }: Parameters): ConnectionOptions {
  const ca = ssl_ca === undefined ? {} : { ca: readFile('ssl_ca', ssl_ca) }
  if (mode === 'VERIFY_IDENTITY') return { ...ca, rejectUnauthorized: true }
  return { ...ca, rejectUnauthorized: mode === 'VERIFY_CA', checkServerIdentity: () => undefined }
}

function readOwnCertificate({ ssl_cert, ssl_key }: Parameters): ConnectionOptions {
  if (ssl_cert === undefined && ssl_key === undefined) return {}
  if (ssl_cert === undefined || ssl_key === undefined)
    throw new StoreRefused('ssl_cert and ssl_key belong together, and one of them is missing')
  return { cert: readFile('ssl_cert', ssl_cert), key: readFile('ssl_key', ssl_key) }
}

function readFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StoreRefused(
      `${name} is ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}
