import { memoizeByIdentity } from '../../framework/memoize.ts'
import { PASS, refuse } from '../../framework/refusal.ts'
import { evaluate } from '../../operators/evaluate.ts'
import { freeGbOf, type PoolFilter, type ShareRequest } from '../pool-view.ts'

const THIN = 'thin_provisioning'

/** Whether the type wants space that is not given out twice. */
export const isThick = memoizeByIdentity(({ extraSpecs }: ShareRequest): { readonly is: boolean } => {
  const wish = extraSpecs.get(THIN) ?? extraSpecs.get(`capabilities:${THIN}`)
  return { is: wish !== undefined && !evaluate('manila', true, wish).matches }
})

export const capacityFilter: PoolFilter = {
  name: 'CapacityFilter',
  summary: 'Keeps to pools with as much free space as the share needs.',
  reads: { request: ['size'], extraSpecs: [THIN], host: ['total', 'reserved', 'used', 'allocation ratio'] },
  check(request, pool) {
    const thick = isThick(request).is
    const free = freeGbOf(pool, thick)
    if (request.sizeGb <= free) return PASS
    const { totalGb: total, reservedGb: reserved, usedGb: used } = pool
    return refuse('capacity.short', {
      need: request.sizeGb,
      free,
      total,
      reserved,
      used,
      ratio: thick ? 1 : pool.ratio,
    })
  },
}
