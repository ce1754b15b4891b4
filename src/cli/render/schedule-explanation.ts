import type { HostReport, ScheduleExplanation } from '../../wire/schedule-explanation.ts'
import { funnelTable, NO_PROVIDERS } from './explanation.ts'
import { filterFunnel, hostsText } from './funnel.ts'
import { type Column, flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

/** The histogram first, then the funnels, then what would help, then host by host. */
export function scheduleExplanationText(explained: ScheduleExplanation, look: Look): string {
  const { hosts, with_room, passed, placement, reports, reports_left_out, changes } = explained
  const bold = (title: string, text: string) => (text === '' ? '' : `${look.style.bold(title)}\n${text}`)
  // If no host has space, the remedies are those of Placement.
  const help = passed > 0 ? [] : with_room === 0 ? [...changes, ...placement.changes] : changes
  const parts = [
    headline(explained, look),
    bold(`Reasons, over the ${hostsText(with_room)} with room:`, histogram(explained, look)),
    bold('The filters:', with_room === 0 ? '' : filterFunnel(explained.funnel, look)),
    bold('What Placement has room for:', with_room === hosts ? '' : funnelTable(placement, look)),
    bold('What would help:', distinct(help.map(one => helpLines(one, look))).join('')),
    bold('Hosts:', reports.flatMap(report => reportLines(report, look)).join('')),
    reports_left_out > 0 && reports.length > 0
      ? look.style.dim(`and ${hostsText(reports_left_out)} more; --hosts N shows more\n`)
      : '',
    bold('Also noticed:', notesOf(reports).join('')),
  ]
  return parts.filter(part => part !== '').join('\n')
}

function helpLines({ text, command }: { text: string; command?: string | null }, { style }: Look): string {
  const how = typeof command === 'string' ? `    ${style.dim(escapeControls(command))}\n` : ''
  return `  ${escapeControls(text)}\n${how}`
}

const distinct = (lines: readonly string[]): string[] => [...new Set(lines)]

function headline({ hosts, with_room, passed, revision }: ScheduleExplanation, { style }: Look): string {
  const verdict =
    passed === 0
      ? style.bad('No host fits')
      : style.good(`${passed === 1 ? '1 host fits' : `${hostsText(passed)} fit`}`)
  const at = style.dim(`at revision ${revision}`)
  if (hosts === 0) return `${style.bad('No host fits: there are no hosts at all')} ${at}\n${NO_PROVIDERS}\n`
  return `${verdict}: of ${hostsText(hosts)}, ${with_room} with room, ${passed} passing every filter ${at}\n`
}

const BAR_WIDTH_MAX = 20

function histogram({ histogram: bars, with_room }: ScheduleExplanation, look: Look): string {
  const columns: Column[] = ['FILTER', 'REASON', flexible('KEY'), right('HOSTS'), right('ALONE'), '']
  const rows = bars.map(({ filter, code, key, hosts, only_reason }) => [
    ...[filter, code, key ?? '-', String(hosts), String(only_reason)],
    '█'.repeat(Math.max(1, Math.round((hosts / Math.max(1, with_room)) * BAR_WIDTH_MAX))),
  ])
  return table(columns, rows, look)
}

/** Most notes are the same for many hosts. */
function notesOf(reports: readonly HostReport[]): string[] {
  const counts = new Map<string, number>()
  for (const { notes } of reports)
    for (const line of distinct(notes.map(({ filter, text }) => `${filter}: ${escapeControls(text)}`)))
      counts.set(line, (counts.get(line) ?? 0) + 1)
  return [...counts].map(([line, hosts]) => `  ${line} (${hostsText(hosts)} of these)\n`)
}

function reportLines(report: HostReport, { style }: Look): string[] {
  const { host, verdict, weight, contributions, misses, refusals } = report
  const words = { passes: 'passes', refused: 'refused', 'no-room': 'no room', 'left-out': 'left out' }
  const shown = verdict === 'passes' ? style.good(words[verdict]) : style.bad(words[verdict])
  const heavy = contributions.filter(one => one.weight !== 0)
  const sum = heavy.map(one => `${one.weigher} ${one.weight.toFixed(3)}`).join(' + ')
  const weighed = weight === null ? '' : `, weight ${weight.toFixed(3)}${sum === '' ? '' : ` = ${sum}`}`
  return [
    `  ${style.bold(escapeControls(host))}  ${shown}${weighed}\n`,
    ...heavy.flatMap(({ weigher, text }) =>
      text === undefined ? [] : `    ${weigher}: ${escapeControls(text)}\n`,
    ),
    ...misses.map(text => `    ${escapeControls(text)}\n`),
    ...refusals.flatMap(({ filter, reasons }) =>
      reasons.map(({ text }) => `    ${filter}: ${escapeControls(text)}\n`),
    ),
  ]
}
