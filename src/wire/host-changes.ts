import { CHANGED_HOSTS_MAX, RATIO_MAX } from '../kernel/number-bounds.ts'
import { FIT_FLAVORS_MAX } from './fit.ts'
import { byName, list, number, object, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'
import { DRAINED_SERVERS_MAX } from './simulation.ts'

/** Changes to many hosts at once: the request, its preview, and how to take it back. */

const CLASSES_MAX = 50
const AGGREGATES_MAX = 50
/** Servers and hosts that a preview lists; it counts all. */
export const LISTED_MAX = 100

const changeFields = {
  disabled: yesOrNo('True: nothing new goes to them. False: something may again.'),
  disabled_reason: orNull(
    text('Why they are disabled; null removes the reason. Without it, disabled hosts keep theirs.', {
      minLength: 1,
      maxLength: 255,
    }),
  ),
  allocation_ratios: byName(
    number('The allocation ratio.', { minimum: 0, maximum: RATIO_MAX }),
    'New allocation ratios by resource class, in the whole tree of each host. Hosts without the class stay as they are.',
    { maxProperties: CLASSES_MAX },
  ),
  join: list(text('Name or uuid.', { minLength: 1 }), 'Host aggregates that they join.', {
    maxItems: AGGREGATES_MAX,
  }),
  leave: list(text('Name or uuid.', { minLength: 1 }), 'Host aggregates that they leave.', {
    maxItems: AGGREGATES_MAX,
  }),
}

const chosenHosts = list(text('A name.', { minLength: 1 }), `Which hosts; at most ${CHANGED_HOSTS_MAX}.`, {
  minItems: 1,
  maxItems: CHANGED_HOSTS_MAX,
})

const generations = byName(
  whole('The generation that you saw.', { minimum: 0 }),
  'By host: refused if the generation of its root provider is another one. Claims raise generations, too.',
  { maxProperties: CHANGED_HOSTS_MAX },
)

export const changeHostsBody = object(
  'The hosts, and the state that they are to have.',
  { hosts: chosenHosts },
  { ...changeFields, generations },
)
export type ChangeHostsBody = TypeOf<typeof changeHostsBody>

export const changedHostsShape = object('What was done.', {
  revision: orNull(
    whole('The revision of the change, with which it can be undone; null if nothing was changed.'),
  ),
  changed: list(text('A name.'), 'The hosts that were changed.'),
  unchanged: list(text('A name.'), 'The hosts that were so already.'),
})
export type ChangedHosts = TypeOf<typeof changedHostsShape>

export const undoHostsBody = object('Which change.', {
  revision: whole('Its revision, as the answer to the change and the audit log have it.', { minimum: 1 }),
})

export const undoneHostsShape = object('What was undone.', {
  revision: whole('The revision of the change that undid it.'),
  hosts: list(text('A name.'), 'The hosts that have their earlier state again.'),
})
export type UndoneHosts = TypeOf<typeof undoneHostsShape>

export const previewHostsBody = object(
  'The hosts, and the state that they would have.',
  { hosts: chosenHosts },
  {
    ...changeFields,
    drain: yesOrNo(
      `Their servers would have to go elsewhere as well; at most ${DRAINED_SERVERS_MAX} servers. Default: false.`,
    ),
  },
)
export type PreviewHostsBody = TypeOf<typeof previewHostsBody>

export const hostsPreviewShape = object('What would come of it.', {
  revision: whole('The revision of the state that was copied.'),
  refused: orNull(
    text(
      'Why the change itself would be refused: a host or host aggregate belongs to a cloud, and is changed there.',
    ),
  ),
  changed: list(text('A name.'), 'The hosts that would change.'),
  unchanged: list(text('A name.'), 'The hosts that are so already.'),
  generations: byName(whole('The generation.'), 'Of the root provider of each host, by name.'),
  servers: whole('Servers on these hosts.'),
  others: whole('Other consumers that hold something of them.'),
  flavors: list(
    object('How many more servers of a flavor fit in the whole cloud.', {
      id: text('Its id.'),
      name: text('Its name.'),
      before: whole('As it is.'),
      after: whole('After the change.'),
      exact: yesOrNo('False: about so many.'),
    }),
    `The first ${FIT_FLAVORS_MAX} flavors by name.`,
  ),
  flavors_truncated: yesOrNo('There are more flavors.'),
  over_capacity: list(
    object('An inventory that would have more in use than its capacity.', {
      host: text('The host.'),
      class: text('The resource class.'),
      used: whole('What is in use.'),
      capacity: whole('The capacity that it would have.'),
    }),
    `The first ${LISTED_MAX}. What is there stays there; nothing new fits.`,
  ),
  over_capacity_count: whole('How many there would be.'),
  broken: list(
    object('A server that its host would no longer be allowed to have.', {
      instance: uuid('The server.'),
      name: orNull(text('Its name.')),
      host: text('Where it is.'),
      flavor: text('The name of its flavor.'),
      reason: text('Why.'),
    }),
    `The first ${LISTED_MAX} servers that would break a rule and do not now.`,
  ),
  broken_count: whole('How many of them were found.'),
  broken_truncated: yesOrNo('Not all servers were looked at.'),
  drained: orNull(
    object('Where the servers would go.', {
      moved: whole('Servers that find a place.'),
      stuck: whole('Servers that find none.'),
      to: list(
        object('A host that takes some.', { host: text('Its name.'), servers: whole('How many.') }),
        `Where they go, most first; the first ${LISTED_MAX}.`,
      ),
      stuck_servers: list(
        object('A server that finds no place.', {
          instance: uuid('The server.'),
          name: orNull(text('Its name.')),
          host: text('Where it is.'),
          reason: text('Why it finds no place.'),
        }),
        `The first ${LISTED_MAX}.`,
      ),
    }),
  ),
})
export type HostsPreview = TypeOf<typeof hostsPreviewShape>
