import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { prepareChange } from '../../scheduling/hosts/explain.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { scheduleExplanationShape } from '../../wire/schedule-explanation.ts'
import {
  type AskBody,
  askFields,
  countFields,
  type MoveBody,
  moveFields,
  wayFields,
} from '../../wire/scheduling.ts'
import { object, uuid, whole } from '../../wire/shape.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from '../schedule/schedule.routes.ts'
import { listHintWarnings, parseAsk, parseMove, parseServers } from '../schedule/server-asks.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'
import { explainBusy } from './explanation.ts'
import { addRoomByMoves, MOVES_HOSTS_MAX } from './room-by-moves.ts'
import { addRoomInReservations } from './room-in-reservations.ts'
import { explainOn, explainOne, releaseOwnPlaces } from './schedule-explanation.ts'

/** Limits how much explanations slow down other requests. */
const AT_ONCE_MAX = 2
export const HOSTS_DEFAULT = 20
export const HOSTS_MAX = 10_000

export interface ExplainContext extends ScheduleContext {
  readonly privateWorld: WorldCopyPool
}

export function explainScheduleRoutes(context: ExplainContext): V1Route[] {
  const permits = new Semaphore(AT_ONCE_MAX)
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/explain/schedule',
      operation: 'berth:explain:hosts',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Explain which host a server would get, or why none',
      description:
        'Takes the body of `POST /v1/schedule` or `POST /v1/move`. Returns a histogram of the reasons, the funnels of filters and ' +
        'of Placement, the smallest changes that would help, and for each host every filter that refuses it, with key, ' +
        'requirement, values and the aggregate that has them. For several servers it explains the first one without a host, ' +
        'with those before it placed. If no host has room for one server and at most three moves would make it, the changes ' +
        `begin with them; in clouds of more than ${MOVES_HOSTS_MAX} hosts ask \`POST /v1/plan\`.`,
      body: object(
        'The request: a flavor, or groups; or the move of a server.',
        {},
        {
          ...askFields,
          ...countFields,
          ...wayFields,
          ...moveFields,
          instance: uuid('The server that is to move.'),
          hosts_max: whole(`How many hosts to report; default: ${HOSTS_DEFAULT}.`, {
            minimum: 0,
            maximum: HOSTS_MAX,
          }),
        },
      ),
      answer: { description: 'The explanation.', shape: scheduleExplanationShape },
      problems: {
        400: 'The request is malformed, or cannot be translated for Placement.',
        404: 'There is no such flavor, host, server group or server.',
        503: 'Too many explanations are running, or the cloud changes too fast: try again.',
      },
      async handle({ body, credentials }) {
        return permits.run(() => explainBody(context, body, credentials), explainBusy)
      },
    }),
  ]
}

type Body = AskBody &
  Partial<MoveBody> & { count?: number; instances?: readonly string[]; hosts_max?: number; seed?: number }

async function explainBody(context: ExplainContext, body: Body, credentials: Credentials) {
  const { world, newUuid, newSeed, setup } = context
  const { instance } = body
  const ask: ServerAsk =
    instance === undefined
      ? {
          ...parseAsk(world, body, credentials),
          ...parseServers(body, newUuid),
        }
      : parseMove(world, { ...body, instance })
  const options = {
    asksAnew: ask.operation === 'create' || body.flavor !== undefined,
    warnings: listHintWarnings(world, body.hints, setup()),
    reportsMax: body.hosts_max ?? HOSTS_DEFAULT,
  }
  const sourceHolder = body.keep_source === true ? '' : null
  const command = { ask, sourceHolder, setup: setup(), seed: body.seed ?? newSeed() }
  const isOne = ask.operation === 'create' && ask.instances.length === 1
  const explained = isOne
    ? await addRoomByMoves(context, ask, await explainOne(context, ask, options))
    : // Assumed changes must not be visible to others.
      await context.privateWorld.lend(async past => {
        const { change, instance: first } = prepareChange(past.world, command)
        const one = { ...ask, instances: [first] }
        // Which places a server may use that moves depends on where it is; earlier servers of a count have used theirs.
        if (ask.operation === 'move') releaseOwnPlaces(past, one)
        past.make(change)
        if (ask.operation === 'create') releaseOwnPlaces(past, one)
        return explainOn(past.world, one, command.setup, options)
      })
  return addRoomInReservations(world, command, command.setup, explained)
}
