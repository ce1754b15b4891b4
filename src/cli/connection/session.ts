import { type Command, Option } from 'commander'
import { AccountsApi } from '../../client/accounts-api.ts'
import { BerthApi } from '../../client/berth-api.ts'
import { CatalogApi, findCatalog } from '../../client/catalog.ts'
import { ComputeApi, findCompute } from '../../client/compute.ts'
import { SettingsRefused } from '../../client/failure.ts'
import { HttpClient } from '../../client/http.ts'
import { IdentityApi } from '../../client/identity.ts'
import { findPlacement, Placement } from '../../client/placement.ts'
import {
  type Connection,
  type ConnectionFlags,
  connectionOf,
  type LocalServer,
} from '../../client/settings.ts'
import { findShares, ShareApi } from '../../client/shares.ts'
import { loadConfig } from '../../config/load.ts'
import { problemText } from '../../config/resolve.ts'
import { adminTokenPath, readAdminToken } from '../../identity/token-file.ts'
import { addJsonOption, type CommandTexts, describeCommand, textsOf } from '../commands/describe-command.ts'
import type { ProcessEnvironment } from '../process-environment.ts'
import { styleFor } from '../render/style.ts'
import { type Column, type Look, table } from '../render/table.ts'
import { clientFailureOf } from './client-failures.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { serverUrl } from './server-url.ts'
/** A running command: the server it talks to, and where its output goes. */
export class Session {
  readonly around: ProcessEnvironment
  readonly connection: Connection
  /** Print for programs, not for people. */
  readonly asJson: boolean
  readonly look: Look
  readonly berth: BerthApi
  readonly accounts: AccountsApi
  /** Warnings of the server so far. */
  readonly warnings: string[] = []
  readonly #http: HttpClient
  #placement: Promise<Placement> | null = null
  #catalog: Promise<CatalogApi> | null = null
  #compute: Promise<ComputeApi> | null = null
  #shares: Promise<ShareApi> | null = null

