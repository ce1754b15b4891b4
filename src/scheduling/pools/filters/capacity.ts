import { memoizeByIdentity } from '../../framework/memoize.ts'
import { PASS, refuse } from '../../framework/refusal.ts'
import { evaluate } from '../../operators/evaluate.ts'
import { computeFreeGb, definePoolFilter, definePoolReason, type ShareRequest } from '../pool-view.ts'

const THIN = 'thin_provisioning'

/** Whether the type requires thick provisioning. */
export const isThick = memoizeByIdentity(({ extraSpecs }: ShareRequest): { readonly is: boolean } => {
  const wish = extraSpecs.get(THIN) ?? extraSpecs.get(`capabilities:${THIN}`)
  return { is: wish !== undefined && !evaluate('manila', true, wish).matches }
})

type ShortFacts = {
  readonly need: number
  readonly free: number
  readonly total: number
  readonly reserved: number
  readonly used: number
  readonly ratio: number
}

export const capacityShort = definePoolReason({
  code: 'capacity.short',
  text({ need, free, total, reserved, used, ratio }: ShortFacts) {
    const times = ratio === 1 ? '' : `, times ${ratio}`
    return `${need} GB are requested, and ${free} GB are free (${total} in all, ${reserved} reserved${times}, ${used} used).`
  },
  hostsText: 'have too little free space',
  remedy: ({ need, free }, pool) => `free ${need - free} GB in ${pool}, or ask for less`,
  memberText: ({ need }) => `no pool that could take the share has ${need} GB free.`,
})

export const capacityFilter = definePoolFilter({
  name: 'CapacityFilter',
  summary: 'Passes only pools with as much free space as the share needs.',
  reads: { request: ['size'], extraSpecs: [THIN], host: ['total', 'reserved', 'used', 'allocation ratio'] },
  reasons: [capacityShort],
  messageDetail: '009',
  check(request, pool) {
    const thick = isThick(request).is
    const free = computeFreeGb(pool, thick)
    if (request.sizeGb <= free) return PASS
    const { totalGb: total, reservedGb: reserved, usedGb: used } = pool
    return refuse(capacityShort, {
      need: request.sizeGb,
      free,
      total,
      reserved,
      used,
      ratio: thick ? 1 : pool.ratio,
    })
  },
})
