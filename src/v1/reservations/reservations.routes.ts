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
      description:
        'Lists the capacity that is reserved for projects, or for the failure of any one host of an aggregate.',
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
      description: 'Shows a reservation with the consumers that hold it.',
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
      description: 'Deletes a reservation. Its capacity is free in the same commit.',
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
    summary: 'Reserve capacity',
    description:
      'Reserves places for servers of a project. A consumer of type RESERVATION holds each place, so that no other request gets it. A ' +
      'server of the project with the same request takes a place in the commit of its claim. With `failover`, reserves what the servers ' +
      'of any one host of an aggregate would need, and adapts as servers come, go and move. Servers that move off a host that is down ' +
      'take it. A reservation without a later start is refused if not all of its places fit now, unless it is `partial`.',
    body: reservationBody,
    answer: { status: 201, description: 'The reservation.', shape: reservationShape },
    problems: {
      400: 'The request is malformed.',
      404: 'There is no such flavor, host or host aggregate.',
      409: 'The name is in use, its time is over, or there is no room for its places.',
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
        `There is no room for ${command.count} places. POST /v1/explain/schedule tells why.`,
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
    if (request !== undefined)
      throw makeProblem('request', 'not allowed with failover, whose size Berth computes.')
    if (body.count !== undefined)
      throw makeProblem('count', 'not allowed with failover, which is for any one host.')
    const aggregate = world.compute.aggregates.row(findAggregate(world, failover)).uuid
    return { ...common, what: 'failover' as const, project: null, aggregate, count: 0, request: '{}' }
  }
  if (request === undefined) throw makeProblem('request', 'give the request of a server, or failover.')
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
  const isWithoutAggregate = row.kind === 'failover' && aggregate === undefined
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
    state: isWaiting ? 'waiting' : short > 0 || isWithoutAggregate ? 'short' : 'kept',
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
      return problem(409, `There is already a reservation ${refusal.name}: choose another name.`)
    case 'reservation-missing':
      return problem(404, `There is no reservation ${refusal.reservation}.`)
    case 'too-many-reservations':
      return problem(409, `There are ${refusal.max} reservations, which is the maximum: delete one first.`)
    case 'reservation-ended':
      return problem(409, 'It would end before it starts, or in the past: choose a later until.')
    case 'aggregate-missing':
      return problem(404, `There is no host aggregate ${refusal.aggregate}.`)
    case 'shadowing':
      return problem(
        409,
        'There are no reservations while another Placement is shadowed: end the shadow first.',
      )
    case 'overtaken':
      return problem(409, 'Another request claimed the capacity first: try again.')
    default:
      return refusal satisfies never
  }
}
