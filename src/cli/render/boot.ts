import type { Boot, BootStage } from '../../wire/boot.ts'
import type { Look } from './table.ts'
import { escapeControls } from './text-width.ts'

const STAGE_NAMES: Readonly<Partial<Record<BootStage['kind'], string>>> = {
  candidates: 'Placement was asked',
  'nova-filter': 'The filters of Berth',
  claim: 'A claim',
  'manila-filter': 'The filter of Berth in Manila',
  'manila-place': 'The choice of Berth for Manila',
}

/** The stages, oldest first; then where the servers are, and what would help. */
export function bootText({ stages, is_cut, servers, now, advice, redacted }: Boot, look: Look): string {
  const { bold } = look.style
  const parts = stages.map(stage => stageText(stage, look))
  if (is_cut) parts.unshift('There are older stages, which are not shown.\n')
  if (servers.length > 0)
    parts.push(
      `${bold('Where it is now:')}\n${list(servers.map(({ server, hosts }) => `${server}: ${hosts.join(', ') || 'no allocations'}`))}`,
    )
  if (now !== null) parts.push(nowText(now, look))
  if (advice.length > 0)
    parts.push(`${bold(now === null ? 'What would help:' : 'What else would help:')}\n${list(advice)}`)
  if (redacted) parts.push('Hosts and other projects are left out.\n')
  return parts.join('\n')
}

const list = (lines: readonly string[]): string => lines.map(line => `  ${escapeControls(line)}\n`).join('')

function stageText(stage: BootStage, { style }: Look): string {
  const { at, kind, outcome, text, lines, servers, query, decision, revision, explained_revision } = stage
  const name = STAGE_NAMES[kind] ?? kind
  const outcomeText = outcome === 'refused' ? style.bad(outcome) : style.good(outcome)
  const details = [
    ...(query === null ? [] : [`query: ${query}`]),
    ...(servers.length === 0 ? [] : [`server: ${servers.join(', ')}`]),
    text,
    ...lines.map(line => `  ${line}`),
    ...(explained_revision === null || explained_revision === revision
      ? []
      : [`Answered at revision ${revision}, explained at revision ${explained_revision}.`]),
    ...(decision === null ? [] : [`decision ${decision}`]),
  ]
  return `${style.dim(at)}  ${style.bold(name)}: ${outcomeText}\n${list(details)}`
}

function nowText(
  { revision, candidates, capped, changes }: NonNullable<Boot['now']>,
  { style }: Look,
): string {
  const at = style.dim(`at revision ${revision}`)
  const count = `${candidates}${capped ? ' or more' : ''} ${candidates === 1 && !capped ? 'candidate' : 'candidates'}`
  if (candidates > 0) return `${style.bold('Now')} Placement finds ${style.good(count)} ${at}\n`
  const head = `${style.bold('Now')} Placement finds ${style.bad('no candidate')} ${at}\n`
  if (changes.length === 0) return head
  return `${head}${style.bold('Any one of these would give a candidate:')}\n${list(changes)}`
}
