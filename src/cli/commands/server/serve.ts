import type { Command } from 'commander'
import { type Config, keyNames } from '../../../config/keys.ts'
import { findForeignSqlite } from '../../../config/oslo/read-files.ts'
import type { Translation } from '../../../config/oslo/translate.ts'
import { originText, problemText } from '../../../config/resolve.ts'
import { LogFile } from '../../../http/ops/log-file.ts'
import { adminPasswordPath, adminTokenPath } from '../../../identity/token-file.ts'
import { type ConfigNotice, type RunningServer, type StartParts, startServer } from '../../../server/start.ts'
import { addConfigFlags, configOf, type Loaded } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { failureOf, oneLine } from '../../connection/failures.ts'
import type { ProcessEnvironment, Signal } from '../../process-environment.ts'
import { describeCommand } from '../describe-command.ts'

export const SERVE_EXITS = [
  exitCodes.ok,
  exitCodes.usage,
  exitCodes.unavailable,
  exitCodes.broken,
  exitCodes.store,
  exitCodes.configuration,
]

export function describe(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeCommand(command, {
    description:
      'Runs the server until SIGTERM or SIGINT. It then accepts no new connections, finishes the requests in ' +
      'progress, and exits; a second signal ends it at once.',
    notes: NOTES,
    examples: [
      'berth serve',
      'berth serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --data-dir /var/lib/berth',
      'berth serve --only placement --port 8778 --rbac legacy',
      'PGPASSFILE=/etc/berth/pgpass berth serve --database postgres://berth@db1,db2/berth?sslmode=verify-full',
      'BERTH_LOG_LEVEL=debug berth serve --log-format text',
      'berth serve --config /etc/placement/placement.conf',
    ],
    exits: SERVE_EXITS,
  })
  command.option(
    '--new-ledger',
    'Use the database in the data directory, or begin a new one, although the directory had another or a newer ' +
      'one (SQLite). Use it once: it does not belong in a unit file.',
  )
  addConfigFlags(command, keyNames)
  command.action(async () => {
    const newLedger = command.opts<{ newLedger?: true }>().newLedger === true
    const loaded = await configOf(command, keyNames, around)
    end('exitCode' in loaded ? loaded.exitCode : await serveLoaded(loaded, around, newLedger))
  })
}

/** Runs a server and logs how its configuration was read. */
export async function serveLoaded(
  { values, origins, translation }: Loaded,
  around: ProcessEnvironment,
  newLedger = false,
): Promise<number> {
  const strange = translation === undefined ? null : await findForeignSqlite(translation, values.data_dir)
  if (strange !== null) {
    around.stderr.write(`berth: configuration: ${problemText(strange)}\n`)
    return exitCodes.configuration
  }
  const named = Object.values(origins).flatMap(one => (one.from === 'file' ? [one.name] : []))
  const configFiles = [...new Set([...named, ...(translation?.files ?? [])])]
  const configNotices = translation === undefined ? [] : translationNotices(translation)
  return serve(values, around, (config, parts) =>
    startServer(config, { ...parts, configFiles, configNotices, newLedger }),
  )
}

/** Warns about each option that Placement does not know; options without effect here share one line. */
function translationNotices({ files, meaningless, unknown }: Translation): ConfigNotice[] {
  const warnings = unknown.map(
    ({ option, origin, text }): ConfigNotice => ({
      level: 'warn',
      msg: 'unknown option',
      fields: { option, from: originText(origin), text },
    }),
  )
  const read: ConfigNotice = {
    level: 'info',
    msg: 'placement.conf read',
    fields: {
      files: files.join(', '),
      without_meaning: meaningless.map(({ option }) => option).join(', '),
    },
  }
  return [read, ...warnings]
}

const NOTES = `Standard output has the address and, at the first start, where the admin token is kept; if it is a terminal, the
token too. Standard error has the log.

Environment:
  Every flag can be given as the variable named beside it; a flag wins over its variable, a variable over
  the configuration file. BERTH_CONFIG names the file.`

export type StartServer = (config: Config, parts: StartParts) => Promise<RunningServer>

/** Runs a server until a signal or a failure stops it; returns the exit code. */
export async function serve(config: Config, around: ProcessEnvironment, start: StartServer): Promise<number> {
  const toldToStop = waitForSignal(around)
  const say = (line: string) => around.stderr.write(`berth: ${line}\n`)
  let server: RunningServer
  try {
    server = await start(config, {
      version: around.version,
      log: logSink(config, around),
      libpq: around,
      ...(around.consoleDirectory === undefined ? {} : { consoleDirectory: around.consoleDirectory }),
    })
  } catch (error) {
    const failure = failureOf(error, config)
    if (failure === null) throw error
    say(failure.line)
    return failure.exitCode
  }
  around.stdout.write(welcome(server, config, around))
  const fatal = server.fatal.then(error => {
    say(`cannot go on: ${oneLine(error.message)}`)
    return exitCodes.broken
  })
  const drained = toldToStop.then(async () => {
    await server.drain()
    return exitCodes.ok
  })
  return Promise.race([fatal, drained])
}

/** Where log lines go. Throws LogFileRefused. */
function logSink({ log_file }: Config, around: ProcessEnvironment): (line: string) => void {
  const toStderr = (text: string) => around.stderr.write(text)
  if (log_file === null) return line => toStderr(`${line}\n`)
  const file = new LogFile(log_file, () => around.nowMs(), toStderr)
  around.onHangUp(() => file.reopen())
  return line => file.write(`${line}\n`)
}

const SIGNAL_NUMBER: Readonly<Record<Signal, number>> = { SIGINT: 2, SIGTERM: 15 }

/** One Ctrl-C under npm arrives twice: from the terminal and from npm. */
const ECHO_MS = 300

/** Resolves at the first signal. The second ends the process, even with work in progress. */
function waitForSignal(around: ProcessEnvironment): Promise<void> {
  return new Promise(resolve => {
    let firstAtMs: number | null = null
    around.onSignal(signal => {
      if (firstAtMs === null) firstAtMs = around.nowMs()
      else if (around.nowMs() - firstAtMs > ECHO_MS) around.exit(128 + SIGNAL_NUMBER[signal])
      resolve()
    })
  })
}

function welcome(server: RunningServer, config: Config, { version, stdout }: ProcessEnvironment): string {
  const place = config.only === null ? '' : `, ${config.only} only`
  const lines = [`berth ${version} listens on ${server.url}${place}`]
  if (server.addresses.length > 1) lines.push(`addresses: ${server.addresses.join(', ')}`)
  const tokenPath = adminTokenPath(config.data_dir)
  // Anything but a terminal, such as a journal or a file, is stored and read by others.
  if (server.firstStartToken !== null && stdout.isTerminal)
    lines.push(
      `admin token: ${server.firstStartToken}`,
      `(created at this first start, not shown again; stored in ${tokenPath})`,
    )
  else if (server.firstStartToken !== null)
    lines.push(`admin token: created at this first start, in ${tokenPath}`)
  if (server.firstStartToken !== null && config.auth === 'token' && config.only === null)
    lines.push(
      `user admin: the password is in ${adminPasswordPath(config.data_dir)}; berth clouds-yaml prints a clouds.yaml`,
    )
  return `${lines.join('\n')}\n`
}
