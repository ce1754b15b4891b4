import type { BerthRules } from '../../commands.ts'
import type { Credentials } from '../../http/api.ts'
import type { ConsumerSlot } from '../../kernel/ids.ts'
import type { ReservationRefusal } from '../../scheduling/reservations/reservations.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import {
  type Reservation,
  type ReservationBody,
  reservationBody,
  reservationShape,
  reservationsShape,
} from '../../wire/reservations.ts'
import { object, whole } from '../../wire/shape.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'
import { parseAsk } from '../schedule/server-asks.ts'
import { findAggregate } from '../schedule/simulated-changes.ts'
import type { ReservationKeeper } from './keeper.loop.ts'

interface ReservationContext {
  readonly world: World
  readonly clock: { nowMs(): number }
  readonly newUuid: () => string
  readonly sequencer: () => Sequencer<BerthRules>
  readonly keeper: () => ReservationKeeper
}

const MISSING = 'There is no such reservation.'
const NAMED = { reservation: 'Its name or uuid.' }

export function reservationRoutes(context: ReservationContext): V1Route[] {
  const { world, clock } = context
  return [
    v1Route({
      method: 'GET',
      path: '/reservations',
      operation: 'berth:decisions',
      summary: 'List reservations',
      description: 'Capacity that is kept: for a project, or for the failure of one host of an aggregate.',
      answer: { description: 'The reservations.', shape: reservationsShape },
      handle: () => ({
        reservations: world.reservations.rows.all().map(row => renderReservation(world, row, clock.nowMs())),
      }),
    }),
    v1Route({
      method: 'GET',
      path: '/reservations/{reservation}',
      params: NAMED,
      operation: 'berth:decisions',
      summary: 'Show a reservation',
      description: 'With the consumers that hold it.',
      answer: { description: 'The reservation.', shape: reservationShape },
      problems: { 404: MISSING },
      handle: ({ params }) =>
        renderReservation(world, requireRow(world, params.reservation as string), clock.nowMs()),
    }),
    createRoute(context),
    v1Write({
      method: 'DELETE',
      path: '/reservations/{reservation}',
      params: NAMED,
      operation: 'berth:schedule',
      summary: 'Delete a reservation',
      description: 'What it holds is free in the same commit.',
      answer: {
        description: 'How many consumers held it.',
        shape: object('Done.', { freed: whole('Consumers that held it.') }),
      },
      problems: { 404: MISSING },
      async write({ params, once }) {
        const row = requireRow(world, params.reservation as string)
        const freed = world.reservations.countSlots(row.id)
        return once.submit({ kind: 'scheduling:delete-reservation', reservation: row.uuid }, outcome =>
          outcome.ok ? { status: 200, body: { freed } } : toProblem(outcome.refusal),
        )
      },
    }),
  ]
}

function createRoute(context: ReservationContext): V1Route {
  const { world, clock } = context
  return v1Write({
    method: 'POST',
    path: '/reservations',
    operation: 'berth:schedule',
    summary: 'Keep capacity',
    description:
      'Keeps places for servers of a project, each held by a consumer of type RESERVATION, so that no candidate offers them to others. A ' +
      'server of the project with the same request takes a place in the commit of its claim. With `failover`, keeps on the hosts of an ' +
      'aggregate what the servers of any one of them would need, and follows as servers come, go and move; servers that move ' +
      'off a host that is down take it. A reservation that has begun already is refused if its places cannot be claimed now, unless it is `partial`.',
    body: reservationBody,
    answer: { status: 201, description: 'The reservation.', shape: reservationShape },
    problems: {
      400: 'The request is malformed.',
      404: 'There is no such flavor, host or host aggregate.',
      409: 'There is one of that name, its time is over, or there is no room for its places.',
    },
    async write({ body, credentials, once }) {
      const command = parseReservation(context, body, credentials)
      const { uuid } = command
      const created = await context.sequencer().submit({ kind: 'scheduling:create-reservation', ...command })
      if (!created.ok) throw toProblem(created.refusal)
      const isKept = await keepAtOnce(context, uuid, body)
      if (isKept)
        return once.submit({ kind: 'scheduling:note-decision' }, () => ({
          status: 201,
          body: renderReservation(world, requireRow(world, uuid), clock.nowMs()),
        }))
      const noRoom = new Problem(
        409,
        'reservation.no-room',
        `There is no room for ${command.count} places: ask POST /v1/explain/schedule why.`,
        { name: body.name },
      )
      return once.submit({ kind: 'scheduling:delete-reservation', reservation: uuid }, () => noRoom)
    },
  })
}

