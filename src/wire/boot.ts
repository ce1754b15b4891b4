import { decisionFields } from './decisions.ts'
import { list, object, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

const stageShape = object('One stage of a boot.', {
  at: text('When.'),
  kind: decisionFields.kind,
  outcome: decisionFields.outcome,
  text: text('What came of it, as a sentence.'),
  lines: list(text('A sentence.'), 'Details: parts of the query, filters, hosts.'),
  servers: list(uuid('A server.'), 'The servers that it names. A search for candidates names none.'),
  decision: orNull(uuid('The decision; null where none is kept, or for those who may not see it.')),
  query: orNull(text('The request to Placement.')),
  user: orNull(text('Who asked Placement.')),
  request_id: orNull(text('The request that it was decided in.')),
  global_request_id: orNull(text('The request that the caller worked on.')),
  revision: orNull(whole('The state that was answered from.')),
  explained_revision: orNull(whole('The state that the explanation is about; it may be later.')),
})

export const bootShape = object('What Berth knows about one boot.', {
  id: text('The request or the server.'),
  redacted: yesOrNo('Hosts, other projects and identifiers of Berth are left out.'),
  stages: list(stageShape, 'The stages in the order of time.'),
  is_cut: yesOrNo('There are more, and older, stages than these.'),
  servers: list(
    object('A server and where it is now.', {
      server: uuid('The server.'),
      hosts: list(text('A host.'), 'The hosts on which it has allocations; none if it has none.'),
    }),
    'The servers that stages name.',
  ),
  now: orNull(
    object('The last search, once more on the present state.', {
      revision: whole('The revision of this state.'),
      candidates: whole('How many candidates there are.'),
      capped: yesOrNo('There are more than were counted.'),
      changes: list(text('A sentence.'), 'Single changes that would give a candidate; each was tried.'),
    }),
  ),
  advice: list(text('A sentence.'), 'What else would help, or where to look next.'),
})

export type Boot = TypeOf<typeof bootShape>
export type BootStage = Boot['stages'][number]
