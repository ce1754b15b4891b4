import { countText } from '../../../kernel/count-text.ts'
import { nameOrEmpty } from '../../../scheduling/pools/pools.ts'
import type { HintRow, ShareRow } from '../../../world/shares.ts'
import type { World } from '../../../world/world.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** Shares that are together and should be apart, or the other way round. */
export const shareTiesBroken: AttentionCheck = {
  code: 'share-tie.broken',
  what: 'Shares that should be on one back end and are not, or the other way round.',
  severity: 'warning',
  operation: 'berth:changes:projects',
  restMs: 0,
  async find({ world, turns }) {
    const { shares } = world
    const worst = new WorstItems()
    const seen = new Set<string>()
    let first: string | null = null
    for (const hint of [...shares.hints.rows()]) {
      await turns.give()
      const share = shares.shares.get(hint.share_id)
      const other = shares.findShare(hint.other)
      if (share === undefined || other === undefined || !isBroken(world, hint, share, other)) continue
      const pair = [hint.kind, ...[share.uuid, other.uuid].sort()].join(' ')
      if (seen.has(pair)) continue
      seen.add(pair)
      first ??= share.uuid
      worst.add(0, {
        name: share.name ?? share.uuid,
        text: `should be ${hint.kind === 'same_host' ? 'with' : 'apart from'} ${other.name ?? other.uuid}; it is on ${nameOrEmpty(world, share.pool_id)}`,
        link: `/shares/${share.uuid}`,
      })
    }
    if (first === null) return null
    return {
      total: worst.total,
      text: `${countText(worst.total, 'hint of a share is', 'hints of shares are')} not met`,
      link: `/shares/${first}`,
      command: `berth explain share ${first}`,
      items: worst.list(),
    }
  },
}

/** Ties are about back ends. A share without a place breaks nothing. */
function isBroken({ shares }: World, { kind }: HintRow, share: ShareRow, other: ShareRow): boolean {
  const [here, there] = [shares.findBackend(share.pool_id), shares.findBackend(other.pool_id)]
  if (here === null || there === null || share.deleted_at !== null || other.deleted_at !== null) return false
  return kind === 'same_host' ? here !== there : here === there
}
