import { explanationShape } from './explanation.ts'
import { funnelShape, warningShape } from './scheduling.ts'
import {
  anyObject,
  anything,
  list,
  number,
  object,
  oneOf,
  openObject,
  orNull,
  type TypeOf,
  text,
  uuid,
  whole,
} from './shape.ts'

const reason = object('One thing that stands in the way.', {
  code: text('Its kind.'),
  facts: anyObject(
    'What was compared: key, requirement, values, the aggregates that gave them, the direction.',
  ),
  text: text('As a sentence.'),
})

const note = object('A remark.', {
  filter: text('Name of the filter.'),
  code: text('Its kind.'),
  facts: anyObject('What it is about.'),
  text: text('As a sentence.'),
})

const hostReportShape = object('What became of one host.', {
  host: text('Its name.'),
  provider: uuid('Its root provider.'),
  verdict: oneOf(
    'It passes; filters refuse it; it has no room; or it was not to be looked at.',
    'passes',
    'refused',
    'no-room',
    'left-out',
  ),
  misses: list(text('As a sentence.'), 'What it lacks of what is asked of Placement.'),
  refusals: list(
    object('A filter that says no.', { filter: text('Its name.'), reasons: list(reason, 'All of them.') }),
    'Of every filter that says no, not only of the first.',
  ),
  notes: list(note, 'Optional keys that were skipped, sentinels that contradict each other, and the like.'),
  weight: orNull(number('What the weighers gave it together, if it passes.')),
  contributions: list(
    object(
      'What one weigher gave.',
      {
        weigher: text('Its name.'),
        raw: number('What it measured.'),
        normalized: number('The same from 0, the worst host, to 1, the best.'),
        multiplier: number('How much it counts.'),
        weight: number('The product.'),
      },
      { text: text('What it measured, in words.') },
    ),
    'Weigher by weigher.',
  ),
})

const changeAdviceShape = openObject(
  'A change of the request, or of hosts; its kind says which further members it has.',
  { kind: text('Its kind.'), text: text('As a sentence.') },
  {
    hosts: whole('Hosts that would then do.'),
    key: text('The key it is about.'),
    host: text('The host it is about.'),
    provider: uuid('The root provider of that host.'),
    admits: list(
      object('A host.', { host: text('Its name.'), provider: uuid('Its root provider.') }),
      'Hosts that would do if all of the steps were done.',
    ),
    steps: list(
      object('One step.', {
        filter: text('The filter that it satisfies.'),
        code: text('The reason that it removes.'),
        text: text('What to do.'),
        command: orNull(text('The command that does it, where one does.')),
      }),
      'What to do.',
    ),
    command: orNull(text('The command that does it, where one does.')),
    reservation: text('Of `end-reservation`: the reservation that keeps the room.'),
    moves: list(
      object('A move.', {
        instance: uuid('The server.'),
        name: orNull(text('Its name.')),
        from: text('The host it is on.'),
        to: text('The host it goes to.'),
        to_provider: uuid('The root provider of that host.'),
      }),
      'Of `move-servers`: moves of servers that make room, in their order.',
    ),
  },
)

export const scheduleExplanationShape = object('Why a server would go where it would go, or nowhere.', {
  revision: whole('The revision of the state that was looked at.'),
  hosts: whole('All hosts.'),
  with_room: whole('Hosts with room for what is asked of Placement.'),
  passed: whole('Hosts that pass every filter as well.'),
  histogram: list(
    object('One reason, over all hosts with room.', {
      filter: text('Name of the filter.'),
      code: text('Its kind.'),
      key: orNull(text('The key it is about.')),
      hosts: whole('How many hosts it keeps out.'),
      only_reason: whole('How many of them have no other reason.'),
      text: text('In words, after the number of hosts: `report another value of hw:x`.'),
    }),
    'The reasons, the one with most hosts first.',
  ),
  funnel: funnelShape,
  query: text('What is asked of Placement: the query of `GET /allocation_candidates`.'),
  prefilters: list(anything('What one of them did.'), 'How the query was narrowed before it was asked.'),
  placement: explanationShape,
  changes: list(
    changeAdviceShape,
    'The smallest changes: of the request, each of them tried; then of single hosts.',
  ),
  reports: list(
    hostReportShape,
    'Hosts: those that pass, best first; then those with the fewest reasons against them.',
  ),
  reports_left_out: whole('Hosts that are not in the list; ask for more with `hosts_max`.'),
  warnings: list(warningShape, 'Parts of the request without effect, and other warnings.'),
})

export type ScheduleExplanation = TypeOf<typeof scheduleExplanationShape>
export type HostReport = ScheduleExplanation['reports'][number]
export type ChangeAdvice = ScheduleExplanation['changes'][number]
