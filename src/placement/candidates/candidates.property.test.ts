/**
 * Compares the search with a brute-force model on thousands of small random clouds.
 * `BERTH_PROPERTY_RUNS=5000` runs many more, with new clouds each time; `BERTH_PROPERTY_SEED` (printed by a
 * failure) repeats a run.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anchorsOf,
  canonicalText,
  choicesOf,
  type ModelFound,
  modelCandidates,
  summariesOf,
} from '../../../test/candidate-model.ts'
import {
  behaviourOf,
  buildWorld,
  type Cloud,
  type Query,
  type Questionnaire,
  questionnaires,
  SHARING_TRAIT,
} from '../../../test/clouds.ts'
import { countRuns } from '../../../test/property-runs.ts'
import type { World } from '../../world/world.ts'
import {
  expandCandidate,
  type FoundCandidates,
  findCandidates,
  usedProviders,
  usedTrees,
} from './candidates.ts'
import type { SearchSettings } from './request.ts'

const { BERTH_PROPERTY_RUNS, BERTH_PROPERTY_SEED } = process.env
const CLOUDS = countRuns(400)
const QUERIES_MAX = 20

/** The default run is the same for everyone; every property has its own clouds. */
let nextSeed = BERTH_PROPERTY_RUNS === undefined ? 1 : Date.now() % 1e9

function checkClouds(claim: string, numRuns: number, judge: (questionnaire: Questionnaire) => void): void {
  const seed = Number(BERTH_PROPERTY_SEED ?? nextSeed++)
  test(claim, { timeout: 60_000 + numRuns * 1000 }, () => {
    fc.assert(fc.property(questionnaires(QUERIES_MAX), judge), { numRuns, seed })
  })
}

const everything: SearchSettings = {
  strategy: 'breadth-first',
  randomSeed: null,
  candidatesMax: Number.POSITIVE_INFINITY,
  stepsMax: Number.POSITIVE_INFINITY,
}
const manners: readonly SearchSettings[] = [
  everything,
  { ...everything, strategy: 'depth-first' },
  { ...everything, randomSeed: 7 },
  { ...everything, strategy: 'depth-first', randomSeed: 4_000_000_000 },
]

interface Case {
  readonly cloud: Cloud
  readonly world: World
  readonly query: Query
  readonly model: ModelFound
}

/** Judges every query of every cloud that the model does not refuse. */
function always(claim: string, judge: (given: Case) => void, numRuns = Math.ceil(CLOUDS / 5)): void {
  checkClouds(claim, numRuns, ({ cloud, queries }) => {
    const world = buildWorld(cloud)
    for (const query of queries) {
      const model = modelCandidates(cloud, query.request, behaviourOf(query.minor))
      if (model.kind === 'found') judge({ cloud, world, query, model })
    }
  })
}

function search(world: World, { minor, request }: Query, settings: SearchSettings): FoundCandidates {
  const found = findCandidates(world, request, behaviourOf(minor), settings)
  if (found.kind === 'refused') throw new Error(`refused: ${found.refusal.kind} ${found.refusal.name}`)
  return found
}

const withLimit = (query: Query, limit: number | null): Query => ({
  ...query,
  request: { ...query.request, limit },
})

function textsOf(world: World, found: FoundCandidates): string[] {
  const { plan } = found
  if (plan === null) return []
  const uuid = (slot: Parameters<typeof world.providers.uuid>[0]) => world.providers.uuid(slot)
  return [...found.candidates].map(candidate => {
    const { allocations, mappings } = expandCandidate(plan, candidate)
    const resources = [...allocations].map(([slot, amounts]): [string, Map<string, number>] => [
      uuid(slot),
      new Map([...amounts].map(([id, amount]) => [world.classes.name(id), amount])),
    ])
    const mapped = [...mappings].map(([suffix, slots]): [string, string[]] => [suffix, slots.map(uuid)])
    return canonicalText(new Map(resources), new Map(mapped))
  })
}

const summaryUuids = (world: World, found: FoundCandidates, query: Query): string[] =>
  (behaviourOf(query.minor).nested
    ? usedTrees(world, found).flatMap(root => world.providers.listSubtree(root))
    : usedProviders(world, found)
  ).map(slot => world.providers.uuid(slot))

checkClouds('a request is refused exactly when the model refuses it, for the same name', CLOUDS, given => {
  const world = buildWorld(given.cloud)
  for (const { minor, request } of given.queries) {
    const model = modelCandidates(given.cloud, request, behaviourOf(minor))
    const found = findCandidates(world, request, behaviourOf(minor), everything)
    if (model.kind === 'refused') expect(found).toEqual(model)
    else expect(found.kind).toBe('found')
  }
})

