import type { ExplainedShare, ShareExplanation } from '../../wire/share-explanation.ts'
import { flexible, type Look, right, table } from './table.ts'

/** Where a share would go, for people. */
export function shareExplanationText(explained: ShareExplanation, look: Look): string {
  const verdict = explained.fits
    ? `It would go to ${explained.pool ?? 'a pool that only admins see'}.`
    : `No pool fits. ${explained.reason ?? ''}`
  const funnel = table(
    ['filter', right('pools before'), right('after')],
    explained.funnel.map(({ filter, before, after }) => [filter, String(before), String(after)]),
    look,
  )
  if (explained.pools.length === 0) return `${verdict}\n\n${funnel}`
  const pools = table(
    ['pool', right('free GB'), flexible('verdict')],
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
  [null, 'one of them has no pool'],
])

export function explainedShareText(explained: ExplainedShare, look: Look): string {
  const lines = [
    `Share ${explained.share} is ${explained.status}.`,
    ...(explained.moved_against_hints ? ['It was moved by force, against its hints.'] : []),
    ...explained.hints.map(
      ({ kind, share, same_back_end }) => `${kind} ${share}: ${TOGETHER.get(same_back_end)}.`,
    ),
    'If it were placed now:',
  ]
  return `${lines.join('\n')}\n\n${shareExplanationText(explained.explanation, look)}`
}
