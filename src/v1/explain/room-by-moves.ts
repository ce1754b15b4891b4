import { isList } from '../../scheduling/framework/json-value.ts'
import { shellWord } from '../../scheduling/framework/shell-commands.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { makePlan } from '../../scheduling/plans/make-plan.ts'
import type { PlannedMove } from '../../scheduling/plans/plan.ts'
import type { ChangeAdvice, ScheduleExplanation } from '../../wire/schedule-explanation.ts'
import type { World } from '../../world/world.ts'
import { pauseInTurns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import type { ExplainContext } from './explain-schedule.routes.ts'

/** More moves are no small help: `POST /v1/plan` looks for those. */
const MOVES_MAX = 3
const STEPS_MAX = 300
/** In a cloud of 10,000 hosts the search takes up to 1.5 s in slices: an explanation there takes a fiftieth of that. */
export const MOVES_HOSTS_MAX = 1_000

/** Adds the moves that would make room for one server, if no host has room and few moves suffice. */
export async function addRoomByMoves(
  context: ExplainContext,
  ask: ServerAsk,
  explained: ScheduleExplanation,
): Promise<ScheduleExplanation> {
  const { passed, with_room, hosts } = explained
  if (passed > 0 || with_room > 0 || hosts < 2 || hosts > MOVES_HOSTS_MAX) return explained
  const advice = await context.privateWorld
    .lend(copy => findMoves(context, copy, ask))
    // Another simulation has the copy: the explanation is worth more now than complete later.
    .catch(error => {
      if (error instanceof Problem && error.status === 503) return null
      throw error
    })
  return advice === null ? explained : { ...explained, changes: [advice, ...explained.changes] }
}

async function findMoves(
  { newUuid, setup, clock }: ExplainContext,
  copy: Parameters<Parameters<ExplainContext['privateWorld']['lend']>[0]>[0],
  ask: ServerAsk,
): Promise<ChangeAdvice | null> {
  const goal = { kind: 'make-room', ask: { ...ask, instances: [] }, count: 1 } as const
  const budget = {
    movesMax: MOVES_MAX,
    gibMax: Number.POSITIVE_INFINITY,
    atOncePerHostMax: 1,
    never: new Set<string>(),
    stepsMax: STEPS_MAX,
  }
  const way = { newUuid, seed: 0, nowMs: clock.nowMs(), pause: pauseInTurns() }
  const plan = await makePlan(copy, goal, setup(), budget, way)
  if ('kind' in plan || !plan.isReached || plan.moves.length === 0) return null
  return {
    kind: 'move-servers',
    text: `${describeMoves(copy.world, plan.moves)}: then it fits.`,
    command: commandFor(copy.world, ask),
    moves: plan.moves.map(({ instance, fromName, toName, to }) => ({
      instance,
      name: findServerName(copy.world, instance),
      from: fromName,
      to: toName,
      to_provider: to,
    })),
  }
}

function describeMoves(world: World, moves: readonly PlannedMove[]): string {
  const texts = moves.map(
    ({ instance, fromName, toName }) =>
      `${findServerName(world, instance) ?? instance} from ${fromName} to ${toName}`,
  )
  return `Move ${texts.join(', then ')}`
}

/** A request with more than a flavor has no command that says all of it. */
function commandFor({ compute }: World, { spec, group, host, not_hosts }: ServerAsk): string | null {
  const { flavor, groups, zone, image, hints } = spec
  const isPlain = groups === null && zone === null && image === null && group === null && host === null
  // Of all hints, also of those that are yet to come.
  const isHinted = Object.values(hints).some(hint => hint !== null && !(isList(hint) && hint.length === 0))
  if (!isPlain || isHinted || spec.volume_backed || not_hosts.length > 0) return null
  if (compute.findFlavorByName(flavor.name) === undefined) return null
  return `berth plan make-room ${shellWord(flavor.name)}`
}
