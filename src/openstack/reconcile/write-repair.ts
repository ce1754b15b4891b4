import type { BerthApi } from '../../client/berth-api.ts'
import { Refused } from '../../client/failure.ts'
import type { Placement } from '../../client/placement.ts'
import type { CloudLine, ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Ledger } from '../placement/ledger.ts'
import type { Change, Repair } from './finding.ts'
import { compareStanding, type Standing } from './repair.ts'

/** Where repairs are written. */
export interface RepairTarget {
  readonly placement: Placement
  readonly berth: Pick<BerthApi, 'import'>
  /** Why an import would not last; null: it would. */
  readonly importObstacle: string | null
}

/** A repair that can only be imported, where that would not last. */
class ImportRefused extends Error {}

/** Null, or why it was refused: another writer was faster, or there is no room. */
export async function writeRepair(target: RepairTarget, repair: Repair): Promise<string | null> {
  try {
    if (repair.of === 'consumers') await writeConsumers(target, repair.changes)
    else await writeProviders(target, repair.changes)
    return null
  } catch (error) {
    if (error instanceof ImportRefused) return error.message
    if (
      error instanceof Refused &&
      error.status >= 400 &&
      error.status < 500 &&
      ![401, 403].includes(error.status)
    )
      return error.message
    throw error
  }
}

/** Writes all in one request, which their generations guard. */
async function writeConsumers(
  target: RepairTarget,
  changes: readonly Change<ConsumerFields>[],
): Promise<void> {
  const { placement } = target
  const keepsType = ({ before, after }: Change<ConsumerFields>) =>
    after === null || (before?.consumer_type ?? null) === after.consumer_type
  const hasType = ({ after }: Change<ConsumerFields>) => after !== null && after.consumer_type !== null
  const isNewTyped = (one: Change<ConsumerFields>) => one.before === null && hasType(one)
  // Older versions of the API leave types as they are, newer ones need one for each consumer.
  if (changes.every(one => keepsType(one) && !isNewTyped(one)))
    return placement.replaceAllocations(toBody(changes, false), false)
  if (changes.every(hasType)) return placement.replaceAllocations(toBody(changes, true), true)
  await importLines(target, changes.map(toConsumerLine))
}

function toBody(changes: readonly Change<ConsumerFields>[], isTyped: boolean) {
  return Object.fromEntries(
    changes.map(({ before, after }) => {
      const now = after ?? { ...(before as ConsumerFields), allocations: {} }
      const { uuid, project_id, user_id, allocations, consumer_type } = now
      const type = isTyped && consumer_type !== null ? { consumer_type } : {}
      const consumer_generation = before?.generation ?? null
      return [uuid, { allocations, project_id, user_id, consumer_generation, ...type }]
    }),
  )
}

const toConsumerLine = ({ before, after }: Change<ConsumerFields>): CloudLine =>
  after === null ? { remove_consumer: { uuid: (before as ConsumerFields).uuid } } : { consumer: after }

/** A provider that stays is changed through the API, which its generation guards; others come and go in one import. */
async function writeProviders(
  target: RepairTarget,
  changes: readonly Change<ProviderFields>[],
): Promise<void> {
  if (changes.some(({ before, after }) => before === null || after === null)) refuseObstacle(target)
  const lines: CloudLine[] = []
  for (const { before, after } of changes)
    if (before === null) lines.push({ provider: after as ProviderFields })
    else if (after === null) lines.push({ remove_provider: { uuid: before.uuid } })
    else await changeProvider(target.placement, before, after)
  if (lines.length > 0) await importLines(target, lines)
}

async function changeProvider(
  placement: Placement,
  before: ProviderFields,
  after: ProviderFields,
): Promise<void> {
  const { uuid, generation } = before
  const differs = (key: 'traits' | 'aggregates') => after[key].join() !== before[key].join()
  if (after.name !== before.name || after.parent_provider_uuid !== before.parent_provider_uuid)
    await placement.updateProvider(uuid, {
      name: after.name,
      parent_provider_uuid: after.parent_provider_uuid,
    })
  else if (differs('traits')) await placement.setProviderTraits(uuid, generation, after.traits)
  else if (differs('aggregates')) await placement.setAggregates(uuid, generation, after.aggregates)
  else await placement.setInventories(uuid, generation, after.inventories)
}

function refuseObstacle({ importObstacle }: RepairTarget): void {
  if (importObstacle !== null) throw new ImportRefused(importObstacle)
}

async function importLines(target: RepairTarget, lines: readonly CloudLine[]): Promise<void> {
  refuseObstacle(target)
  const bytes = new TextEncoder().encode(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const body = (async function* () {
    yield bytes
  })()
  await target.berth.import(body)
}

/** Whether the ledger is as before or after a repair; `neither` if parts of it differ. */
export function findStanding({ providers, consumers }: Ledger, repair: Repair): Standing {
  const standings: Standing[] =
    repair.of === 'consumers'
      ? repair.changes.map(one => compareStanding(consumers.get(uuidOf(one)), one))
      : repair.changes.map(one => compareStanding(providers.get(uuidOf(one)), one))
  const [first = 'before'] = standings
  return standings.every(one => one === first) ? first : 'neither'
}

/** The uuids of all that a repair changes. */
export const listChanged = ({ changes }: Repair): string[] => changes.map(uuidOf)

const uuidOf = ({ before, after }: Change<ConsumerFields | ProviderFields>): string =>
  (before ?? after)?.uuid ?? ''

/** The repair with current generations, so that it is refused if anything changes meanwhile. */
export function withGenerations({ providers, consumers }: Ledger, repair: Repair): Repair {
  const renew = <T extends ConsumerFields | ProviderFields>(
    { before, after }: Change<T>,
    now: ReadonlyMap<string, T>,
  ): Change<T> => {
    const generation = before === null ? undefined : now.get(before.uuid)?.generation
    return { before: before === null || generation === undefined ? before : { ...before, generation }, after }
  }
  return repair.of === 'consumers'
    ? { of: 'consumers', changes: repair.changes.map(one => renew(one, consumers)) }
    : { of: 'providers', changes: repair.changes.map(one => renew(one, providers)) }
}
