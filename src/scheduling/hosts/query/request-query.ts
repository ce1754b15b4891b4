import type { SchedulingSettings } from '../../framework/settings.ts'
import type { SchedulingRequest } from '../request-view.ts'
import { type FlavorQuery, translateFlavor } from './flavor-query.ts'
import type { PlacementQuery } from './placement-query.ts'
import { applyPrefilters, type PrefilterCloud, type Prefiltered } from './prefilters.ts'
import type { FlavorWarning } from './query-draft.ts'
import { listGroupWishes, listTraitWishes } from './trait-wishes.ts'

type Translated = Extract<FlavorQuery, { ok: true }>

type RequestQuery = (Translated & Prefiltered) | Exclude<FlavorQuery, Translated>

/** The Placement query of a request: from the flavor, or the one given instead, narrowed by the prefilters. */
export function makeRequestQuery(
  request: SchedulingRequest,
  cloud: PrefilterCloud,
  settings: SchedulingSettings,
  instead: PlacementQuery | null = null,
): RequestQuery {
  const translated: FlavorQuery =
    instead === null ? translateFlavor(request, settings) : { ok: true, query: instead, warnings: [] }
  if (!translated.ok) return translated
  const { query, ...narrowed } = applyPrefilters(translated.query, { request, cloud, settings })
  // Filters will then refuse most hosts, and a limit could hide all others.
  const limit = isAboutNeighbours(request) ? null : query.limit
  const warnings = [
    ...translated.warnings,
    ...listUnheard(narrowed.applied),
    ...listUselessWishes(request, cloud, query),
  ]
  return { ...translated, ...narrowed, query: { ...query, limit }, warnings }
}

const listUnheard = (applied: Prefiltered['applied']): FlavorWarning[] =>
  applied.flatMap(({ prefilter, narrowing }) =>
    narrowing.kind === 'unknown-traits'
      ? [{ code: 'unknown-traits', prefilter, traits: narrowing.traits }]
      : [],
  )

/** Wishes that change nothing. */
function listUselessWishes(
  request: SchedulingRequest,
  cloud: PrefilterCloud,
  { groups }: PlacementQuery,
): FlavorWarning[] {
  const wishes = listTraitWishes(request)
  const tried = listGroupWishes(wishes)
  const served = new Set(groups.filter(({ resources }) => resources.size > 0).map(({ suffix }) => suffix))
  return wishes.flatMap((wish): FlavorWarning[] => {
    const { group, trait, value } = wish
    const entry = { key: `trait${group}:${trait}`, value }
    if (!cloud.hasTrait(trait)) return [{ code: 'unknown-wish', ...entry }]
    if (group === '') return []
    if (!served.has(group)) return [{ code: 'wish-without-resources', ...entry }]
    return tried.includes(wish) ? [] : [{ code: 'too-many-wishes', ...entry }]
  })
}

const isAboutNeighbours = ({ hints, group }: SchedulingRequest): boolean =>
  group !== null || hints.sameHost.length > 0 || hints.differentHost.length > 0
