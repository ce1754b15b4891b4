import { askFields, COUNT_MAX } from './scheduling.ts'
import { list, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

const NAME_CHARS_MAX = 255
const TIME_MS_MAX = 8_640_000_000_000_000

const name = (description: string) => text(description, { minLength: 1, maxLength: NAME_CHARS_MAX })
const time = (description: string) =>
  whole(`${description}, in milliseconds since 1970.`, { minimum: 0, maximum: TIME_MS_MAX })

export const reservationBody = object(
  'What to keep: `count` places of a request for the project, or, with `failover`, capacity for the failure of any one host of an aggregate.',
  { name: name('Its name; there is no other of that name.') },
  {
    failover: name('A host aggregate, by name or uuid.'),
    project_id: name('For which project; default: that of the token.'),
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
    from: time('When it begins; default: now'),
    until: time('When it ends; default: when it is deleted'),
    partial: yesOrNo(
      'Keep as many places as there are now, and claim the rest as soon as they fit. Default: all or nothing.',
    ),
  },
)

export type ReservationBody = TypeOf<typeof reservationBody>

export const reservationShape = object('A reservation.', {
  uuid: uuid('Its uuid.'),
  name: text('Its name.'),
  kind: oneOf('Whom it is for.', 'project', 'failover'),
  project_id: orNull(text('The project, or null for failover.')),
  aggregate: orNull(uuid('The host aggregate whose hosts may fail, or null.')),
  aggregate_name: orNull(text('Its name; null if it is gone.')),
  flavor: orNull(text('The flavor of a place; empty if it was requested by groups.')),
  count: whole('How many places; 0 for failover.'),
  held: whole('Places that are held now; for failover, consumers that hold it.'),
  used: whole('Places that were used up by servers.'),
  short: whole('Places that are missing; for failover, servers that would find no place in the worst case.'),
  state: oneOf('Not begun yet; all is kept; or something is missing.', 'waiting', 'kept', 'short'),
  from: time('When it begins'),
  until: orNull(time('When it ends; null: when it is deleted')),
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
