import type { ExplainedShare, ShareExplanation } from '../../wire/share-explanation.ts'
import { type Look, table } from './table.ts'

/** Where a share would go, for people. */
export function shareExplanationText(explained: ShareExplanation, look: Look): string {
  const verdict = explained.fits
    ? `It would go to ${explained.pool ?? 'a pool that only admins see'}.`
    : `Nothing will do. ${explained.reason ?? ''}`
  const funnel = table(
    [{ title: 'filter' }, { title: 'pools before', right: true }, { title: 'after', right: true }],
    explained.funnel.map(({ filter, before, after }) => [filter, String(before), String(after)]),
    look,
  )
  if (explained.pools.length === 0) return `${verdict}\n\n${funnel}`
  const pools = table(
    [{ title: 'pool' }, { title: 'free GB', right: true }, { title: 'verdict', flexible: true }],
    explained.pools.map(({ pool, free_gb, passes, weight, refusals }) => [
      ...[pool, String(free_gb)],
      passes
        ? `passes, weight ${weight?.toFixed(2) ?? '-'}`
        : refusals
            .map(({ filter, reasons }) => `${filter}: ${reasons.map(one => one.text).join(' ')}`)
            .join(' '),
    ]),
    look,
  )
  return `${verdict}\n\n${funnel}\n${pools}`
}

const TOGETHER = new Map<boolean | null, string>([
  [true, 'on the same back end'],
  [false, 'on another back end'],
  [null, 'one of them is nowhere'],
])

export function explainedShareText(explained: ExplainedShare, look: Look): string {
  const lines = [
    `Share ${explained.share} is ${explained.status}.`,
    ...(explained.moved_against_hints ? ['It was moved against its hints, by force.'] : []),
    ...explained.hints.map(
      ({ kind, share, same_back_end }) => `${kind} ${share}: ${TOGETHER.get(same_back_end)}.`,
    ),
    'If it were to be placed now:',
  ]
  return `${lines.join('\n')}\n\n${shareExplanationText(explained.explanation, look)}`
}
