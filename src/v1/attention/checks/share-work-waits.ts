import { countText } from '../../../kernel/count-text.ts'
import { providerSlot } from '../../../kernel/ids.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** A worker renews its lease long before this time is over. Without a renewal, no worker is active. */
const SILENT_MS = 60_000

/** A back end has work to do, but no process does it. */
export const shareWorkWaits: AttentionCheck = {
  code: 'share-backend.silent',
  what: 'Back ends with work to do for which no process works.',
  severity: 'warning',
  operation: 'service:index',
  restMs: 0,
  readsMoreThanState: true,
  find({ world, nowMs }) {
    const { shares, providers } = world
    const waiting = new Map<number, number>()
    for (const { backend_id } of shares.steps.rows())
      waiting.set(backend_id, (waiting.get(backend_id) ?? 0) + 1)
    const worst = new WorstItems()
    for (const [backend, steps] of waiting) {
      const lease = shares.leases.get(backend)
      if (lease !== undefined && lease.expires_at + SILENT_MS > nowMs) continue
      worst.add(steps, {
        name: providers.name(providerSlot(backend)),
        text: `${countText(steps, 'step waits', 'steps wait')}, and no process works on this back end`,
        link: '/shares',
      })
    }
    if (worst.total === 0) return null
    return {
      total: worst.total,
      text: `${countText(worst.total, 'share back end is', 'share back ends are')} without a process`,
      link: '/shares',
      command: 'berth share pools',
      items: worst.list(),
    }
  },
}
