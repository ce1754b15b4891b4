import type { ClassId } from '../../../kernel/ids.ts'
import { type RequestShape, roundedCount } from '../../../world/request-shapes.ts'
import type { World } from '../../../world/world.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { DEFAULT_SETTINGS } from '../../framework/settings.ts'
import { translateFlavor } from '../query/flavor-query.ts'
import type { PlacementQuery } from '../query/placement-query.ts'
import { makeRawQuery, makeRequest, type ServerSpec } from '../server-spec.ts'

/** What one provider must have, `count` times. */
export interface Need {
  readonly amounts: readonly (readonly [ClassId, number])[]
  /** One trait of each list. */
  readonly traits: readonly (readonly string[])[]
  readonly count: number
  /** Each from a different provider. */
  readonly isApart: boolean
}

/** One kind of expected request. */
export interface ExpectedRequest {
  /** Its share of all expected requests. */
  readonly share: number
  readonly needs: readonly Need[]
  readonly amounts: ReadonlyMap<ClassId, number>
}

/** The expected mix of requests, taken from the present servers. The same object until the mix changes. */
export interface RequestMix {
  readonly requests: readonly ExpectedRequest[]
  /** What a server takes on average of each class. */
  readonly means: ReadonlyMap<ClassId, number>
}

/** Only the most frequent shapes count. */
const SHAPES_MAX = 200
/** A shape counts if it has at least this share of the servers, about. Few change often, and cost as much as many. */
const SHARE_MIN = 1 / 512
/** A claim that is tried changes the mix and changes it back, so the last few are kept. */
const MIXES_MAX = 4

interface CachedMixes {
  version: number
  life: number
  last: RequestMix | null
  /** By what counts; the last used at the end. */
  readonly byShapes: Map<string, RequestMix>
}

const knownMixes = memoizeByIdentity(
  (_: World): CachedMixes => ({ version: 0, life: 0, last: null, byShapes: new Map() }),
)

export function getRequestMix(world: World): RequestMix {
  const known = knownMixes(world)
  const { version } = world.compute.requestShapes
  const life = world.lives + world.classes.size
  if (known.last !== null && known.version === version && known.life === life) return known.last
  if (known.life !== life) known.byShapes.clear()
  const shapes = listCounting(world)
  const key = JSON.stringify(shapes.map(({ request, servers }) => [request, roundedCount(servers)]))
  const mix = known.byShapes.get(key) ?? makeMix(world, shapes)
  known.byShapes.delete(key)
  known.byShapes.set(key, mix)
  if (known.byShapes.size > MIXES_MAX) known.byShapes.delete(known.byShapes.keys().next().value as string)
  Object.assign(known, { version, life, last: mix })
  return mix
}

function listCounting({ compute: { requestShapes } }: World): RequestShape[] {
  const least = roundedCount(requestShapes.servers) * SHARE_MIN
  return requestShapes
    .list()
    .filter(({ servers }) => roundedCount(servers) >= least)
    .sort(byCount)
    .slice(0, SHAPES_MAX)
}

/** A fixed order of equal counts: a replay must sum floating-point numbers in the same order. */
const byCount = (a: RequestShape, b: RequestShape): number =>
  roundedCount(b.servers) - roundedCount(a.servers) || (a.request < b.request ? -1 : 1)

function makeMix(world: World, shapes: readonly RequestShape[]): RequestMix {
  const parsed = shapes.flatMap(({ request, servers }) => {
    const query = queryOf(world, request)
    return query === null ? [] : [{ weight: roundedCount(servers), ...readNeeds(world, query) }]
  })
  const total = parsed.reduce((sum, { weight }) => sum + weight, 0)
  const requests = parsed.map(({ weight, ...rest }) => ({ share: weight / total, ...rest }))
  const means = new Map<ClassId, number>()
  for (const { share, amounts } of requests)
    for (const [id, amount] of amounts) means.set(id, (means.get(id) ?? 0) + share * amount)
  return { requests, means }
}

const queries = memoizeByIdentity((_: World) => new Map<string, PlacementQuery | null>())

/** The parsed request, cached. */
function queryOf(world: World, request: string): PlacementQuery | null {
  const known = queries(world)
  const before = known.get(request)
  if (before !== undefined) return before
  if (known.size > 4 * SHAPES_MAX) known.clear()
  const query = parseQuery(world, JSON.parse(request) as ServerSpec)
  known.set(request, query)
  return query
}

function parseQuery(world: World, spec: ServerSpec): PlacementQuery | null {
  if (spec.groups !== null) return makeRawQuery(spec.groups, spec.group_policy, 0)
  const bare = { ...spec, image: null, zone: null }
  const ask = { project: '', user: '', generation: null, host: null, not_hosts: [], group: null }
  const request = makeRequest(world, { ...ask, operation: 'create', instances: [], spec: bare }, '')
  const translated = translateFlavor(request, DEFAULT_SETTINGS)
  return translated.ok ? translated.query : null
}

/** Equal groups with a suffix become one need with a count. */
function readNeeds(world: World, query: PlacementQuery): Pick<ExpectedRequest, 'needs' | 'amounts'> {
  const needs = new Map<string, { -readonly [K in keyof Need]: Need[K] }>()
  const amounts = new Map<ClassId, number>()
  for (const { suffix, resources, required, anyOf } of query.groups) {
    const wanted = [...resources].flatMap(([name, amount]) => {
      const id = world.classes.id(name)
      return id === undefined ? [] : [[id, Number(amount)] as const]
    })
    for (const [id, amount] of wanted) amounts.set(id, (amounts.get(id) ?? 0) + amount)
    const traits = suffix === '' ? [] : [...required.map(trait => [trait]), ...anyOf]
    const parts = suffix === '' ? wanted.map(one => [one]) : [wanted]
    for (const part of parts) {
      const key = JSON.stringify([suffix === '' ? part : '', part, traits])
      const known = needs.get(key)
      if (known === undefined)
        needs.set(key, { amounts: part, traits, count: 1, isApart: query.groupPolicy === 'isolate' })
      else known.count++
    }
  }
  return { needs: [...needs.values()].filter(need => need.amounts.length > 0), amounts }
}
