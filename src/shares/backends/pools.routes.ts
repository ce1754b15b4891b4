import { ApiError, json } from '../../http/api.ts'
import { anyValue, listOf, mapOf, objectOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import { matchesPattern } from '../../kernel/pattern/pattern.ts'
import { makeShareRequest } from '../../scheduling/pools/choose.ts'
import { capabilitiesFilter } from '../../scheduling/pools/filters/capabilities.ts'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import { POOL_SETTINGS, type PoolView } from '../../scheduling/pools/pool-view.ts'
import { listAllPools } from '../../scheduling/pools/pools.ts'
import { makeFieldError } from '../bodies.ts'
import type { ShareApiRequest, ShareContext, ShareRoute } from '../context.ts'
import { findType } from '../share-types/share-types.ts'

/** Each a pattern. */
const FILTERS = ['host', 'backend', 'pool'] as const

const poolSchema = (isDetail: boolean) =>
  objectOf({
    name: text,
    host: text,
    backend: text,
    pool: text,
    ...(isDetail && { capabilities: mapOf(anyValue) }),
  })

export function poolRoutes(context: ShareContext): ShareRoute[] {
  const list = (path: string, operation: string, isDetail: boolean): ShareRoute => ({
    method: 'GET',
    path,
    operation,
    summary: isDetail ? 'List pools in detail' : 'List pools',
    query: ({ poolsByType }) => queryOf([...FILTERS, ...(poolsByType ? ['share_type'] : [])]),
    answers: { 200: objectOf({ pools: listOf(poolSchema(isDetail)) }) },
    handle(request) {
      const pools = listPools(context, request)
      return json(200, { pools: pools.map(pool => poolBody(pool, isDetail)) })
    },
  })
  return [
    list('/scheduler-stats/pools', 'scheduler_stats:pools:index', false),
    list('/scheduler-stats/pools/detail', 'scheduler_stats:pools:detail', true),
  ]
}

/** Splits `host@backend#pool`. */
function splitName({ name, backend }: PoolView) {
  const at = backend.indexOf('@')
  return { host: backend.slice(0, at), backend: backend.slice(at + 1), pool: name.slice(backend.length + 1) }
}

const poolBody = (pool: PoolView, isDetail: boolean) => ({
  name: pool.name,
  ...splitName(pool),
  ...(isDetail ? { capabilities: pool.capabilities } : {}),
})

function listPools(context: ShareContext, { query, features }: ShareApiRequest): PoolView[] {
  const { world } = context
  let pools = listAllPools(world)
  for (const name of FILTERS) {
    const pattern = query.last(name)
    if (pattern === undefined) continue
    pools = pools.filter(pool => {
      const fits = matchesPattern(`^(?:${pattern})`, splitName(pool)[name])
      if (fits === null)
        throw makeFieldError(name, pattern, 'It is not a pattern that Berth can match in linear time.')
      return fits
    })
  }
  const wanted = features.poolsByType ? query.last('share_type') : undefined
  if (wanted === undefined || wanted === '') return pools
  const type = findType(world, wanted)
  if (type === undefined) throw new ApiError(400, `Share type ${wanted} could not be found.`)
  const request = makeShareRequest(world, {
    operation: 'create',
    sizeGb: 0,
    extraSpecs: world.shares.getSpecs(type.id),
    zone: null,
    onlyHost: null,
    snapshot: null,
    hints: NO_HINTED_SHARES,
    nowMs: context.clock.nowMs(),
  })
  return pools.filter(pool => capabilitiesFilter.check(request, pool, POOL_SETTINGS).passes)
}
