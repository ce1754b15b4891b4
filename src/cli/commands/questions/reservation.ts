import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Reservation, ReservationBody } from '../../../wire/reservations.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { facts, flexible, right } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { type AskOptions, addAskOptions, askOf, definedFields, SPEC_NOTES, whole } from './server-ask.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Reservations: capacity for servers of a project, or for the failure of any one host of an aggregate, now or in a time span. ' +
      'Consumers of type RESERVATION hold it, so that no other request gets it.',
  )
  describeList(group.command('list').summary('list reservations'), around, end)
  describeShow(group.command('show').summary('show a reservation and who holds it'), around, end)
  describeCreate(group.command('create').summary('reserve capacity'), around, end)
  describeDelete(
    group.command('delete').summary('delete a reservation and release its capacity'),
    around,
    end,
  )
}

const JSON_SHAPE =
  '{"uuid", "name", "kind", "project_id", "aggregate", "aggregate_name", "flavor", "count", "held", "used", "short", "state",\n' +
  '"from", "until", "holders": [{"consumer", "host"}]}'

const NAME = 'Its name or uuid.'

const timeText = (ms: number): string => new Date(ms).toISOString()

const forText = ({ kind, project_id, aggregate_name, aggregate }: Reservation): string =>
  kind === 'failover' ? `failover of ${aggregate_name ?? aggregate}` : `project ${project_id}`

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists reservations.',
    json: `An array of ${JSON_SHAPE}.`,
    examples: ['berth reservation list'],
  })
  whenRun(command, around, end, async session => {
    const { reservations } = await session.berth.reservations()
    session.printList(
      reservations,
      ['name', flexible('for'), 'state', right('held'), right('used'), right('short'), 'until'],
      one => [
        ...[one.name, forText(one), one.state, one.held, one.used, one.short],
        one.until === null ? '-' : timeText(one.until),
      ],
      'no reservation',
    )
  })
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a reservation and the consumers that hold it.',
    json: `${JSON_SHAPE}.`,
    examples: ['berth reservation show launch'],
  }).argument('<reservation>', NAME)
  whenRun(command, around, end, async (session, _: object, name: string) =>
    printReservation(session, await session.berth.reservation(name)),
  )
}

function printReservation(session: Session, one: Reservation): void {
  const pairs: [string, string][] = [
    ['name', one.name],
    ['uuid', one.uuid],
    ['for', forText(one)],
    ...(one.kind === 'project'
      ? ([
          ['flavor', one.flavor === null || one.flavor === '' ? '-' : one.flavor],
          ['places', String(one.count)],
        ] as [string, string][])
      : []),
    ['state', one.state],
    ['held', String(one.held)],
    ['used', String(one.used)],
    ['short', String(one.short)],
    ['from', timeText(one.from)],
    ['until', one.until === null ? '-' : timeText(one.until)],
    ['holders', one.holders.map(({ consumer, host }) => `${consumer} on ${host}`).join(', ') || '-'],
  ]
  session.print(one, look => facts(pairs, look))
}

type CreateOptions = AskOptions & Pick<ReservationBody, 'failover' | 'count' | 'from' | 'until' | 'partial'>

function parseTime(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms) || ms < 0)
    throw new InvalidArgumentError('It is not a time such as 2027-01-31T08:00:00Z.')
  return ms
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Reserves places for servers of a project or, with --failover, what the servers of any one host of an aggregate would need. ' +
      'Refused if not all places fit now, unless the reservation starts later or with --partial.',
    notes: SPEC_NOTES,
    json: `${JSON_SHAPE}.`,
    examples: [
      'berth reservation create launch m1.large --count 10 --project p --until 2027-02-01T00:00:00Z',
      'berth reservation create spare --failover gpu-hosts',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  }).argument('<name>', 'Its name.')
  addAskOptions(command)
    .option(
      '--failover <aggregate>',
      'Reserve capacity for the failure of any one host of this host aggregate.',
    )
    .option('--count <number>', 'How many places. (default: 1)', whole)
    .option('--from <time>', 'Start, such as 2027-01-31T08:00:00Z. (default: now)', parseTime)
    .option('--until <time>', 'End. (default: none)', parseTime)
    .option('--partial', 'Reserve as many places as fit now, and the others as soon as they fit.')
  whenRun(
    command,
    around,
    end,
    async (session, options: CreateOptions, name: string, flavor: string | undefined) => {
      const { failover, count, from, until, partial } = options
      const created = await session.berth.createReservation({
        name,
        ...definedFields({ failover, count, from, until, partial }),
        ...(failover === undefined ? await askParts(session, flavor, options) : {}),
      })
      printReservation(session, created)
      return created.state === 'short' ? exitCodes.nothing : exitCodes.ok
    },
  )
}

/** The project is that of the reservation, not of the request. */
async function askParts(session: Session, flavor: string | undefined, options: AskOptions) {
  const {
    project_id,
    user_id: _,
    ...request
  } = (await askOf(session, flavor, options)) as Record<string, unknown>
  return { request, ...definedFields({ project_id }) }
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a reservation; what it holds is free in the same commit.',
    json: '{"freed"}: how many consumers held it.',
    examples: ['berth reservation delete launch'],
  }).argument('<reservation>', NAME)
  whenRun(command, around, end, async (session, _: object, name: string) => {
    const done = await session.berth.deleteReservation(name)
    session.print(done, () => '')
    session.remark(`${name} is deleted; ${done.freed} ${done.freed === 1 ? 'consumer' : 'consumers'} held it`)
  })
}
