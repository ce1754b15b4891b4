import { type Command, Option } from 'commander'
import { ndjsonOf } from '../../../client/lines.ts'
import { countText } from '../../../kernel/count-text.ts'
import {
  dropIdle,
  type Ledger,
  type ReadLedger,
  type Untakable,
} from '../../../openstack/placement/ledger.ts'
import type { ImportPlan } from '../../../openstack/placement/plan-import.ts'
import { readExport } from '../../../openstack/placement/read-export.ts'
import { readPlacement } from '../../../openstack/placement/source.ts'
import { SourceRefused } from '../../../openstack/placement/tables.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { Session } from '../../connection/session.ts'
import { RowProgress } from '../../render/progress.ts'

export const SOURCE_NOTES = `A Placement is named by the connection of its placement.conf (mysql+pymysql://, postgresql://, sqlite:////PATH), by a file
(a SQLite database, or a dump of mysqldump or pg_dump), or by the address of its API (http://). A database shows one moment
and is not locked. The API does not: it is read until nothing changes any more, and does not show consumers without
allocations.

Others on this machine can see the command line: give the connection in BERTH_PLACEMENT_DATABASE, and the token of the API in
BERTH_PLACEMENT_TOKEN.`

export interface SourceOptions {
  readonly placementToken?: string
}

export function addSourceOptions(command: Command, flags: string, description: string): Command {
  command.addOption(new Option(flags, description).env('BERTH_PLACEMENT_DATABASE'))
  return addTokenOption(command)
}

export const addTokenOption = (command: Command): Command =>
  command.addOption(
    new Option('--placement-token <token>', 'The token for the API of the Placement.').env(
      'BERTH_PLACEMENT_TOKEN',
    ),
  )

/** Reads a whole Placement, with progress. */
export async function readSource(
  session: Session,
  from: string | undefined,
  { placementToken }: SourceOptions,
): Promise<ReadLedger> {
  if (from === undefined)
    throw makeUsageError('name the Placement, by an option or in BERTH_PLACEMENT_DATABASE')
  const progress = new RowProgress(session.around)
  progress.beginPhase('read', null)
  let seen = 0
  try {
    return await readPlacement(from, {
      token: placementToken ?? null,
      onRows(rows) {
        progress.addRows(rows - seen)
        seen = rows
      },
    })
  } catch (error) {
    if (error instanceof SourceRefused)
      throw new Stopped(`the Placement cannot be read: ${error.message}`, exitCodes.unavailable)
    throw error
  } finally {
    progress.clear()
  }
}

/** The server's ledger at one revision, limited to what the other side's API could show. */
export async function readOwnLedger(session: Session, other: ReadLedger): Promise<Ledger> {
  const { own: placement } = await session.placement()
  const classes = await placement.resourceClasses()
  const traits = await placement.traits()
  const { bytes } = await session.berth.export()
  const ledger = await readExport(ndjsonOf(bytes), { classes, traits })
  return other.showsIdle ? ledger : dropIdle(ledger, other.ledger)
}

/** What cannot be imported, one per line, up to a limit. */
export function untakableText(untakable: readonly Untakable[]): string {
  const shown = untakable.slice(0, SHOWN_MAX).map(({ what, reason }) => `  ${what}: ${reason}\n`)
  const left = untakable.length - shown.length
  return `${shown.join('')}${left > 0 ? `  and ${left} more; --json lists all\n` : ''}`
}

export const SHOWN_MAX = 100

/** The number of writes in a plan. */
export function planText({ lines, namesToRemove }: ImportPlan): string {
  const count = (key: string) => lines.filter(line => key in line).length
  const removed = count('remove_provider') + count('remove_consumer') + namesToRemove.length
  return `${countText(count('provider'), 'provider')}, ${countText(count('consumer'), 'consumer')}, ${countText(removed, 'removal')}`
}
