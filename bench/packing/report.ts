/** Keeps the figures, and writes the tables and charts of docs/packing.md from them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { table } from '../../scripts/markdown-table.ts'
import { type Bar, barChart } from './bar-chart.ts'
import type { CostFigures } from './decision-cost.ts'
import { POLICIES } from './policies.ts'

interface Common {
  readonly list: string
  readonly policy: string
  readonly decisions: number
  readonly decisionMs: number
}
interface OpenbFigures extends Common {
  readonly kind: 'openb'
  readonly seeds: number
  readonly allocated: number
  readonly spread: number
}
interface AzureFigures extends Common {
  readonly kind: 'azure'
  readonly hosts: number
  readonly refused: number
  readonly empty: number
  readonly used: number
}
export type PackingFigures = OpenbFigures | AzureFigures | CostFigures

const root = new URL('../..', import.meta.url)
const RESULTS = new URL('bench/results/packing.json', root)
const PAGE = new URL('docs/packing.md', root)
const PICTURES = new URL('docs/performance/', root)

export const readPacking = (): PackingFigures[] =>
  existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as PackingFigures[]) : []

const round = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(3)) : value

export function keepPacking(figures: PackingFigures): void {
  const others = readPacking().filter(one => one.list !== figures.list || one.policy !== figures.policy)
  const order = (one: PackingFigures) => POLICIES.findIndex(({ name }) => name === one.policy)
  const all = [...others, figures].sort((a, b) =>
    a.list < b.list ? -1 : a.list > b.list ? 1 : order(a) - order(b),
  )
  mkdirSync(new URL('.', RESULTS), { recursive: true })
  writeFileSync(RESULTS, `${JSON.stringify(all, round, 2)}\n`)
}

const publishedOf = (policy: string, kind: 'openb' | 'azure'): string =>
  POLICIES.find(({ name }) => name === policy)?.published?.[kind]?.toFixed(2) ?? ''

const ms = (value: number): string => value.toFixed(2)

function openbTable(figures: readonly OpenbFigures[]): string {
  return table(
    ['policy', 'GPUs allocated, mean, %', 'standard deviation', 'seeds', 'elsewhere', 'ms of CPU a decision'],
    figures.map(one => [
      one.policy,
      one.allocated.toFixed(2),
      one.spread.toFixed(2),
      String(one.seeds),
      publishedOf(one.policy, 'openb'),
      ms(one.decisionMs),
    ]),
  )
}

function azureTable(figures: readonly AzureFigures[]): string {
  return table(
    [
      'policy',
      'refused',
      'empty hosts, %',
      'cores used on the others, %',
      'elsewhere',
      'ms of CPU a decision',
    ],
    figures.map(one => [
      one.policy,
      String(one.refused),
      one.empty.toFixed(1),
      one.used.toFixed(1),
      publishedOf(one.policy, 'azure'),
      ms(one.decisionMs),
    ]),
  )
}

/** Each profile beside the default, on the same hosts. */
function costSection(figures: readonly CostFigures[]): string[] {
  if (figures.length === 0) return []
  const defaultMs = (list: string): number | undefined =>
    figures.find(one => one.list === list && one.policy === 'spread (default)')?.decisionMs
  const rows = table(
    ['hosts', 'policy', 'ms of CPU a decision', 'times the default'],
    figures.map(one => {
      const base = defaultMs(one.list)
      return [
        `${one.hosts} ${one.list}`,
        one.policy,
        ms(one.decisionMs),
        base === undefined ? '' : (one.decisionMs / base).toFixed(2),
      ]
    }),
  )
  console.log(`\nCost of a decision\n${rows}`)
  return [`### Cost of a decision\n\n${rows}`]
}

export function reportPacking(all: readonly PackingFigures[]): void {
  const replayed = all.filter(one => one.kind !== 'cost')
  const sections = [...new Set(replayed.map(({ list }) => list))].map(list => {
    const own = replayed.filter(one => one.list === list)
    const openb = own.filter(one => one.kind === 'openb')
    const azure = own.filter(one => one.kind === 'azure')
    const bars: Bar[] = own.map(one => ({
      name: one.policy,
      value: one.kind === 'openb' ? one.allocated : one.used,
    }))
    const title = openb.length > 0 ? 'GPUs allocated, %' : 'Cores used on hosts that are not empty, %'
    const picture = `packing-${list.replaceAll('_', '-')}.svg`
    writeFileSync(new URL(picture, PICTURES), barChart(`${title}: ${list}`, bars))
    const rows = openb.length > 0 ? openbTable(openb) : azureTable(azure)
    console.log(`\n${list}\n${rows}`)
    return `### ${list}\n\n${rows}\n\n![${title}](performance/${picture})`
  })
  sections.push(...costSection(all.filter(one => one.kind === 'cost')))
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = ['<!-- packing: made by npm run bench:packing -->', '<!-- end of packing -->']
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/packing.md has no place for the tables: ${begin}`)
  writeFileSync(
    PAGE,
    `${page.slice(0, from + begin.length)}\n\n${sections.join('\n\n')}\n\n${page.slice(to)}`,
  )
}
