import type { Command } from 'commander'
import { findForeignSqlite } from '../../../config/oslo/read-files.ts'
import { problemText } from '../../../config/resolve.ts'
import { openConfiguredStore, readConfiguredStatus } from '../../../server/start.ts'
import { StoreRefused } from '../../../store/store.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { describeOsloProgram } from './describe-program.ts'
import { ArgumentsRefused } from './oslo-arguments.ts'
import type { Action, OsloProgram, Setup } from './oslo-program.ts'
import { centredTable } from './pretty-table.ts'

const HELP = `Commands:
  db sync                     Sync the database to the current version.
  db version                  Report the current database version.
  db stamp VERSION            Stamp the revision table with the given version.
  db online_data_migrations   Run the online data migrations. [--max-count <number>]`

const FAILED = 1
const FAILED_MIGRATIONS = 2
const BAD_COUNT = 127
const BATCH = 50

/** Upstream's online migrations. Berth writes both forms from the start, so there is nothing to migrate. */
const MIGRATIONS = ['set_root_provider_ids', 'create_incomplete_consumers'] as const

const DB_COMMANDS = ['sync', 'version', 'stamp', 'online_data_migrations'] as const

export const placementManage: OsloProgram = {
  name: 'placement-manage',
  usage: 'usage: placement-manage [-h] [--version] [--config-dir DIR] [--config-file PATH] {db} ...',
  help: HELP,
  failed: FAILED,
  choose([category, command, ...rest]) {
    if (category === undefined) return null
    if (category !== 'db') throw invalidChoice('', category, ['db'])
    if (command === undefined) return 'help'
    switch (command) {
      case 'sync':
        return takeNoMore(rest, sync)
      case 'version':
        return takeNoMore(rest, version)
      case 'stamp':
        return stampOf(rest)
      case 'online_data_migrations':
        return migrateOf(rest)
      default:
        throw invalidChoice(' db', command, DB_COMMANDS)
    }
  },
}

export function describe(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeOsloProgram(command, around, end, placementManage, {
    description:
      'Does what placement-manage of OpenStack’s Placement does, for a store of Berth: with its commands, its configuration files ' +
      'and its exit codes.',
    notes:
      `${HELP}\n\ndb sync makes the tables, or brings them to the newest version. db version prints that version, None where there are none.\n` +
      'db stamp takes the version that the store has, or head, and refuses others. There are no online data migrations.\n' +
      'Exit codes: 0 done; 1 failed; 2 wrong arguments; 127 a --max-count that is not a positive number.',
    examples: [
      'placement-manage db sync',
      'berth placement-manage db sync',
      'placement-manage --config-file /etc/placement/placement.conf db version',
    ],
  })
}

function takeNoMore(rest: readonly string[], action: Action): Action {
  if (rest.length > 0) throw new ArgumentsRefused(`unrecognized arguments: ${rest.join(' ')}`)
  return action
}

const invalidChoice = (parent: string, given: string, allowed: readonly string[]): ArgumentsRefused =>
  new ArgumentsRefused(`argument${parent}: invalid choice: '${given}' (choose from ${allowed.join(', ')})`)

/** The store of a running server is already at the newest version; only another one is opened. */
async function sync({ config, translation, around }: Setup): Promise<number> {
  const strange = translation === null ? null : await findForeignSqlite(translation, config.data_dir)
  if (strange !== null) throw new StoreRefused(problemText(strange))
  const status = await readConfiguredStatus(config, around)
  if (status.version === status.newest) return 0
  const { store } = await openConfiguredStore(config, around)
  await store.close()
  return 0
}

async function version({ config, around }: Setup): Promise<number> {
  const { version: found } = await readConfiguredStatus(config, around)
  around.stdout.write(`${found ?? 'None'}\n`)
  return 0
}

function stampOf([wanted, ...rest]: readonly string[]): Action {
  if (wanted === undefined) throw new ArgumentsRefused('the following arguments are required: version')
  return takeNoMore(rest, async ({ config, around }) => {
    const { version: found, newest } = await readConfiguredStatus(config, around)
    const isSame = found !== null && (wanted === String(found) || (wanted === 'head' && found === newest))
    if (isSame) return 0
    throw new StoreRefused(
      `the store has schema version ${found ?? 'None'} and is not stamped with ${wanted}: Berth writes the version together with ` +
        `the tables; run 'placement-manage db sync'`,
    )
  })
}

function migrateOf(rest: readonly string[]): Action {
  const [option, value, ...more] = rest.flatMap(word =>
    word.startsWith('--max-count=') ? word.split(/=(.*)/s, 2) : [word],
  )
  if (option !== undefined && option !== '--max-count')
    throw new ArgumentsRefused(`unrecognized arguments: ${rest.join(' ')}`)
  if (option !== undefined && value === undefined)
    throw new ArgumentsRefused('argument --max-count: expected one argument')
  return takeNoMore(more, setup => migrate(setup, value ?? null))
}

async function migrate({ config, around }: Setup, countMax: string | null): Promise<number> {
  const { stdout } = around
  if (countMax !== null && !/^\s*\+?0*[1-9]\d*\s*$/.test(countMax)) {
    stdout.write('Must supply a positive value for max_count\n')
    return BAD_COUNT
  }
  if (countMax === null) stdout.write(`Running batches of ${BATCH} until complete\n`)
  const { version: found } = await readConfiguredStatus(config, around)
  if (found === null) for (const name of MIGRATIONS) stdout.write(`Error attempting to run ${name}\n`)
  stdout.write(
    centredTable([['Migration', 'Total Found', 'Completed'], ...MIGRATIONS.map(name => [name, '0', '0'])]),
  )
  if (found !== null) return 0
  stdout.write('Some migrations failed unexpectedly. Check log for details.\n')
  around.stderr.write("placement-manage: the store has no tables: run 'placement-manage db sync'\n")
  return FAILED_MIGRATIONS
}
