import { countText } from '../../../kernel/count-text.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** A reservation lacks places, or the servers of some host would find none if it failed. */
export const reservationsShort: AttentionCheck = {
  code: 'reservation.short',
  what: 'Reservations that lack something: places of a project, or room for the failure of one host.',
  severity: 'warning',
  operation: 'berth:decisions',
  restMs: 0,
  find({ world }) {
    const worst = new WorstItems()
    let isFailover = false
    let first: string | null = null
    for (const { name, kind, short } of world.reservations.rows.all()) {
      if (short === 0) continue
      first ??= name
      isFailover ||= kind === 'failover'
      const text =
        kind === 'failover'
          ? `${countText(short, 'server finds', 'servers find')} no place if the worst host fails`
          : `${countText(short, 'place is', 'places are')} missing`
      worst.add(short, { name, text, link: null })
    }
    if (first === null) return null
    return {
      ...(isFailover && { severity: 'critical' as const }),
      total: worst.total,
      text: `${countText(worst.total, 'reservation lacks', 'reservations lack')} capacity`,
      link: null,
      command: `berth reservation show ${shellWord(first)}`,
      items: worst.list(),
    }
  },
}