always(
  'without a limit, every strategy finds each candidate of the model once',
  ({ world, query, model }) => {
    for (const settings of manners) {
      const found = search(world, withLimit(query, null), settings)
      expect(textsOf(world, found).sort()).toEqual([...model.candidates.keys()].sort())
      expect(found.exhausted).toBe(false)
    }
  },
  CLOUDS,
)

always('summaries are whole trees, or only the providers used where trees are unknown', given => {
  const { world, query, model } = given
  const uuids = summaryUuids(world, search(world, withLimit(query, null), everything), query)
  expect(uuids.sort()).toEqual([...model.summaries].sort())
})

always('a limit keeps as many as it allows, and their summaries', ({ cloud, world, query, model }) => {
  const limit = query.request.limit ?? 2
  for (const settings of manners)
    for (const found of [
      search(world, withLimit(query, limit), settings),
      search(world, withLimit(query, null), { ...settings, candidatesMax: limit }),
    ]) {
      const texts = textsOf(world, found)
      expect(texts).toHaveLength(Math.min(limit, model.candidates.size))
      expect(new Set(texts).size).toBe(texts.length)
      const kept = texts.map(text => model.candidates.get(text)?.uses ?? [])
      expect(kept).not.toContainEqual([])
      const summaries = summariesOf(cloud, behaviourOf(query.minor), kept)
      expect(summaryUuids(world, found, query).sort()).toEqual([...summaries].sort())
    }
})

always('breadth-first: no tree has its next candidate before the others have theirs', given => {
  const { cloud, world, query, model } = given
  if (cloud.providers.some(provider => provider.traits.includes(SHARING_TRAIT))) return
  const countByAnchor = (texts: Iterable<string>) => {
    const counts = new Map<string, number>()
    for (const text of texts)
      for (const anchor of model.candidates.get(text)?.anchors ?? [])
        counts.set(anchor, (counts.get(anchor) ?? 0) + 1)
    return counts
  }
  const possible = countByAnchor(model.candidates.keys())
  for (const settings of manners.filter(({ strategy }) => strategy === 'breadth-first'))
    for (let limit = 1; limit <= Math.min(model.candidates.size, 12); limit++) {
      const taken = countByAnchor(textsOf(world, search(world, withLimit(query, limit), settings)))
      const most = Math.max(...taken.values())
      for (const [anchor, count] of possible)
        expect(taken.get(anchor) ?? 0).toBeGreaterThanOrEqual(Math.min(count, most - 1))
    }
})

always('the same seed gives the same answer, in the same order', ({ world, query }) => {
  for (const randomSeed of [0, 1, 99]) {
    const settings = { ...everything, randomSeed }
    const [once, again] = [search(world, query, settings), search(world, query, settings)]
    expect(textsOf(world, again)).toEqual(textsOf(world, once))
  }
})

/**
 * The number of ways to choose a provider, or none yet, for each ask: for each root, and again for each group
 * alone.
 */
function partialCombinations(cloud: Cloud, { minor, request }: Query): number {
  const perRoot = anchorsOf(cloud, request).map(anchor =>
    request.groups
      .flatMap(group => choicesOf(cloud, group, anchor, behaviourOf(minor)))
      .reduce((total, choices) => total * (choices.length + 1), 1),
  )
  return (request.groups.length + 1) * perRoot.reduce((sum, count) => sum + count, 0)
}

always('no search looks at more than all partial combinations', ({ cloud, world, query }) => {
  for (const settings of manners)
    expect(search(world, query, settings).steps).toBeLessThanOrEqual(partialCombinations(cloud, query))
})

always('a search out of steps says so, and what it has is right', ({ world, query, model }) => {
  const whole = search(world, query, everything)
  for (const stepsMax of [0, 1, 2, 5, whole.steps - 1, whole.steps + 1]) {
    if (stepsMax < 0) continue
    const found = search(world, query, { ...everything, stepsMax })
    expect(found.steps).toBeLessThanOrEqual(stepsMax)
    // With exactly enough steps, the search may not know that it is complete.
    if (stepsMax !== whole.steps) expect(found.exhausted).toBe(stepsMax < whole.steps)
    const texts = textsOf(world, found)
    expect(texts.filter(text => !model.candidates.has(text))).toEqual([])
    if (!found.exhausted) expect(texts).toEqual(textsOf(world, whole))
  }
})
