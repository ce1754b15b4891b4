import type { Config } from '../../config/keys.ts'
import { CertificateRefused } from '../../http/ops/certificates.ts'
import { LogFileRefused } from '../../http/ops/log-file.ts'
import { PolicyRefused } from '../../identity/policy/compile-policy.ts'
import { TokenFileRefused } from '../../identity/token-file.ts'
import { ShadowRefused } from '../../server/shadow.ts'
import { StandardTraitsRefused } from '../../server/standard-traits.ts'
import { StoreRefused, StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { Stopped } from './client-failures.ts'
import { exitCodes } from './exit-codes.ts'

/** An external failure, not a bug: one plain line and an exit code. */
export interface CommandFailure {
  readonly line: string
  readonly exitCode: number
}

/** Null for unexpected errors, which are printed with their stack. */
export function failureOf(error: unknown, config: Config): CommandFailure | null {
  if (error instanceof Stopped) return { line: error.message, exitCode: error.exitCode }
  if (error instanceof StoreRefused || error instanceof TokenFileRefused)
    return { line: oneLine(error.message), exitCode: exitCodes.store }
  if (
    error instanceof PolicyRefused ||
    error instanceof CertificateRefused ||
    error instanceof LogFileRefused ||
    error instanceof ShadowRefused ||
    error instanceof StandardTraitsRefused
  )
    return { line: `configuration: ${oneLine(error.message)}`, exitCode: exitCodes.configuration }
  if (error instanceof StoreUnavailable)
    return { line: oneLine(error.message), exitCode: exitCodes.unavailable }
  if (error instanceof StoreUncertain) return { line: oneLine(error.message), exitCode: exitCodes.store }
  if (!(error instanceof Error)) return null
  const { code, syscall, path, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === undefined) return null
  if (syscall === 'listen' && port !== undefined && port !== config.port)
    return {
      line: `cannot listen on health_listen ${config.health_listen} (${code})`,
      exitCode: exitCodes.unavailable,
    }
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return { line: listenLine(code, config), exitCode: exitCodes.unavailable }
  if (path !== undefined && FILE_TROUBLE.has(code))
    return {
      line: `data directory ${config.data_dir}: ${FILE_TROUBLE.get(code)}: ${path}`,
      exitCode: exitCodes.store,
    }
  return null
}

const FILE_TROUBLE: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left'],
  ['EDQUOT', 'the quota is used up'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EEXIST', 'it is not a directory'],
  ['EISDIR', 'it is a directory'],
  ['EIO', 'input or output error'],
  ['EMFILE', 'too many open files'],
])

function listenLine(code: string, { host, port }: Config): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${host} port ${port} is in use: stop the other server, or choose another --port`
    case 'EACCES':
      return `${host} port ${port} is not allowed for this user: choose a --port of 1024 or higher`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: choose another --host`
    default:
      return `cannot listen on ${host} port ${port} (${code})`
  }
}

export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ')
