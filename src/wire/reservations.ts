import { askFields, COUNT_MAX } from './scheduling.ts'
import { list, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

const NAME_CHARS_MAX = 255
const TIME_MS_MAX = 8_640_000_000_000_000

const name = (description: string) => text(description, { minLength: 1, maxLength: NAME_CHARS_MAX })
const time = (description: string) =>
  whole(`${description}, in milliseconds since 1970.`, { minimum: 0, maximum: TIME_MS_MAX })

export const reservationBody = object(
  'What to reserve: `count` places of a request for a project or, with `failover`, capacity for the failure of any one host of an aggregate.',
  { name: name('Its name, which must be unique.') },
  {
    failover: name('A host aggregate, by name or uuid.'),
    project_id: name('The project; default: that of the token.'),
    request: object(
      'A request for one server: a flavor or groups, its zone, image and host.',
      {},
      {
        flavor: askFields.flavor,
        groups: askFields.groups,
        group_policy: askFields.group_policy,
        image: askFields.image,
        volume_backed: askFields.volume_backed,
        zone: askFields.zone,
        host: askFields.host,
      },
    ),
    count: whole(`How many places; default: 1, at most ${COUNT_MAX}.`, { minimum: 1, maximum: COUNT_MAX }),
    from: time('Start; default: now'),
    until: time('End; default: none, it lasts until it is deleted'),
    partial: yesOrNo(
      'Reserve as many places as fit now, and the rest as soon as they fit. Default: all or nothing.',
    ),
  },
)

export type ReservationBody = TypeOf<typeof reservationBody>

export const reservationShape = object('A reservation.', {
  uuid: uuid('Its uuid.'),
  name: text('Its name.'),
  kind: oneOf('Its purpose.', 'project', 'failover'),
  project_id: orNull(text('The project, or null for failover.')),
  aggregate: orNull(uuid('The host aggregate whose hosts may fail, or null.')),
  aggregate_name: orNull(text('The name of the aggregate; null if it was deleted.')),
  flavor: orNull(text('The flavor of a place; empty if it was requested as groups.')),
  count: whole('How many places; 0 for failover.'),
  held: whole('Places that are held now; for failover, consumers that hold capacity.'),
  used: whole('Places that servers have taken.'),
  short: whole('Missing places; for failover, servers that would find no place in the worst case.'),
  state: oneOf('Not started yet, complete, or incomplete.', 'waiting', 'kept', 'short'),
  from: time('Start'),
  until: orNull(time('End, or null if it lasts until it is deleted')),
  holders: list(
    object('A consumer that holds a part.', {
      consumer: uuid('Its uuid.'),
      host: text('The host.'),
    }),
    'The consumers that hold it, of type RESERVATION; at most 1,000.',
  ),
})

export type Reservation = TypeOf<typeof reservationShape>

export const reservationsShape = object('All reservations.', {
  reservations: list(reservationShape, 'The oldest first.'),
})
