import { GROUP_POLICIES } from '../../scheduling/hosts/request-view.ts'
import {
  anything,
  byName,
  list,
  number,
  object,
  oneOf,
  orNull,
  text,
  uuid,
  whole,
  yesOrNo,
} from '../../wire/shape.ts'
import { figure, hostFields, imageProperties, texts } from './scheduling-shapes.ts'

/** Per request: ten times what Nova asks of Placement by default. */
export const HOSTS_MAX = 10_000
const AGGREGATES_MAX = 10_000
const AGGREGATES_OF_HOST_MAX = 200
const MEMBERS_MAX = 10_000
const NAME_CHARS_MAX = 255

const name = (description: string) => text(description, { maxLength: NAME_CHARS_MAX })

const flavor = object('The flavor.', {
  id: name('Its id.'),
  name: name('Its name.'),
  vcpus: figure('Virtual CPUs.', 0),
  ram: figure('MiB of memory.', 0),
  disk: figure('GiB of the root disk.', 0),
  ephemeral: figure('GiB of the ephemeral disk.', 0),
  swap: figure('MiB of swap.', 0),
  extra_specs: texts('The extra specs.'),
})

const image = object(
  'The image.',
  {},
  { id: orNull(name('Its id.')), disk_format: orNull(name('Its format.')), properties: imageProperties },
)

const group = object('The server group.', {
  uuid: name('Its uuid.'),
  policy: oneOf('Its policy.', ...GROUP_POLICIES),
  max_server_per_host: figure('For anti-affinity.', 1),
  members: list(name('The uuid of a server.'), `All members, at most ${MEMBERS_MAX}.`, {
    maxItems: MEMBERS_MAX,
  }),
  hosts: list(name('The name of a host.'), 'Where Nova has members.', { maxItems: MEMBERS_MAX }),
})

const aggregate = object('A host aggregate.', {
  id: whole('Its number.'),
  uuid: name('Its uuid.'),
  name: name('Its name.'),
  metadata: texts('Its metadata, with its zone as `availability_zone`.'),
})

const host = object(
  'A host as Nova has it.',
  {
    name: name('Its name.'),
    aggregates: list(whole('The number of an aggregate of the request.'), 'The aggregates that it is in.', {
      maxItems: AGGREGATES_OF_HOST_MAX,
    }),
  },
  { ...hostFields, uuid: orNull(text('That of its compute node and resource provider.')) },
)

export const missedCalls = object('Calls of this process that failed since the last one that got through.', {
  count: whole('How many.', { minimum: 1 }),
  last_error: orNull(text('Why the last one failed.')),
  on_failure: oneOf('What the caller did.', 'open', 'closed'),
})

export const novaRequestShape = object(
  'A request of Nova’s scheduler, and the hosts that are left.',
  {
    operation: oneOf(
      'A rebuild stays on its host: only filters that read the image run.',
      'create',
      'rebuild',
    ),
    instance: orNull(uuid('The server.')),
    project: orNull(name('Its project.')),
    zone: orNull(name('The requested zone.')),
    flavor,
    hints: byName(anything('A value.'), 'The scheduler hints.', { maxProperties: 100 }),
    group: orNull(group),
    aggregates: list(aggregate, `The aggregates of the hosts, at most ${AGGREGATES_MAX}.`, {
      maxItems: AGGREGATES_MAX,
    }),
    hosts: list(host, `At most ${HOSTS_MAX}.`),
  },
  {
    user: orNull(name('The user.')),
    image: orNull(image),
    volume_backed: yesOrNo('The server boots from a volume.'),
    request_id: orNull(name('Nova’s request id.')),
    global_request_id: orNull(name('The global request id.')),
    all_attributes: yesOrNo(
      'The hosts have all of Nova’s attributes, and not only `hypervisor_version`; default: false.',
    ),
    missed_calls: missedCalls,
  },
)

const needs = list(
  oneOf('A field of hosts.', 'attributes'),
  'What the filters or weighers of this server read and the request lacks: send it, too. Nothing was decided then.',
)

export const novaFilteredShape = object('Which hosts pass.', {
  needs,
  decision: orNull(uuid('The decision that was kept.')),
  passes: list(whole('The place of a host in the request, from 0.'), 'The hosts that pass.'),
  refused: list(
    object('A host that does not.', {
      host: whole('Its place in the request, from 0.'),
      filter: text('The first filter that refuses it.'),
      code: text('The first reason.'),
      text: text('The reason in words.'),
    }),
    'The others.',
  ),
  summary: text('All of it in one line, for a log.'),
})

export const novaWeighedShape = object('The weights of the hosts.', {
  needs,
  weights: list(number('Higher is better.'), 'In the order of the request.'),
})
