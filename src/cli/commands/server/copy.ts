import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../../config/keys.ts'
import { DATABASE_URL } from '../../../config/kinds.ts'
import { openConfiguredStore } from '../../../server/start.ts'
import { type CopyReport, copyStore } from '../../../store/copy.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { failureOf } from '../../connection/failures.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { RowProgress } from '../../render/progress.ts'
import { addJsonOption, type Describe, describeCommand } from '../describe-command.ts'

const NOTES = `A store is sqlite:DIRECTORY, with the data directory of a server, postgres://USER@HOST:PORT/NAME or
mysql://USER@HOST:PORT/NAME. Give a password in PGPASSWORD, ~/.pgpass or MYSQL_PWD: others on this machine can see the
command line.

A copy into MariaDB is committed in parts. Until it is finished, no server uses the database; the same command, run again,
continues where it stopped.

The admin token is not in the store: copy DIRECTORY/admin-token by hand.`

export const describe: Describe = (command, around, end) => {
  describeCommand(command, {
    description:
      'Copies a whole store into a new one: between SQLite, PostgreSQL and MariaDB, or ' +
      'between two of a kind. It copies all rows, the change log, idempotency keys, and the revision with its ' +
      'history, so that followers of /v1/changes continue. The target is filled completely or not at all; then both ' +
      'are read and compared. A data directory must not be in use; of a database it copies the state at the moment it ' +
      'begins, so stop its servers first if they are to continue with the copy.',
    notes: NOTES,
    json:
      '{"from", "to", "revision", "chain", "rows", "changes", "plain_rows", "differences_total",\n' +
      '"differences": [{"table", "key", "from", "to"}], "problems": [string]}.',
    examples: [
      'berth copy --from sqlite:/var/lib/berth --to postgres://berth@db1,db2/berth',
      'berth copy --from postgres://berth@db1/berth --to sqlite:/srv/berth-data --json',
      'berth copy --from sqlite:/var/lib/berth --to mysql://berth@db1,db2,db3/berth',
    ],
    exits: [
      exitCodes.ok,
      exitCodes.differences,
      exitCodes.usage,
      exitCodes.unavailable,
      exitCodes.store,
      exitCodes.configuration,
    ],
  })
  command.requiredOption('--from <store>', 'What to copy.')
  command.requiredOption('--to <store>', 'The target; a missing directory is created.')
  addJsonOption(command, 'Print the report as one JSON object.')
  addConfigFlags(command, ['database_timeout_ms'])
  command.action(async () => {
    end(await run(command, around))
  })
}

interface Options {
  readonly from: string
  readonly to: string
  readonly json?: true
}

async function run(command: Command, around: ProcessEnvironment): Promise<number> {
  const options = command.opts<Options>()
  const loaded = await configOf(command, ['database_timeout_ms'], around)
  if ('exitCode' in loaded) return loaded.exitCode
  const say = (line: string) => around.stderr.write(`berth: ${line}\n`)
  try {
    const { from, to } = addressesOf(options)
    const copied = await copy({ ...loaded.values, ...from }, { ...loaded.values, ...to }, around)
    around.stdout.write(options.json === true ? `${JSON.stringify(copied, null, 2)}\n` : reportText(copied))
    return isClean(copied) ? exitCodes.ok : exitCodes.differences
  } catch (error) {
    const failure = failureOf(error, loaded.values)
    if (failure === null) throw error
    say(failure.line)
    return failure.exitCode
  }
}

function addressesOf(options: Options): { readonly from: StoreAddress; readonly to: StoreAddress } {
  const from = storeAddress(options.from)
  const to = storeAddress(options.to)
  if (from instanceof Stopped) throw makeUsageError(`--from: ${from.message}`)
  if (to instanceof Stopped) throw makeUsageError(`--to: ${to.message}`)
  if (isSameAddress(from, to)) throw makeUsageError('--from and --to are the same store')
  return { from, to }
}

type Copied = { readonly from: string; readonly to: string } & CopyReport

async function copy(from: Config, to: Config, around: ProcessEnvironment): Promise<Copied> {
  const source = await openConfiguredStore(from, around, { mustExist: true })
  try {
    return await removeUnlessComplete(to, async () => {
      const target = await openConfiguredStore(to, around)
      const progress = new RowProgress(around)
      try {
        const report = await copyStore(source.store, target.store, progress)
        return { from: source.place, to: target.place, ...report }
      } finally {
        progress.clear()
        await target.store.close()
      }
    })
  } finally {
    await source.store.close()
  }
}

/** Removes a directory that was created for a copy which failed. */
async function removeUnlessComplete<T>({ database, data_dir }: Config, work: () => Promise<T>): Promise<T> {
  const isNew = database === null && !existsSync(data_dir)
  try {
    return await work()
  } catch (error) {
    if (isNew) rmSync(data_dir, { recursive: true, force: true })
    throw error
  }
}

const isClean = ({ differences_total, problems }: CopyReport): boolean =>
  differences_total === 0 && problems.length === 0

function reportText(copied: Copied): string {
  const { from, to, revision, rows, changes, plain_rows, differences_total, differences, problems } = copied
  const found = isClean(copied) ? 'read again and equal' : 'NOT THE SAME'
  const lines = [
    `${from} copied to ${to} at revision ${revision}: ${rows} rows, ${changes} changes, ` +
      `${plain_rows} plain rows; ${found}`,
  ]
  for (const { table, key, from: a, to: b } of differences)
    lines.push(`${table} ${key}`, `  from  ${rowText(a)}`, `  to    ${rowText(b)}`)
  if (differences_total > differences.length) lines.push(`and ${differences_total - differences.length} more`)
  return `${[...lines, ...problems].join('\n')}\n`
}

const rowText = (row: Readonly<Record<string, unknown>> | null): string =>
  row === null ? 'nothing' : JSON.stringify(row)

/** The configuration keys that locate a store. */
type StoreAddress = Pick<Config, 'database' | 'data_dir'>

/**
 * `sqlite:` and a data directory, or the address of a PostgreSQL or MariaDB database. Errors do not quote it:
 * it may contain a password.
 */
function storeAddress(text: string): StoreAddress | Stopped {
  const [, directory] = /^sqlite:(.+)$/s.exec(text) ?? []
  if (directory !== undefined) return { database: null, data_dir: directory }
  if (DATABASE_URL.test(text)) return { database: text, data_dir: '' }
  return makeUsageError(
    'a store is named by sqlite:DIRECTORY, postgres://USER@HOST:PORT/NAME or mysql://USER@HOST:PORT/NAME',
  )
}

function isSameAddress(a: StoreAddress, b: StoreAddress): boolean {
  if (a.database !== null || b.database !== null) return a.database === b.database
  return resolve(a.data_dir) === resolve(b.data_dir)
}