async function keepAtOnce(
  { world, clock, keeper }: ReservationContext,
  uuid: string,
  body: ReservationBody,
): Promise<boolean> {
  const hasBegun = requireRow(world, uuid).from_at <= clock.nowMs()
  if (hasBegun && body.failover === undefined && body.partial !== true) return keeper().keepAll(uuid)
  await keeper().keep(uuid)
  return true
}

function parseReservation(
  { world, newUuid }: ReservationContext,
  body: ReservationBody,
  credentials: Credentials,
) {
  const { failover, request, from = null, until = null } = body
  const common = { uuid: newUuid(), name: body.name, from, until }
  const makeProblem = (field: string, detail: string) =>
    new Problem(400, 'request.invalid', `${field}: ${detail}`, { field })
  if (failover !== undefined) {
    if (request !== undefined) throw makeProblem('request', 'what failover needs is counted, not requested.')
    if (body.count !== undefined) throw makeProblem('count', 'failover is for one host of the aggregate.')
    const aggregate = world.compute.aggregates.row(findAggregate(world, failover)).uuid
    return { ...common, what: 'failover' as const, project: null, aggregate, count: 0, request: '{}' }
  }
  if (request === undefined) throw makeProblem('request', 'say what a server asks for, or give failover.')
  const project = body.project_id ?? credentials.projectId
  const asked = parseAsk(
    world,
    { ...request, ...(project === null ? {} : { project_id: project }) },
    credentials,
  )
  const { spec, host } = asked
  return {
    ...common,
    what: 'project' as const,
    project: asked.project,
    aggregate: null,
    count: body.count ?? 1,
    request: JSON.stringify({ ...spec, spec, host }),
  }
}

function requireRow(world: World, text: string): ReservationRow {
  const row = world.reservations.find(text)
  if (row !== undefined) return row
  throw new Problem(404, 'reservation.missing', `There is no reservation ${text}.`, { reservation: text })
}

const HOLDERS_MAX = 1_000

function renderReservation(world: World, row: ReservationRow, nowMs: number): Reservation {
  const { reservations, compute } = world
  const slots = reservations.listSlots(row.id)
  const isWaiting = row.from_at > nowMs
  const missing = row.kind === 'project' ? row.servers - row.used - slots.length : row.short
  const short = isWaiting ? 0 : missing
  const aggregate = row.aggregate === null ? undefined : compute.aggregates.find(row.aggregate)
  return {
    uuid: row.uuid,
    name: row.name,
    kind: row.kind === 'failover' ? 'failover' : 'project',
    project_id: row.project_id,
    aggregate: row.aggregate,
    aggregate_name: aggregate?.name ?? null,
    flavor: row.kind === 'failover' ? null : JSON.parse(row.request).flavor.name,
    count: row.servers,
    held: slots.length,
    used: row.used,
    short,
    state: isWaiting ? 'waiting' : short > 0 ? 'short' : 'kept',
    from: row.from_at,
    until: row.until_at,
    holders: slots.slice(0, HOLDERS_MAX).map(slot => ({
      consumer: world.consumers.row(slot).uuid,
      host: findHostName(world, slot),
    })),
  }
}

function findHostName({ consumers, providers }: World, slot: ConsumerSlot): string {
  const [first] = consumers.holdings(slot)
  return first === undefined ? '' : providers.name(providers.rootOf(first.provider))
}

function toProblem(refusal: ReservationRefusal): Problem {
  const { kind, ...facts } = refusal
  const problem = (status: number, text: string) => new Problem(status, `reservation.${kind}`, text, facts)
  switch (refusal.kind) {
    case 'reservation-exists':
      return problem(409, `There is a reservation ${refusal.name} already.`)
    case 'reservation-missing':
      return problem(404, `There is no reservation ${refusal.reservation}.`)
    case 'too-many-reservations':
      return problem(409, `There are ${refusal.max} reservations already, and no more are allowed.`)
    case 'reservation-ended':
      return problem(409, 'It would end before it begins.')
    case 'aggregate-missing':
      return problem(404, `There is no host aggregate ${refusal.aggregate}.`)
    case 'shadowing':
      return problem(409, 'Another Placement is shadowed, which does not know reservations: end that first.')
    case 'overtaken':
      return problem(409, 'Others claimed what was to be kept: try again.')
    default:
      return refusal satisfies never
  }
}
