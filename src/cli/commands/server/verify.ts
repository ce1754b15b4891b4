import { realpath } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config, KeyName } from '../../../config/keys.ts'
import { readAdminToken } from '../../../identity/token-file.ts'
import { type Libpq, verifyOffline } from '../../../server/start.ts'
import { hadLedger } from '../../../store/sqlite/directory.ts'
import { StoreRefused } from '../../../store/store.ts'
import type { VerifyReport } from '../../../store/verify/verify-world.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { failureOf } from '../../connection/failures.ts'
import { serverUrl } from '../../connection/server-url.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { addJsonOption, describeCommand } from '../describe-command.ts'

const FLAGS: readonly KeyName[] = ['data_dir', 'database', 'host', 'port', 'auth']

export function describe(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeCommand(command, {
    description:
      'Rebuilds the state from the database and compares it row by row. A server that runs on it on this machine is ' +
      'asked to do it, while writes go on; without one the database is opened directly.',
    notes: NOTES,
    json:
      'The report: {"store", "revision", "rows", "differences_total", "differences", "problems_total",\n' +
      '"problems"}.',
    examples: ['berth verify', 'berth verify --data-dir /var/lib/berth --port 8778', 'berth verify --json'],
    exits: [
      exitCodes.ok,
      exitCodes.differences,
      exitCodes.usage,
      exitCodes.unavailable,
      exitCodes.store,
      exitCodes.configuration,
    ],
  })
  addJsonOption(command, 'Print the report as one JSON object.')
  addConfigFlags(command, FLAGS)
  command.action(async () => {
    const loaded = await configOf(command, FLAGS, around)
    if ('exitCode' in loaded) return end(loaded.exitCode)
    const asJson = command.opts<{ json?: true }>().json === true
    end(
      await verify(loaded.values, around, asJson, { fetch: globalThis.fetch, verifyOffline: verifyExisting }),
    )
  })
}

const NOTES = `Environment:
  Every key of the configuration can be given as a variable, such as BERTH_DATA_DIR; BERTH_CONFIG names the file.`

/** Opening a store creates it if it is missing, so a mistyped directory would look like a valid empty store. */
export async function verifyExisting(config: Config, libpq: Libpq): Promise<VerifyReport> {
  if (config.database === null && !hadLedger(config.data_dir))
    throw new StoreRefused(`there is no database in ${config.data_dir}: choose another --data-dir`)
  return verifyOffline(config, libpq)
}

export interface VerifyMeans {
  readonly fetch: typeof globalThis.fetch
  readonly verifyOffline: (config: Config, libpq: Libpq) => Promise<VerifyReport>
}

export async function verify(
  config: Config,
  around: ProcessEnvironment,
  asJson: boolean,
  means: VerifyMeans,
): Promise<number> {
  try {
    const online = await askServer(config, means.fetch)
    if (online.kind === 'failed') {
      around.stderr.write(`berth: ${online.line}\n`)
      return exitCodes.unavailable
    }
    const report = online.kind === 'report' ? online.report : await means.verifyOffline(config, around)
    around.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, online.kind))
    const clean = report.differences_total === 0 && report.problems_total === 0
    return clean ? exitCodes.ok : exitCodes.differences
  } catch (error) {
    const failure = failureOf(error, config)
    if (failure === null) throw error
    around.stderr.write(`berth: ${failure.line}\n`)
    return failure.exitCode
  }
}

type ServerReport =
  | { readonly kind: 'report'; readonly report: VerifyReport }
  | { readonly kind: 'no-server' }
  | { readonly kind: 'failed'; readonly line: string }

const NO_SERVER: ServerReport = { kind: 'no-server' }
const PATIENCE_MS = 300_000

/**
 * The program at the address may serve another data directory, or may not be Berth: then no server counts as
 * found. If another server holds this directory, opening it offline fails and says so.
 */
async function askServer(config: Config, fetch: VerifyMeans['fetch']): Promise<ServerReport> {
  const token = config.auth === 'noauth2' ? 'admin' : await readAdminToken(config.data_dir)
  if (token === null) return NO_SERVER
  const url = `${serverUrl(config.host, config.port, config.tls_cert !== null)}/v1/verify`
  let status: number
  let body: unknown
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'x-auth-token': token, accept: 'application/json' },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    status = answer.status
    body = await answer.json().catch(() => null)
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') return NO_SERVER
    return { kind: 'failed', line: `${url} did not answer within ${PATIENCE_MS / 1000} seconds` }
  }
  if (status >= 500) return { kind: 'failed', line: `${url} answered with status ${status}` }
  if (status !== 200 || !isReport(body)) return NO_SERVER
  return body.store === (await placeOf(config)) ? { kind: 'report', report: body } : NO_SERVER
}

async function placeOf({ database, data_dir }: Config): Promise<string | null> {
  if (database === null) return realpath(data_dir).catch(() => null)
  return (await import('../../../store/database-url.ts')).hidePassword(database)
}

function isReport(body: unknown): body is VerifyReport {
  if (typeof body !== 'object' || body === null) return false
  const report = body as Partial<VerifyReport>
  return (
    typeof report.store === 'string' &&
    typeof report.revision === 'number' &&
    typeof report.rows === 'number' &&
    typeof report.differences_total === 'number' &&
    Array.isArray(report.differences) &&
    typeof report.problems_total === 'number' &&
    Array.isArray(report.problems)
  )
}

export function reportText(report: VerifyReport, kind: 'report' | 'no-server'): string {
  const how = kind === 'report' ? 'by the running server' : 'no server runs'
  const total = report.differences_total
  const found = `${countText(total, 'difference')}, ${countText(report.problems_total, 'problem')}`
  const lines = [`${report.store} at revision ${report.revision} (${how}): ${report.rows} rows, ${found}`]
  for (const { table, key, stored, memory } of report.differences)
    lines.push(`${table} ${key}`, `  stored  ${rowText(stored)}`, `  memory  ${rowText(memory)}`)
  const left = total - report.differences.length
  if (left > 0) lines.push(`and ${left} more`)
  for (const { kind, what } of report.problems) lines.push(`${kind}: ${what}`)
  const unseen = report.problems_total - report.problems.length
  if (unseen > 0) lines.push(`and ${unseen} more problems`)
  return `${lines.join('\n')}\n`
}

const countText = (count: number, noun: string): string =>
  `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`

const rowText = (row: Readonly<Record<string, unknown>> | null): string =>
  row === null ? 'nothing' : JSON.stringify(row)
