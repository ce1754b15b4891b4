import {
  type ShadowDifferences,
  type ShadowStatus,
  type ShadowSwitch,
  type ShadowSwitched,
  shadowDifferencesShape,
  shadowStatusShape,
  shadowSwitchedShape,
  shadowSwitchShape,
} from '../../wire/shadow.ts'
import { object, yesOrNo } from '../../wire/shape.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'

type Side = 'placement' | 'berth'

type SwitchOutcome =
  | ({ readonly ok: true } & Pick<ShadowSwitched, 'lost' | 'unsent'> & {
        readonly notCompared: string | null
      })
  | {
      readonly ok: false
      readonly refused: {
        readonly reason: string
        readonly detail: string
        readonly differences: ShadowSwitched['lost']
      }
    }

/** The Placement that is shadowed, as far as /v1 shows it. */
export interface ShadowApi {
  readonly status: () => NonNullable<ShadowStatus['shadow']>
  readonly listDifferences: (includesKnown: boolean) => ShadowDifferences
  readonly sweepAll: () => void
  readonly set: (
    wanted: { readonly reads?: Side; readonly writes?: Side },
    force: boolean,
  ) => Promise<SwitchOutcome>
  readonly end: (force: boolean) => Promise<SwitchOutcome>
}

export function shadowRoutes(shadow: () => ShadowApi | null): V1Route[] {
  return [...readRoutes(shadow), ...switchRoutes(shadow)]
}

function readRoutes(shadow: () => ShadowApi | null): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/shadow',
      operation: 'berth:shadow',
      summary: 'Show how Berth compares with the Placement that it shadows',
      description: 'Counts are those of the process that answers, since its start.',
      answer: { description: 'The status; null if no Placement is shadowed.', shape: shadowStatusShape },
      handle: () => ({ shadow: shadow()?.status() ?? null }),
    }),
    v1Route({
      method: 'GET',
      path: '/shadow/differences',
      operation: 'berth:shadow',
      summary: 'List answers that differed, and repairs of the ledgers',
      description:
        'The latest 1,000 of each, of the process that answers. The log of the server has them all.',
      query: object(
        'What to list.',
        {},
        { known: yesOrNo('Also list differences that known bugs of Placement explain.') },
      ),
      answer: { description: 'The differences.', shape: shadowDifferencesShape },
      problems: { 409: 'No Placement is shadowed.' },
      handle: ({ query }) => requireShadow(shadow()).listDifferences(query.known === true),
    }),
  ]
}

function switchRoutes(shadow: () => ShadowApi | null): V1Route[] {
  const answer = { description: 'Who answers now.', shape: shadowSwitchedShape }
  const problems = { 409: 'The ledgers differ, writes are under way, or no Placement is shadowed.' }
  return [
    v1Write({
      method: 'POST',
      path: '/shadow/sweep',
      operation: 'berth:shadow:set',
      summary: 'Compare both ledgers at once',
      description: 'Compares everything at full speed. `GET /v1/shadow` shows the progress.',
      answer: { description: 'It has begun.', shape: shadowStatusShape },
      problems: { 409: 'No Placement is shadowed.' },
      write({ once }) {
        const found = requireShadow(shadow())
        found.sweepAll()
        return once.submit({ kind: 'shadow:note' }, () => ({ status: 200, body: { shadow: found.status() } }))
      },
    }),
    v1Write({
      method: 'PUT',
      path: '/shadow',
      operation: 'berth:shadow:set',
      summary: 'Switch reads or writes between Placement and Berth',
      description:
        'Compares both ledgers, holds writes until none is under way, compares again what changed meanwhile, and switches. Refuses if the ' +
        'ledgers differ, and names the differences. New writes wait for at most 30 seconds.',
      body: shadowSwitchShape,
      answer,
      problems,
      async write({ body, once }) {
        const { force = false, ...wanted } = body as ShadowSwitch
        const found = requireShadow(shadow())
        const switched = requireSwitched(found, await found.set(wanted, force))
        return once.submit({ kind: 'shadow:note' }, () => ({ status: 200, body: switched }))
      },
    }),
    v1Write({
      method: 'POST',
      path: '/shadow/end',
      operation: 'berth:shadow:set',
      summary: 'End the shadow: Placement gets no further writes',
      description:
        'Only while Berth answers writes. `PUT /v1/shadow` begins again, if the ledgers are still equal.',
      body: object('How.', {}, { force: yesOrNo('End even if writes are not sent yet.') }),
      answer,
      problems,
      async write({ body, once }) {
        const found = requireShadow(shadow())
        const switched = requireSwitched(found, await found.end(body.force === true))
        return once.submit({ kind: 'shadow:note' }, () => ({ status: 200, body: switched }))
      },
    }),
  ]
}

function requireShadow(shadow: ShadowApi | null): ShadowApi {
  if (shadow !== null) return shadow
  throw new Problem(409, 'shadow.none', 'No Placement is shadowed: start the server with --shadow-of.')
}

function requireSwitched(shadow: ShadowApi, outcome: SwitchOutcome): ShadowSwitched {
  if (!outcome.ok) {
    const { reason, detail, differences } = outcome.refused
    throw new Problem(409, `shadow.${reason}`, `Nothing was switched: ${detail}.`, { differences })
  }
  const { reads, writes, is_ended } = shadow.status()
  const { lost, unsent, notCompared: not_compared } = outcome
  return { reads, writes, is_ended, lost, unsent, not_compared }
}
