import { choiceShape } from './scheduling.ts'
import {
  anyObject,
  anything,
  byName,
  list,
  object,
  oneOf,
  orNull,
  type TypeOf,
  text,
  uuid,
  whole,
  yesOrNo,
} from './shape.ts'

const placed = object('A server and its host.', {
  instance: uuid('The server.'),
  host: text('Its host.'),
  provider: orNull(uuid('The root provider of the host; null for a pool of Manila.')),
})

export const decisionFields = {
  id: uuid('Its id.'),
  kind: oneOf(
    'The request.',
    'schedule',
    'move',
    'rebuild',
    'share',
    'share-move',
    'dry-run',
    'nova-filter',
    'manila-filter',
    'manila-place',
    'candidates',
    'claim',
  ),
  outcome: oneOf(
    'What came of it; `passed`: hosts were left to another scheduler.',
    'placed',
    'refused',
    'passed',
  ),
  request_id: orNull(text('The request of another service that it was made for.')),
  global_request_id: orNull(text('The global request id of that service.')),
  project_id: orNull(text('Whose servers.')),
  project_name: orNull(text('The name of that project, if this server keeps projects.')),
  user_id: orNull(text('Who asked; null if it was not told.')),
  user_name: orNull(text('The name of that user, if this server keeps users.')),
  at: text('When.'),
  revision: whole('The revision of the state that was chosen from.'),
  decided_revision: whole('The revision of the state on which the choice was claimed.'),
  placed: list(placed, 'The servers and their hosts.'),
  asked: object('What was asked, in short.', {
    instances: list(uuid('A server, or the share.'), 'What it is about.'),
    names: byName(text('Its name.'), 'By uuid, the names of those that have one.'),
    flavor: orNull(text('The flavor, or the share type.')),
    zone: orNull(text('The availability zone.')),
    host: orNull(text('The only host or pool that would do.')),
    server_group: orNull(text('The server group.')),
    hints: anyObject('Scheduler hints.'),
    image: orNull(anyObject('Properties of the image.')),
    volume_backed: yesOrNo('Its root disk is a volume.'),
    gigabytes: orNull(whole('The size of a share.')),
    query: orNull(text('The query for candidates.')),
  }),
  reason: orNull(text('Why it was refused, in words.')),
}

const summary = {
  choice: orNull(choiceShape),
  refusal: orNull(anyObject('Why no place was found; null if one was.')),
}

export const decisionShape = object('A decision.', {
  ...decisionFields,
  ...summary,
  seed: whole('Seed of the random choices.'),
  request: anything('What was asked, with the filters, weighers and settings of that moment.'),
})

export const replayedShape = object('The same request on the same state, once more.', {
  decision: uuid('The decision.'),
  same: yesOrNo('Same result.'),
  outcome: oneOf('What comes of it.', 'placed', 'refused'),
  placed: list(placed, 'The servers and their hosts.'),
  ...summary,
  reason: orNull(text('Why it is refused, in words.')),
})

const sideShape = object('One state.', {
  revision: whole('Its revision.'),
  hosts: whole('All hosts.'),
  with_room: whole('Hosts with room for what is asked of Placement.'),
  passed: whole('Hosts that pass every filter as well.'),
})

const verdictShape = orNull(
  object('What became of the host; null: there was no such host.', {
    verdict: oneOf(
      'It passes; filters refuse it; it has no room; or it was not to be looked at.',
      'passes',
      'refused',
      'no-room',
      'left-out',
    ),
    reasons: list(text('As a sentence.'), 'Why not.'),
  }),
)

export const HOSTS_COMPARED_MAX = 1_000

export const comparedDecisionShape = object('The same request at that time, `before`, and `now`.', {
  decision: uuid('The decision.'),
  before: sideShape,
  now: sideShape,
  settings_changed: yesOrNo('Filters, weighers or their settings changed since; `now` has the present ones.'),
  changed: whole('Hosts of which something else is said now.'),
  hosts: list(
    object('A host of which something else is said now.', {
      host: text('Its name.'),
      provider: uuid('Its root provider.'),
      before: verdictShape,
      now: verdictShape,
    }),
    `Those that pass now or passed before first; ${HOSTS_COMPARED_MAX} at most.`,
  ),
})

const listedDecisionShape = object('A decision.', decisionFields)

export type ListedDecision = TypeOf<typeof listedDecisionShape>
export type DecisionDetail = TypeOf<typeof decisionShape>
export type ReplayedDecision = TypeOf<typeof replayedShape>
export type ComparedDecision = TypeOf<typeof comparedDecisionShape>

export const decisionPageShape = object('A page.', {
  decisions: list(listedDecisionShape, 'Decisions, the newest first.'),
  next: orNull(uuid('The marker of the next page; null: there is none.')),
  searched_to: orNull(
    text(
      'With a next page: the time down to which was looked. A search looks at 5,000 decisions for one page.',
    ),
  ),
})

export type DecisionPage = TypeOf<typeof decisionPageShape>
