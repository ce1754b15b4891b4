import { setImmediate as nextTurn } from 'node:timers/promises'
import { countText } from '../../kernel/count-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { shellWord } from '../../scheduling/framework/shell-commands.ts'
import { chooseHosts } from '../../scheduling/hosts/choose.ts'
import { releaseConsumer } from '../../scheduling/hosts/host-candidate.ts'
import type { ScheduleOrder } from '../../scheduling/hosts/place-servers.ts'
import type { ChangeAdvice, ScheduleExplanation } from '../../wire/schedule-explanation.ts'
import { readWith } from '../../world/rehearsal.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'

/** Reservations that are tried, the newest first, and how many are named. */
const TRIED_MAX = 50
const NAMED_MAX = 3

/** If no host fits: adds the reservations that keep the room, each tried alone. */
export async function addRoomInReservations(
  world: World,
  order: Omit<ScheduleOrder, 'alternates' | 'setup'>,
  setup: SchedulingSetup,
  explained: ScheduleExplanation,
): Promise<ScheduleExplanation> {
  if (explained.passed > 0) return explained
  const fitsWithout = (rows: readonly ReservationRow[]): boolean =>
    readWith(
      world,
      { ops: rows.flatMap(row => listReleases(world, row)) },
      () => chooseHosts(world, { ...order, setup, alternates: 0 }).ok,
    )
  const holding = world.reservations.rows.all().filter(({ id }) => world.reservations.countSlots(id) > 0)
  if (holding.length === 0 || !fitsWithout(holding)) return explained
  const found: ChangeAdvice[] = []
  for (const { uuid } of holding.toReversed().slice(0, TRIED_MAX)) {
    await nextTurn()
    // Others may have ended it meanwhile.
    const row = world.reservations.rows.find(uuid)
    if (row !== undefined && fitsWithout([row])) found.push(makeAdvice(world, row))
    if (found.length === NAMED_MAX) break
  }
  return { ...explained, changes: [...found, ...explained.changes] }
}

const listReleases = (world: World, { id }: ReservationRow) =>
  world.reservations.listSlots(id).flatMap(slot => releaseConsumer(world, slot).ops)

const makeAdvice = (world: World, row: ReservationRow): ChangeAdvice => ({
  kind: 'end-reservation',
  reservation: row.name,
  text: `Delete reservation ${row.name}, which keeps ${describeKept(world, row)}: then it fits.`,
  command: `berth reservation delete ${shellWord(row.name)}`,
})

function describeKept({ reservations, compute }: World, row: ReservationRow): string {
  if (row.kind === 'project')
    return `${countText(reservations.countSlots(row.id), 'place')} for project ${row.project_id}`
  const name = row.aggregate === null ? undefined : compute.aggregates.find(row.aggregate)?.name
  return `room for the failure of a host of ${name ?? row.aggregate}`
}
