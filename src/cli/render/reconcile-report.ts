import { countText } from '../../kernel/count-text.ts'
import type { Fixed } from '../../openstack/reconcile/fix.ts'
import type { ReconcileReport } from '../../wire/reconcile.ts'
import { type Look, right, table } from './table.ts'

/** Lists the findings, then counts them by kind. */
export function reportText(report: ReconcileReport, look: Look): string {
  const { findings, not_judged, compared, counts, passed } = report
  const { style } = look
  const blocks = findings.map(({ kind, subject, nova, ledger, remedy, command, fixable }) =>
    [
      `${style.bold(kind)}: ${subjectText(subject)}`,
      `  nova     ${nova}`,
      `  ledger   ${ledger}`,
      `  remedy   ${remedy}`,
      ...(command === null ? [] : [`  command  ${command}`]),
      ...(fixable ? [`  fix      berth reconcile --cloud ${report.cloud} --fix ${kind}`] : []),
    ].join('\n'),
  )
  const left = not_judged.map(({ subject, reason }) => `  ${subjectText(subject)}: ${reason}`)
  const rows = Object.entries(counts).map(([kind, count]) => [kind, count] as const)
  return [
    ...blocks.map(block => `${block}\n`),
    ...(left.length === 0 ? [] : [`Not judged:\n${left.join('\n')}\n`]),
    ...(rows.length === 0 ? [] : [table(['KIND', right('FINDINGS')], rows, look)]),
    `${findings.length === 0 ? 'no damage' : countText(findings.length, 'finding')}; ${not_judged.length} not judged; ` +
      `${passed} passed between the two looks\n` +
      `compared ${countText(compared.servers, 'server')}, ${countText(compared.migrations, 'migration')} and ` +
      `${countText(compared.computes, 'compute')} with ${countText(compared.providers, 'provider')} and ` +
      `${countText(compared.consumers, 'consumer')}\n`,
  ].join('\n')
}

/** The outcome of each repair. */
export function fixedText(fixed: readonly Fixed[], { style }: Look, done = 'fixed'): string {
  const lines = fixed.map(({ kind, subject, outcome, reason }) => {
    const word = outcome === 'done' ? done : outcome
    return `${style.bold(word)} ${kind}: ${subjectText(subject)}${reason === null ? '' : `: ${reason}`}`
  })
  return lines.length === 0 ? `nothing to be ${done}\n` : `${lines.join('\n')}\n`
}

/** A migration is named by its type: `live-migration 12`. */
function subjectText({ type, id, name }: Fixed['subject']): string {
  if (name === id) return `${type} ${id}`
  return type === 'migration' ? `${name} (${id})` : `${type} ${name} (${id})`
}
