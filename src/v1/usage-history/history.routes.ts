import type { Clock } from '../../kernel/clock.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { Store } from '../../store/store.ts'
import {
  forecastsShape,
  HISTORY_POINTS_DEFAULT,
  HISTORY_POINTS_MAX,
  historyShape,
} from '../../wire/history.ts'
import { object, oneOf, text, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { makeBusyProblem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { listForecastScopes, METHOD, makeForecasts } from './forecasts.ts'
import { readHistory } from './read-history.ts'
import { findScope, scopeFields } from './scopes.ts'

interface HistoryContext {
  readonly world: World
  readonly store: () => Store
  readonly clock: Clock
  readonly defaultZone: () => string
}

/** Limits how much reading slows down other requests. */
const AT_ONCE_MAX = 4

const unitField = text('Only this class; default: all.', { maxLength: 255 })

const historyQuery = object(
  'Of what, and how far back. Without zone, aggregate or host: of the whole cloud.',
  {},
  {
    ...scopeFields,
    host: text('Of this host: how full its tightest class is.', { maxLength: 255 }),
    resource_class: unitField,
    span: oneOf('How far back; default: a day.', 'day', 'month', 'year'),
    points: whole(
      `How many steps at most, so that a small chart reads little; default: ${HISTORY_POINTS_DEFAULT}.`,
      {
        minimum: 2,
        maximum: HISTORY_POINTS_MAX,
      },
    ),
  },
)

const problems = {
  404: 'There is no such zone, host aggregate or host.',
  503: 'Too many such requests are running: try again.',
}

/** Usage over time, and when it reaches the capacity. */
export function historyRoutes({ world, store, clock, defaultZone }: HistoryContext): V1Route[] {
  const permits = new Semaphore(AT_ONCE_MAX)
  return [
    v1Route({
      method: 'GET',
      path: '/history',
      operation: 'berth:history',
      summary: 'Show usage over time',
      description:
        'Usage and capacity by class. The cloud and its zones are sampled every minute, host aggregates and hosts every ten. ' +
        'A day is kept by these samples, 35 days by hours (not of hosts) and 400 days by days. Steps are joined if there are ' +
        'more than `points`; the lowest and the highest sample of a step are kept. Where nothing was recorded, values are null. ' +
        'Storage that hosts share counts in the cloud, not in a zone. The first 50 zones, the oldest 200 aggregates and the ' +
        'first 20,000 hosts are recorded.',
      query: historyQuery,
      answer: { description: 'The history.', shape: historyShape },
      problems: { 400: 'Zone, aggregate and host exclude each other.', ...problems },
      handle({ query: { span = 'day', points = HISTORY_POINTS_DEFAULT, resource_class = null, ...scope } }) {
        const found = findScope(world, scope, defaultZone())
        const asked = { found, span, unit: resource_class, pointsMax: points }
        return permits.run(() => readHistory(store(), asked, clock.nowMs()), makeBusy)
      },
    }),
    v1Route({
      method: 'GET',
      path: '/forecast',
      operation: 'berth:history',
      summary: 'Forecast when each class ends',
      description: `Without zone or aggregate: of the cloud and of each zone. ${METHOD}`,
      query: object('Of what.', {}, { ...scopeFields, resource_class: unitField }),
      answer: { description: 'The forecasts.', shape: forecastsShape },
      problems: { 400: 'Zone and aggregate exclude each other.', ...problems },
      async handle({ query: { resource_class: unit, ...scope } }) {
        const sources = { world, store: store(), defaultZone: defaultZone() }
        const isGiven = scope.zone !== undefined || scope.aggregate !== undefined
        const scopes = isGiven ? [findScope(world, scope, defaultZone())] : listForecastScopes(sources)
        const nowMs = clock.nowMs()
        const all = await permits.run(() => makeForecasts(sources, scopes, nowMs), makeBusy)
        const forecasts = unit === undefined ? all : all.filter(one => one.resource_class === unit)
        return { at: new Date(nowMs).toISOString(), method: METHOD, forecasts }
      },
    }),
  ]
}

const makeBusy = () => makeBusyProblem('history.busy', AT_ONCE_MAX)
