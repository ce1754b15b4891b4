import { anything, list, number, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

const sides = ['placement', 'berth'] as const

const latencyShape = orNull(
  object('Latencies of the latest answers; null if there are none yet.', {
    p50_ms: number('The median.'),
    p99_ms: number('The 99th percentile.'),
  }),
)

const ledgerDifferenceShape = object('A difference between the two ledgers.', {
  kind: text('`resource_class`, `trait`, `provider` or `consumer`.'),
  name: text('Its name, or the uuid of a consumer.'),
  key: text('Its uuid, or its name.'),
  field: text('The field that differs; `exists` if one side lacks the object.'),
  left: anything('In Placement.'),
  right: anything('In Berth.'),
})

const sweepShape = object('The continuous comparison of both ledgers.', {
  hurry: orNull(text('Why everything is compared at full speed; null at the usual pace.')),
  checked: whole('Providers compared in this pass.'),
  total: whole('All providers of this pass.'),
  passes: whole('Passes completed since the start.'),
  last_pass_ended_at: orNull(text('When the last pass ended.')),
  failure: orNull(text('Why it cannot continue; null if it does.')),
})

const countShape = object('Requests of one kind.', {
  method: text('The method.'),
  route: text('The route.'),
  outcome: oneOf(
    'The result of the comparison. `known`: a known bug of Placement explains the difference. `raced`: the ledger changed meanwhile. `skipped`: there was too much to compare. `unknown`: Placement gave no answer to a write. `failed`: Berth gave none.',
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

export const shadowStatusShape = object('The counts of this process.', {
  shadow: orNull(
    object('Status of the shadow.', {
      placement: text('Its address.'),
      reads: oneOf('Who answers reads.', ...sides),
      writes: oneOf('Who answers writes.', ...sides),
      is_ended: yesOrNo('The shadow has ended: Berth answers alone, and Placement gets no further writes.'),
      since: text('The time since which this process counts.'),
      process_id: text('The id of this process. Each process counts separately.'),
      leader: orNull(text('The process that compares the ledgers and sends queued writes.')),
      differences: whole('Answers that differed.'),
      known: whole('Answers that differed because of a known bug of Placement.'),
      repairs: whole('Differences between the ledgers that were found and repaired.'),
      orphaned: whole('Providers with usage in Placement whose consumer Placement has lost.'),
      backlog: object('The work that is left.', {
        writes_under_way: whole('Writes that Placement has not answered.'),
        to_apply: whole('Requests that Berth has not repeated yet.'),
        to_ask_again: whole('Reads to repeat on both sides, because the answers differed.'),
        in_doubt: whole('Objects to compare, because the outcome or the order of writes is unknown.'),
        to_send: whole('Writes queued for Placement. Only the leader knows the number.'),
      }),
      latency: object('Of the latest answers.', { placement: latencyShape, berth: latencyShape }),
      sweep: sweepShape,
      counts: list(countShape, 'By route and outcome.'),
    }),
  ),
})

const keptAnswerShape = orNull(
  object('An answer; null if there was none.', {
    status: whole('Its status.'),
    body: text('The beginning of its body.'),
  }),
)

export const shadowDifferencesShape = object('The latest ones; older ones are dropped.', {
  total: whole('How many there were.'),
  differences: list(
    object('Two answers to one request.', {
      number: whole('Its number, counted from 1.'),
      at: text('When.'),
      request_id: text('The id of the request in the log.'),
      method: text('The method.'),
      path: text('Path and query.'),
      version: orNull(text('The requested microversion.')),
      route: text('The route.'),
      what: text('What differs.'),
      known: orNull(text('The known bug of Placement that explains it.')),
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
      repaired: orNull(oneOf('The side that was changed; null if the repair failed.', ...sides)),
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
    force: yesOrNo('Switch even if the ledgers differ or writes are still queued.'),
  },
)

export const shadowSwitchedShape = object('What was switched.', {
  reads: oneOf('Who answers reads now.', ...sides),
  writes: oneOf('Who answers writes now.', ...sides),
  is_ended: yesOrNo('The shadow has ended.'),
  lost: list(ledgerDifferenceShape, 'With force: differences of the ledgers, at most 100.'),
  unsent: whole('With force: writes that Placement will not get.'),
  not_compared: orNull(
    text('With force: why the ledgers could not be compared; null if they were, or did not have to be.'),
  ),
})

export type ShadowStatus = TypeOf<typeof shadowStatusShape>
export type ShadowDifferences = TypeOf<typeof shadowDifferencesShape>
export type ShadowSwitched = TypeOf<typeof shadowSwitchedShape>
export type ShadowSwitch = TypeOf<typeof shadowSwitchShape>
