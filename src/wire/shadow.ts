import { anything, list, number, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

const sides = ['placement', 'berth'] as const

const latencyShape = orNull(
  object('Of the latest answers; null: there is none yet.', {
    p50_ms: number('Half of them took no longer.'),
    p99_ms: number('All but one in a hundred took no longer.'),
  }),
)

const ledgerDifferenceShape = object('Something that the two ledgers have differently.', {
  kind: text('`resource_class`, `trait`, `provider` or `consumer`.'),
  name: text('Its name, or the uuid of a consumer.'),
  key: text('Its uuid, or its name.'),
  field: text('What differs; `exists`: one side lacks it.'),
  left: anything('In Placement.'),
  right: anything('In Berth.'),
})

const sweepShape = object('The comparison of both ledgers, which goes on all the time.', {
  hurry: orNull(text('Why everything is compared at once; null: it goes slowly.')),
  checked: whole('Providers of this pass that were compared.'),
  total: whole('Providers of this pass.'),
  passes: whole('Passes that were completed since the start.'),
  last_pass_ended_at: orNull(text('When the last pass ended.')),
  failure: orNull(text('Why it cannot go on; null: it does.')),
})

const countShape = object('Requests of one kind.', {
  method: text('The method.'),
  route: text('The route.'),
  outcome: oneOf(
    'What came of comparing the answers. `known`: an error of Placement explains it. `raced`: something changed meanwhile. `skipped`: there was too much to do. `unknown`: Placement gave no answer to a write. `failed`: Berth gave none.',
    'equal',
    'known',
    'different',
    'raced',
    'skipped',
    'unknown',
    'failed',
  ),
  count: whole('How many.'),
})

export const shadowStatusShape = object('What this process knows.', {
  shadow: orNull(
    object('About the Placement that is shadowed.', {
      placement: text('Its address.'),
      reads: oneOf('Who answers reads.', ...sides),
      writes: oneOf('Who answers writes.', ...sides),
      is_ended: yesOrNo('Berth answers alone, and Placement gets nothing any more.'),
      since: text('When this process began to count.'),
      process_id: text('The id of this process: each counts for itself.'),
      leader: orNull(text('The process that sweeps and sends what is queued.')),
      differences: whole('Answers that differed.'),
      known: whole('Answers that differed because of a known error of Placement.'),
      repairs: whole('Differences between the ledgers that were found and repaired.'),
      orphaned: whole('Providers of which Placement counts something as used whose consumer it has lost.'),
      backlog: object('What is still to be done.', {
        writes_under_way: whole('Writes that Placement has not answered.'),
        to_apply: whole('Requests that Berth has not answered for itself.'),
        to_ask_again: whole('Reads that both sides are asked again, because the answers differed.'),
        in_doubt: whole('Things to compare, because an outcome or an order is not known.'),
        to_send: whole('Writes that wait for Placement. Only the leader knows.'),
      }),
      latency: object('Of the latest answers.', { placement: latencyShape, berth: latencyShape }),
      sweep: sweepShape,
      counts: list(countShape, 'By route and outcome.'),
    }),
  ),
})

const keptAnswerShape = orNull(
  object('An answer; null: there was none.', {
    status: whole('Its status.'),
    body: text('The beginning of its body.'),
  }),
)

export const shadowDifferencesShape = object('The latest; older ones are dropped.', {
  total: whole('How many there were.'),
  differences: list(
    object('Two answers to one request.', {
      number: whole('They are counted from 1.'),
      at: text('When.'),
      request_id: text('The id of the request in the log.'),
      method: text('The method.'),
      path: text('Path and query.'),
      version: orNull(text('The version that the client asked for.')),
      route: text('The route.'),
      what: text('What differs.'),
      known: orNull(text('The known error of Placement that explains it.')),
      placement: keptAnswerShape,
      berth: keptAnswerShape,
    }),
    'The newest first.',
  ),
  repairs: list(
    object('A difference between the ledgers.', {
      at: text('When.'),
      why: text('How it was found.'),
      what: text('What differed.'),
      repaired: orNull(oneOf('The side that was changed; null: neither could be.', ...sides)),
    }),
    'The newest first.',
  ),
})

export const shadowSwitchShape = object(
  'What to switch.',
  {},
  {
    reads: oneOf('Who answers reads.', ...sides),
    writes: oneOf('Who answers writes.', ...sides),
    force: yesOrNo('Switch even if the ledgers differ or writes are not sent yet.'),
  },
)

export const shadowSwitchedShape = object('What was switched.', {
  reads: oneOf('Who answers reads now.', ...sides),
  writes: oneOf('Who answers writes now.', ...sides),
  is_ended: yesOrNo('Placement gets nothing any more.'),
  lost: list(ledgerDifferenceShape, 'With force: how the ledgers differ; at most 100.'),
  unsent: whole('With force: writes that Placement will not get.'),
  not_compared: orNull(
    text('With force: why the ledgers could not be compared. Null: they were, or need not be.'),
  ),
})

export type ShadowStatus = TypeOf<typeof shadowStatusShape>
export type ShadowDifferences = TypeOf<typeof shadowDifferencesShape>
export type ShadowSwitched = TypeOf<typeof shadowSwitchedShape>
export type ShadowSwitch = TypeOf<typeof shadowSwitchShape>