  constructor(around: ProcessEnvironment, connection: Connection, asJson: boolean) {
    this.around = around
    this.connection = connection
    this.asJson = asJson
    this.look = lookOf(around)
    this.#http = new HttpClient(connection)
    this.berth = new BerthApi(this.#http)
    this.accounts = new AccountsApi(this.#http)
  }

  /** The address of the service is looked up only once. */
  placement(): Promise<Placement> {
    this.#placement ??= findPlacement(this.#http).then(place => new Placement(this.#http, place))
    return this.#placement
  }

  catalog(): Promise<CatalogApi> {
    this.#catalog ??= findCatalog(this.#http).then(mount => new CatalogApi(this.#http, mount))
    return this.#catalog
  }

  identity(): Promise<IdentityApi> {
    return IdentityApi.at(this.#http)
  }

  /** Null if another service stores users and projects. */
  async identityIfAny(): Promise<IdentityApi | null> {
    return (await IdentityApi.isAt(this.#http)) ? new IdentityApi(this.#http) : null
  }

  compute(): Promise<ComputeApi> {
    this.#compute ??= findCompute(this.#http).then(
      root => new ComputeApi(this.#http, root, text => this.warn(text)),
    )
    return this.#compute
  }

  shares(): Promise<ShareApi> {
    this.#shares ??= findShares(this.#http).then(
      root => new ShareApi(this.#http, root, text => this.warn(text)),
    )
    return this.#shares
  }

  /** A value for programs, or the text for people. */
  print(value: unknown, text: (look: Look) => string): void {
    this.around.stdout.write(this.asJson ? `${JSON.stringify(value, null, 2)}\n` : text(this.look))
  }

  /** JSON for programs, or a table for people, with a note if the list is empty. */
  printList<T>(
    items: readonly T[],
    columns: readonly Column[],
    row: (item: T) => readonly (string | number)[],
    none: string,
  ): void {
    this.print(items, look => table(columns, items.map(row), look))
    if (items.length === 0) this.remark(none)
  }

  /** A note for people only. */
  remark(line: string): void {
    if (!this.asJson) this.note(line)
  }

  /** Prints a warning of the server about a request that it accepted. */
  warn(text: string): void {
    this.warnings.push(text)
    this.note(`warning: ${text}`)
  }

  /** Prints one line to standard error. */
  note(line: string): void {
    this.around.stderr.write(`berth: ${line}\n`)
  }
}

/** Tables are cut to fit a terminal; other output is never cut. */
export function lookOf({ stdout, env }: ProcessEnvironment): Look {
  return {
    width: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
    style: styleFor(stdout, env),
  }
}

/** The exit codes of every command that talks to a server. */
const clientExits: readonly ExitCode[] = [
  exitCodes.ok,
  exitCodes.usage,
  exitCodes.invalid,
  exitCodes.missing,
  exitCodes.unavailable,
  exitCodes.forbidden,
  exitCodes.configuration,
]

interface ClientTexts extends Omit<CommandTexts, 'exits'> {
  /** In addition to those of every client command. */
  readonly exits?: readonly ExitCode[]
}

export const CONNECTION_GROUP = 'Connection:'

export function describeClientCommand(command: Command, about: ClientTexts): Command {
  command.helpOption('-h, --help', 'Print this help.')
  return describeCommand(command, { ...about, exits: [...clientExits, ...(about.exits ?? [])] })
}

/** `--json` where there is something to print for programs, and the flags that name the server. */
function addSharedOptions(command: Command): void {
  if (textsOf(command)?.json !== undefined) addJsonOption(command)
  const option = (flags: string, description: string) =>
    command.addOption(new Option(flags, description).helpGroup(CONNECTION_GROUP))
  option('--url <url>', 'The server. (default: http://127.0.0.1:8778, env: BERTH_URL)')
  option('--server <name>', 'A server by its name in the client configuration.')
  option('--token <token>', 'The token; others on this machine can see it. (env: BERTH_TOKEN)')
  option('--token-file <file>', 'A file that holds the token.')
}

export type End = (exitCode: number) => void

/** The work of a command once it is connected. Without an exit code, it succeeded. */
type Work<Options, Args extends unknown[]> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<void> | Promise<ExitCode>

/**
 * Runs the work with a session, and turns external failures into one line and an exit code. Call it after the
 * command has its own options, so that they come first in its help.
 */
export function whenRun<Options, Args extends unknown[]>(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  work: Work<Options, Args>,
): void {
  addSharedOptions(command)
  command.action(async () => {
    const options = command.opts<ConnectionFlags & { json?: true }>()
    let connection: Connection | null = null
    try {
      connection = await connectionOf({
        flags: options,
        env: around.env,
        homeDirectory: around.homeDirectory,
        local: () => localServer(around),
      })
      const session = new Session(around, connection, options.json === true)
      end((await work(session, options as Options, ...(command.processedArgs as Args))) ?? exitCodes.ok)
    } catch (error) {
      // The reader has closed the output, so there is nothing left to do.
      if (around.stdout.closed.aborted) return end(exitCodes.ok)
      const failure = clientFailureOf(error, connection)
      if (failure === null) throw error
      around.stderr.write(`berth: ${failure.line}\n`)
      end(failure.exitCode)
    }
  })
}

/** The server that `berth serve` would run here: its address and, if readable, its admin token. */
async function localServer({ env, stderr }: ProcessEnvironment): Promise<LocalServer> {
  const resolved = await loadConfig({ flags: {}, configFlag: undefined, env, terminal: stderr.isTerminal })
  if (!resolved.ok)
    throw new SettingsRefused(
      `the configuration of the server on this machine: ${resolved.problems.map(problemText).join('; ')}`,
    )
  const { host, port, auth, data_dir, tls_cert, public_url } = resolved.values
  // A certificate is issued for the name that clients use.
  const named = tls_cert === null ? null : public_url
  return {
    url: named ?? serverUrl(host, port, tls_cert !== null),
    async token() {
      if (auth === 'noauth2') return { token: 'admin', from: 'auth = noauth2' }
      const token = await readAdminToken(data_dir).catch(() => null)
      return token === null ? null : { token, from: `file ${adminTokenPath(data_dir)}` }
    },
  }
}
