import type { CatalogDifference, CatalogImportReport } from '../../wire/catalog-import.ts'
import type { Look } from './table.ts'
import { cutTo, escapeControls } from './text-width.ts'

const SIGNS = { added: '+', changed: '~', removed: '-', kept: '=' } as const

/** What an import did, or would do: a line for each namespace, and the differences below it. */
export function catalogReportText({ namespaces, dry_run }: CatalogImportReport, look: Look): string {
  const lines = namespaces.flatMap(({ namespace, outcome, differences }) => [
    `${look.style.bold(escapeControls(namespace))}: ${outcome}${partsText(outcome, differences)}`,
    ...(outcome === 'created' ? [] : differences.flatMap(one => differenceLines(one, look))),
  ])
  const count = (outcome: string) => namespaces.filter(one => one.outcome === outcome).length
  const sums = ['created', 'updated', 'unchanged', 'skipped'].map(outcome => `${count(outcome)} ${outcome}`)
  return `${[...lines, `${dry_run ? 'would be: ' : ''}${sums.join(', ')}`].join('\n')}\n`
}

/** Everything in a new namespace is new, so numbers are enough. */
function partsText(outcome: string, differences: readonly CatalogDifference[]): string {
  if (outcome !== 'created') return ''
  const parts = ['association', 'property', 'object', 'tag'].flatMap(part => {
    const count = differences.filter(one => one.part === part).length
    return count === 0 ? [] : [`${count} ${count === 1 ? part : plural(part)}`]
  })
  return parts.length === 0 ? '' : ` with ${parts.join(', ')}`
}

const plural = (part: string): string => (part === 'property' ? 'properties' : `${part}s`)

function differenceLines({ part, name, action, before, after }: CatalogDifference, look: Look): string[] {
  const line = `  ${SIGNS[action]} ${part} ${escapeControls(name)}`
  const head = action === 'removed' ? look.style.bad(line) : action === 'kept' ? look.style.dim(line) : line
  if (before === undefined || after === undefined) return [head]
  return [head, ...fieldLines(before, after).map(field => cutTo(`      ${field}`, look.width))]
}

/** The fields in which two values differ; for values without fields, the values themselves. */
function fieldLines(before: unknown, after: unknown, path = ''): string[] {
  if (text(before) === text(after)) return []
  if (!isPlain(before) || !isPlain(after))
    return [`${path === '' ? '' : `${path}: `}${text(before)} → ${text(after)}`]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap(key => fieldLines(before[key], after[key], path === '' ? key : `${path}.${key}`))
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown): string =>
  value === undefined ? 'none' : escapeControls(JSON.stringify(value))
