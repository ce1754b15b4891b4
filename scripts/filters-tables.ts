/** What docs/reference/filters.md has from the code: every verdict in it is what the filter says. */

import type { Filter, Reads } from '../src/scheduling/framework/filter.ts'
import { reasonText } from '../src/scheduling/framework/refusal-text.ts'
import { SETTING_NAMES } from '../src/scheduling/framework/setting-names.ts'
import { evaluateFilter } from '../src/scheduling/hosts/evaluate-filter.ts'
import type { FilterItem } from '../src/scheduling/hosts/filter-item.ts'
import type { ExampleGroup } from '../src/scheduling/hosts/filters/aggregate-instance-type/example.fixture.ts'
import { RULINGS } from '../src/scheduling/hosts/filters/aggregate-instance-type/rulings.fixture.ts'
import { USE_CASES } from '../src/scheduling/hosts/filters/aggregate-instance-type/use-cases.fixture.ts'
import {
  AGGREGATE_KEY_READERS,
  FLAVOR_KEY_READERS,
  HOST_ATTRIBUTES,
  type KeyReader,
} from '../src/scheduling/hosts/query/key-readers.ts'
import { PREFILTERS } from '../src/scheduling/hosts/query/prefilters.ts'
import {
  ALL_FILTERS,
  ALL_WEIGHERS,
  DEFAULT_FILTERS,
  DEFAULT_WEIGHERS,
} from '../src/scheduling/hosts/registry.ts'
import { table } from './markdown-table.ts'

export const filterTables = (): Readonly<Record<string, string>> => ({
  filters: ALL_FILTERS.map(filterSection).join('\n\n'),
  weighers: weigherTable(),
  prefilters: table(
    ['prefilter', 'what it does'],
    PREFILTERS.map(({ name, summary }) => [`\`${name}\``, summary]),
  ),
  keys: keyTable(),
  'use-cases': USE_CASES.map(exampleSection).join('\n\n'),
  rulings: RULINGS.map(exampleSection).join('\n\n'),
})

function keyTable(): string {
  const rows = (where: string, readers: Readonly<Record<string, KeyReader>>, effect: string) =>
    Object.values(readers).map(({ reader, keys }) => [where, keys.map(code).join(', '), reader, effect])
  const attributes = [...HOST_ATTRIBUTES.figures, ...HOST_ATTRIBUTES.nested].toSorted().map(code).join(', ')
  return table(
    ['in', 'keys', 'read by', 'in this filter'],
    [
      ...rows('a flavor', FLAVOR_KEY_READERS, 'asks nothing of aggregates'),
      ['a flavor', attributes, 'the compute capabilities filter', 'skipped where no aggregate has the key'],
      ...rows('an aggregate', AGGREGATE_KEY_READERS, 'not demanded of flavors'),
    ],
  )
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : spaced(value)}\``

/** JSON with a blank after commas and colons, as people write it. */
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | (?=[\]}])/g, '$1')

function filterSection(filter: Filter): string {
  const place = DEFAULT_FILTERS.indexOf(filter)
  const where = place < 0 ? 'Not in the default list' : `Number ${place + 1} of the default list`
  const rebuild = filter.onRebuild === true ? ', and asked when an instance is rebuilt' : ''
  const { example } = filter
  const parts = [
    `### ${filter.name}`,
    `${filter.summary} *${where}${rebuild}.*`,
    readsOf(filter.reads),
    ...(example === undefined ? [] : [exampleTable(filter.name, [example.passes, example.refused])]),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

const exampleTable = (filter: string, items: readonly FilterItem[]): string =>
  table(
    ['asked about', 'says'],
    items.map(item => [code(item), verdictText(filter, item)]),
  )

function verdictText(filter: string, item: FilterItem): string {
  const [result] = evaluateFilter(filter, [item]) ?? []
  if (result === undefined) throw new Error(`there is no filter ${filter}`)
  const texts = [...result.reasons.map(reasonText), ...result.notes.map(note => `Note: ${note.text}`)]
  return [result.passes ? 'passes' : '**refused**', ...texts.map(escapeCell)].join('<br>')
}

/** Quoted texts as code; elsewhere without what a page would take for markup. */
const escapeCell = (text: string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, at) =>
      at % 2 === 1 ? code(part) : part.replaceAll(/[*~]/g, '\\$&').replaceAll(/<\S+>/g, code),
    )
    .join('')

const READS: Readonly<Record<keyof Reads, string>> = {
  extraSpecs: 'extra specs',
  metadata: 'metadata of aggregates',
  hints: 'hints',
  imageProperties: 'properties of the image',
  host: 'of the host',
  request: 'of the request',
  settings: 'settings',
}

function readsOf(reads: Reads): string {
  const lines = Object.entries(READS).flatMap(([kind, words]) => {
    const names = reads[kind as keyof Reads]
    return names === undefined ? [] : [`* ${words}: ${names.map(name => nameText(kind, name)).join(', ')}`]
  })
  return lines.length === 0 ? '' : `Reads:\n\n${lines.join('\n')}`
}

function nameText(kind: string, name: string): string {
  if (kind === 'host' || kind === 'request') return name
  if (kind !== 'settings') return code(name)
  const key = SETTING_NAMES[name as keyof typeof SETTING_NAMES]
  return `[\`${key}\`](configuration.md#${key})`
}

const weigherTable = (): string =>
  table(
    ['weigher', 'what it does', 'looks at', 'multiplier', 'by default'],
    ALL_WEIGHERS.map(weigher => [
      DEFAULT_WEIGHERS.includes(weigher) ? weigher.name : `${weigher.name} (not in the default list)`,
      weigher.summary,
      Object.entries(weigher.reads as Readonly<Record<string, readonly string[]>>)
        .flatMap(([kind, names]) => names.map(name => nameText(kind, name)))
        .join(', '),
      code(weigher.multiplierKey),
      `${weigher.multiplier}${weigher.isNegated === true ? ', counted as its negative' : ''}`,
    ]),
  )

const exampleSection = ({ title, rule, examples }: ExampleGroup): string =>
  [
    `#### ${title}`,
    rule,
    table(
      ['', 'extra specs', 'aggregates of the host', 'says'],
      examples.map(({ claim, extraSpecs, aggregates, passes }) => [
        escapeCell(claim),
        code(extraSpecs),
        aggregates.length === 0 ? 'none' : aggregates.map(code).join(' and '),
        requirePass(
          passes,
          verdictText('AggregateInstanceTypeFilter', { extra_specs: extraSpecs, aggregates }),
        ),
      ]),
    ),
  ].join('\n\n')

/** A page must not say what the example does not. */
function requirePass(passes: boolean, text: string): string {
  if (passes !== text.startsWith('passes')) throw new Error(`an example says otherwise: ${text}`)
  return text
}
