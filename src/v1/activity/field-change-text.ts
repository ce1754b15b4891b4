import { jsonText } from '../../kernel/records.ts'

type NameOf = (id: string) => string

export const text = (value: unknown): string =>
  value === null || value === undefined ? '-' : jsonText(value)

/** Longer values, and JSON, are left out: a line is read, the change itself has all. */
const VALUE_MAX = 80

/** What became of one column of a row, in words. */
export function fieldPhrase(field: string, before: unknown, after: unknown, nameOf: NameOf): string {
  if (field === 'deleted_at') return after === null ? 'restored' : 'soft-deleted'
  const label = field.replace(/^is_/, '').replaceAll('_', ' ')
  if (isBlank(after)) return `no ${label} any more`
  const now = valueText(field, after, nameOf)
  if (now === null) return `${label} changed`
  const was = isBlank(before) ? null : valueText(field, before, nameOf)
  return was === null ? `${label} ${now}` : `${label} ${was} → ${now}`
}

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === ''

function valueText(field: string, value: unknown, nameOf: NameOf): string | null {
  if (typeof value === 'number') {
    if (field.endsWith('_at')) return `${new Date(value).toISOString().slice(0, 19)}Z`
    return field.startsWith('is_') ? (value === 1 ? 'yes' : 'no') : String(value)
  }
  const shown = nameOf(text(value))
  return shown.length > VALUE_MAX || shown.startsWith('{') || shown.startsWith('[') ? null : shown
}
