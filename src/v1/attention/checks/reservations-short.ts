import { countText } from '../../../kernel/count-text.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import type { ReservationRow } from '../../../world/reservations.ts'
import type { World } from '../../../world/world.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

function describeLack({ compute }: World, { kind, short, aggregate }: ReservationRow): string | null {
  if (kind === 'failover' && compute.aggregates.find(aggregate ?? '') === undefined)
    return 'its host aggregate is gone: it keeps nothing'
  if (short === 0) return null
  return kind === 'failover'
    ? `${countText(short, 'server finds', 'servers find')} no place if the worst host fails`
    : `${countText(short, 'place is', 'places are')} missing`
}

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
    for (const row of world.reservations.rows.all()) {
      const text = describeLack(world, row)
      if (text === null) continue
      first ??= row.name
      isFailover ||= row.kind === 'failover'
      worst.add(row.short, { name: row.name, text, link: null })
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
