/** Renders the tables and charts of docs/performance.md from the latest results: `npm run bench:report`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { table } from '../scripts/markdown-table.ts'
import { type Line, lineChart } from './line-chart.ts'
import {
  type AloneResults,
  type AnswersResults,
  formatNumber,
  judgedTable,
  type PeerResults,
  type PeerScenario,
  type Run,
  readResults,
  type ScheduleResults,
  type Side,
} from './results.ts'

const root = new URL('..', import.meta.url)
const PAGE = new URL('docs/performance.md', root)
const PICTURES = new URL('docs/performance/', root)

const conditions = ({ machine, syncsPerSecond: [before, after], loadAverage, at }: Run): string =>
  `${at.slice(0, 10)}; ${machine}; load average ${loadAverage.toFixed(1)} from other work on the machine when it began; disk: ` +
  `${formatNumber(before)} fdatasync of 8 KiB a second before, ${formatNumber(after)} after.`

const times = (one: number, other: number): string => `${formatNumber(one / other)}x`

function peerTable({ scenarios, newestVersion }: PeerResults): string {
  return table(
    [
      ...['cloud', 'scenario', 'Placement', 'candidates, Placement', 'candidates, Berth'],
      ...['CPU ms, Placement', 'CPU ms, Berth', 'CPU ratio', 'CPU ms, bare HTTP', 'CPU ms, bare socket'],
      ...['p50 ms, Placement', 'p50 ms, Berth', 'p50 ratio'],
      ...['p99 ms, Placement', 'p99 ms, Berth', 'p99 ratio'],
    ],
    scenarios.flatMap(row => [
      ...(row.peer === null ? [] : [peerRow(row, '8.0', row.peer)]),
      ...(row.newest === null ? [] : [peerRow(row, `${newestVersion}, tuned`, row.newest)]),
    ]),
  )
}

function peerRow({ shape, hosts, scenario, berth, ready }: PeerScenario, name: string, peer: Side): string[] {
  return [
    ...[`${shape} ${hosts.toLocaleString('en')}`, scenario, name],
    ...(scenario.startsWith('ac-') ? [String(peer.items), String(berth.items)] : ['', '']),
    ...[formatNumber(peer.cpuMs), formatNumber(berth.cpuMs), times(peer.cpuMs, berth.cpuMs)],
    ...(ready === null ? ['', ''] : [formatNumber(ready.http.cpuMs), formatNumber(ready.socket.cpuMs)]),
    ...[formatNumber(peer.p50Ms), formatNumber(berth.p50Ms), times(peer.p50Ms, berth.p50Ms)],
    ...[formatNumber(peer.p99Ms), formatNumber(berth.p99Ms), times(peer.p99Ms, berth.p99Ms)],
  ]
}

function aloneTable({ reads }: AloneResults): string {
  return table(
    [
      'cloud',
      'hosts',
      'scenario',
      'candidates',
      'KB',
      'p50 ms',
      'p99 ms',
      'CPU ms',
      'CPU ms, 8 clients',
      'requests a second, 8 clients',
    ],
    reads.map(({ shape, hosts, scenario, items, one, eight }) => [
      ...[shape, hosts.toLocaleString('en'), scenario, String(items), formatNumber(one.bytes / 1_000)],
      ...[
        formatNumber(one.p50Ms),
        formatNumber(one.p99Ms),
        formatNumber(one.cpuMs),
        formatNumber(eight.cpuMs),
        formatNumber(eight.perSecond),
      ],
    ]),
  )
}

function claimsTable({ claims }: AloneResults): string {
  return table(
    ['hosts', 'clients', 'claims a second', 'p50 ms', 'p99 ms', 'CPU ms a claim'],
    claims.map(({ hosts, clients, figures }) => [
      ...[hosts.toLocaleString('en'), String(clients), formatNumber(figures.perSecond)],
      ...[formatNumber(figures.p50Ms), formatNumber(figures.p99Ms), formatNumber(figures.cpuMs)],
    ]),
  )
}

function startText({ start, bulk }: AloneResults): string {
  const mib = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MiB`
  return table(
    ['what', 'figure'],
    [
      ['import of 100,000 providers in one stream', `${formatNumber(bulk.wallMs / 1_000)} s`],
      [
        `start with ${start.providers.toLocaleString('en')} providers and ${start.allocations.toLocaleString('en')} allocations`,
        `${formatNumber(start.wallMs)} ms, ${formatNumber(start.cpuMs)} ms of CPU`,
      ],
      ['the same in memory, after a collection', mib(start.stateBytesOfFull)],
      ['resident after the start, garbage of loading included', mib(start.residentBytes)],
      [
        'a provider without consumers: 3 inventories, 12 traits, 2 aggregates',
        `${formatNumber(start.stateBytesPerProvider)} bytes`,
      ],
      ['its summary, once it was asked for', `${formatNumber(start.summaryBytesPerProvider)} bytes`],
    ],
  )
}

function decisionsTable({ decisions }: AloneResults): string {
  return table(
    ['decision among 10,000 hosts', 'CPU ms', 'decisions a second'],
    decisions.map(({ name, cpuMs }) => [name, formatNumber(cpuMs), formatNumber(1_000 / cpuMs)]),
  )
}

function earlyTable({ early }: AnswersResults): string {
  return table(
    ['requests after a start', 'p50 ms', 'p99 ms', 'CPU ms a request, compiler included'],
    early.map(({ from, to, p50Ms, p99Ms, cpuMs }) => [
      from === to ? `the first` : `${from.toLocaleString('en')} to ${to.toLocaleString('en')}`,
      ...[formatNumber(p50Ms), formatNumber(p99Ms), formatNumber(cpuMs)],
    ]),
  )
}

function scheduleTable({ rows }: ScheduleResults): string {
  const orNone = (value: number | null | undefined) => (value == null ? '' : formatNumber(value))
  return table(
    [
      ...['hosts', 'choice and claim before, CPU ms', 'now, CPU ms', 'decisions a second before', 'now'],
      ...['whole request before, CPU ms', 'now, CPU ms', 'p50 ms', 'p99 ms'],
      ...['at half of that: a second', 'p50 ms', 'p99 ms'],
    ],
    rows.map(({ hosts, choice, server }) =>
      [
        hosts.toLocaleString('en'),
        ...[choice?.before, choice?.now],
        ...[server?.fullBefore?.perSecond, server?.full.perSecond],
        ...[server?.fullBefore?.cpuMs, server?.full.cpuMs, server?.full.p50Ms, server?.full.p99Ms],
        ...[server?.half.perSecond, server?.half.p50Ms, server?.half.p99Ms],
      ].map(value => (typeof value === 'string' ? value : orNone(value))),
    ),
  )
}

function pictures({ reads }: AloneResults): Record<string, string> {
  const lines = (of: (figures: AloneResults['reads'][number]) => number): Line[] => {
    const flat = reads.filter(({ shape }) => shape === 'flat')
    const names = [...new Set(flat.map(({ scenario }) => scenario))]
    return names.map(name => ({
      name,
      points: flat
        .filter(({ scenario }) => scenario === name)
        .map(figures => [figures.hosts, of(figures)] as const),
    }))
  }
  return {
    'latency.svg': lineChart(
      'Median latency against the number of hosts',
      { x: 'hosts', y: 'p50, ms' },
      lines(({ one }) => one.p50Ms),
    ),
    'cpu.svg': lineChart(
      'CPU of a request against the number of hosts',
      { x: 'hosts', y: 'CPU, ms' },
      lines(({ one }) => one.cpuMs),
    ),
  }
}

function withParts(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, content]) => {
    const open = `<!-- ${name}: made by npm run bench:report -->`
    const close = `<!-- end of ${name} -->`
    const from = text.indexOf(open)
    const to = text.indexOf(close)
    if (from < 0 || to < from) throw new Error(`there is no place for '${name}': write ${open} and ${close}`)
    return `${text.slice(0, from + open.length)}\n\n${content}\n\n${text.slice(to)}`
  }, page)
}

const alone = readResults('alone')
const peer = readResults('peer')
const answers = readResults('answers')
const schedule = readResults('schedule')
const judged = (run: { readonly judged: AloneResults['judged'] }): string =>
  table(['what', 'figure', 'bound', 'verdict'], judgedTable(run.judged))
mkdirSync(PICTURES, { recursive: true })
for (const [name, svg] of Object.entries(pictures(alone))) writeFileSync(new URL(name, PICTURES), svg)
writeFileSync(
  PAGE,
  withParts(readFileSync(PAGE, 'utf8'), {
    'conditions of peer': conditions(peer),
    'bounds of peer': judged(peer),
    peer: peerTable(peer),
    'conditions of alone': conditions(alone),
    'bounds of alone': judged(alone),
    reads: aloneTable(alone),
    claims: claimsTable(alone),
    start: startText(alone),
    decisions: decisionsTable(alone),
    'conditions of answers': conditions(answers),
    answers: judged(answers),
    'first requests': earlyTable(answers),
    'conditions of schedule': conditions(schedule),
    'bounds of schedule': judged(schedule),
    schedule: scheduleTable(schedule),
  }),
)
