import type { ActivityEntry } from '../../wire/activity.ts'
import { flexible, type Look, table } from './table.ts'

/** A line for each entry. Followed entries come a few at a time, so their titles would repeat. */
export function activityText(entries: readonly ActivityEntry[], look: Look, hasTitles = true): string {
  const rows = entries.map(one => [one.at.slice(0, 19), whoOf(one), describeEntry(one)])
  if (hasTitles) return table(['when', 'who', flexible('what')], rows, look)
  return rows.map(row => `${row.join('  ')}\n`).join('')
}

const whoOf = ({ user, user_name }: ActivityEntry): string => user_name ?? user ?? 'berth'

const describeEntry = ({ text, count }: ActivityEntry): string =>
  count === 1 ? text : `${text}; and ${count - 1} more of this kind`
