import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config } from '../../../config/keys.ts'
import { verifyOffline } from '../../../server/start.ts'
import { databaseFile, prepareDirectory } from '../../../store/sqlite/directory.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { failureOf } from '../../connection/failures.ts'
import { unreadable } from '../../connection/unreadable.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import type { Describe } from '../describe-command.ts'
import { addJsonOption, describeCommand } from '../describe-command.ts'
import { checkDatabaseFile } from './database-file.ts'
import { reportText } from './verify.ts'

export const describe: Describe = (command, around, end) => {
  describeCommand(command, {
    description:
      'Makes a data directory from a file of `berth backup`, then checks all of it. It never touches ' +
      'a directory that has anything in it. No server is needed; the next `berth serve` on the directory ' +
      'makes a new admin token.',
    json:
      'The report of `berth verify` on what was restored: {"store", "revision", "rows", "differences_total",\n' +
      '"differences", "problems_total", "problems"}.',
    examples: ['berth restore berth-2031-05-01.sqlite --data-dir /var/lib/berth'],
    exits: [
      exitCodes.ok,
      exitCodes.differences,
      exitCodes.usage,
      exitCodes.invalid,
      exitCodes.missing,
      exitCodes.output,
      exitCodes.store,
      exitCodes.configuration,
    ],
  }).argument('<file>', 'The backup.')
  addJsonOption(command, 'Print the report as one JSON object.')
  addConfigFlags(command, ['data_dir'])
  command.action(async (file: string) => {
    end(await run(command, around, file))
  })
}

async function run(command: Command, around: ProcessEnvironment, file: string): Promise<number> {
  const options = command.opts<{ dataDir?: string; json?: true }>()
  const say = (line: string) => around.stderr.write(`berth: ${line}\n`)
  if (options.dataDir === undefined) {
    say('--data-dir is needed: name the directory to create')
    return exitCodes.usage
  }
  const loaded = await configOf(command, ['data_dir'], around)
  if ('exitCode' in loaded) return loaded.exitCode
  try {
    const report = await restore(file, loaded.values)
    around.stdout.write(
      options.json === true ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, 'no-server'),
    )
    const clean = report.differences_total === 0 && report.problems_total === 0
    return clean ? exitCodes.ok : exitCodes.differences
  } catch (error) {
    const failure = failureOf(error, loaded.values)
    if (failure === null) throw error
    say(failure.line)
    return failure.exitCode
  }
}

/** Removes what was created if the file turns out to be unusable. */
async function restore(file: string, config: Config) {
  const directory = config.data_dir
  await checkDatabaseFile(file)
  refuseLog(file)
  const isNew = !existsSync(directory)
  if (!isNew) refuseContents(directory)
  prepareDirectory(directory)
  try {
    await copyDurably(file, databaseFile(directory))
    return await verifyOffline({ ...config, database: null })
  } catch (error) {
    for (const name of readdirSync(directory)) rmSync(`${directory}/${name}`, { force: true })
    if (isNew) rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

/** A log beside the database means that a server uses it: the file alone lacks the changes in the log. */
function refuseLog(file: string): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0)
    throw new Stopped(
      `${file} has a log beside it (${file}-wal): it is the database of a server, not a backup; use 'berth backup'`,
      exitCodes.invalid,
    )
}

function refuseContents(directory: string): void {
  if (!statSync(directory).isDirectory())
    throw new Stopped(`${directory} exists and is not a directory: name another`, exitCodes.output)
  if (readdirSync(directory).length > 0)
    throw new Stopped(`${directory} is not empty: name an empty or a new directory`, exitCodes.output)
}

const CHUNK_BYTES = 1024 * 1024

async function copyDurably(from: string, to: string): Promise<void> {
  const draft = `${to}.part`
  const source = await open(from, 'r').catch(error => {
    throw unreadable(error, from)
  })
  try {
    const target = await open(draft, 'wx', 0o600)
    try {
      await target.writeFile(source.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }))
      await target.sync()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  await rename(draft, to)
}
