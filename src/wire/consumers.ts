import { list, object, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

export const CONSUMERS_FOUND_MAX = 100

const foundConsumer = object('A consumer.', {
  uuid: uuid('Its uuid.'),
  name: orNull(text('Its name, if it was told.')),
  type: orNull(text('Its type, such as INSTANCE.')),
  project_id: text('Whose it is.'),
  hosts: list(text('A name.'), 'The hosts that it has something of.'),
})

export const consumersFoundShape = object('What was found.', {
  consumers: list(foundConsumer, 'Those that are called so first, then those whose name or uuid begins so.'),
  truncated: yesOrNo('There are more.'),
})

export const consumerShape = object('A consumer, with all that is known of it.', {
  uuid: uuid('Its uuid.'),
  name: orNull(text('Its name, as it was told with its request or pulled from the cloud that runs it.')),
  type: orNull(text('Its type, such as INSTANCE.')),
  generation: whole('Its generation.'),
  project_id: text('Whose it is.'),
  user_id: text('Who made it.'),
  updated_at: text('When its allocations changed last.'),
  is_server: yesOrNo('It counts as a server.'),
  flavor: orNull(text('The flavor that was asked for; null if it was not scheduled here.')),
  zone: orNull(text('The availability zone that was asked for.')),
  same_host: list(uuid('A server.'), 'Whose hosts it was to share, by its hint.'),
  different_host: list(uuid('A server.'), 'Whose hosts it was to avoid, by its hint.'),
  hosts: list(
    object('A host.', {
      name: text('Its name.'),
      provider: uuid('Its root provider.'),
      zone: text('Its availability zone.'),
      status: text('`enabled` or `disabled`.'),
      state: text('`up` or `down`.'),
    }),
    'The hosts that it has something of: usually one.',
  ),
  allocations: list(
    object('What it has of a provider.', {
      provider: uuid('The provider.'),
      name: text('Its name.'),
      class: text('The resource class.'),
      used: whole('How much.'),
    }),
    'All of its allocations.',
  ),
  server_group: orNull(
    object('Its server group.', {
      uuid: uuid('Its uuid.'),
      name: text('Its name.'),
      policy: text('Its policy.'),
      members: list(
        object('Another member.', {
          uuid: uuid('The server.'),
          name: orNull(text('Its name.')),
          hosts: list(text('A name.'), 'Where it is.'),
        }),
        'The others, 100 at most.',
      ),
      members_total: whole('How many others there are.'),
    }),
  ),
  share: orNull(text('The name of the share, if it is one.')),
  reservation: orNull(text('The name of the reservation that it holds a part of, if it does.')),
})

export type Consumer = TypeOf<typeof consumerShape>
export type FoundConsumer = TypeOf<typeof foundConsumer>
