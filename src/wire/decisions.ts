import { choiceShape } from './scheduling.ts'
import {
  anyObject,
  anything,
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
  at: text('When.'),
  revision: whole('The revision of the state that was chosen from.'),
  decided_revision: whole('The revision of the state on which the choice was claimed.'),
  placed: list(placed, 'The servers and their hosts.'),
  asked: object('What was asked, in short.', {
    instances: list(uuid('A server, or the share.'), 'What it is about.'),
    flavor: orNull(text('The flavor, or the share type.')),
    zone: orNull(text('The availability zone.')),
    host: orNull(text('The only host or pool that would do.')),
    server_group: orNull(text('The server group.')),
    hints: anyObject('Scheduler hints.'),
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

export const listedDecisionShape = object('A decision.', decisionFields)

export type ListedDecision = TypeOf<typeof listedDecisionShape>
export type DecisionDetail = TypeOf<typeof decisionShape>
export type ReplayedDecision = TypeOf<typeof replayedShape>
