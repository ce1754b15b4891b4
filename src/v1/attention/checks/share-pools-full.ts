import { countText } from '../../../kernel/count-text.ts'
import { listAllPools } from '../../../scheduling/pools/pools.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** A pool counts as full from this part of its capacity on. */
const FULL = 0.95

export const sharePoolsFull: AttentionCheck = {
  code: 'share-pool.full',
  what: 'Share pools that are full (95 %).',
  severity: 'warning',
  operation: 'scheduler_stats:pools:detail',
  restMs: 0,
  find({ world }) {
    const worst = new WorstItems()
    for (const { name, totalGb, reservedGb, ratio, usedGb } of listAllPools(world)) {
      const capacity = Math.floor((totalGb - reservedGb) * ratio)
      const fullness = capacity > 0 ? usedGb / capacity : 1
      if (totalGb > 0 && fullness >= FULL)
        worst.add(fullness, {
          name,
          text: `${Math.max(0, capacity - usedGb)} of ${capacity} GiB left`,
          link: '/shares',
        })
    }
    if (worst.total === 0) return null
    return {
      total: worst.total,
      text: `${countText(worst.total, 'share pool is', 'share pools are')} full`,
      link: '/shares',
      command: 'berth share pools',
      items: worst.list(),
    }
  },
}
