import type { SchedulingSettings } from '../../framework/settings.ts'
import type { AggregateView } from '../host-view.ts'
import type { SchedulingRequest } from '../request-view.ts'
import { type FlavorQuery, flavorQuery } from './flavor-query.ts'
import type { PlacementQuery } from './placement-query.ts'
import { type Prefiltered, prefiltered } from './prefilters.ts'
import type { FlavorWarning } from './query-draft.ts'

type Translated = Extract<FlavorQuery, { ok: true }>

type RequestQuery = (Translated & Prefiltered) | Exclude<FlavorQuery, Translated>

/** What a request asks of Placement: what the flavor says, or what is said instead, narrowed by the prefilters. */
export function requestQuery(
  request: SchedulingRequest,
  aggregates: readonly AggregateView[],
  settings: SchedulingSettings,
  instead: PlacementQuery | null = null,
): RequestQuery {
  const translated: FlavorQuery =
    instead === null ? flavorQuery(request, settings) : { ok: true, query: instead, warnings: [] }
  if (!translated.ok) return translated
  const { query, ...narrowed } = prefiltered(translated.query, { request, aggregates, settings })
  // Filters will refuse most hosts then, and a limit could leave none of the others.
  const limit = isAboutNeighbours(request) ? null : query.limit
  const warnings = [...translated.warnings, ...unheardIn(narrowed.applied)]
  return { ...translated, ...narrowed, query: { ...query, limit }, warnings }
}

const unheardIn = (applied: Prefiltered['applied']): FlavorWarning[] =>
  applied.flatMap(({ prefilter, narrowing }) =>
    narrowing.kind === 'unknown-traits'
      ? [{ code: 'unknown-traits', prefilter, traits: narrowing.traits }]
      : [],
  )

const isAboutNeighbours = ({ hints, group }: SchedulingRequest): boolean =>
  group !== null || hints.sameHost.length > 0 || hints.differentHost.length > 0
