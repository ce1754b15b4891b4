import type { Explanation } from '../../../src/wire/explanation.ts'
import type { ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import type { FilterStep } from '../../../src/wire/scheduling.ts'
import { Empty, type Tone } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { usePicture } from '../session/session.tsx'
import { Funnel } from './funnel.tsx'
import { onlyReason } from './only-reason.ts'
import styles from './why.module.css'

const TONES: Readonly<Record<Explanation['funnel'][number]['verdict'], Tone>> = {
  blocks: 'hot',
  narrows: 'warm',
  redundant: 'warm',
  innocent: 'good',
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Texts with names of aggregates and providers where the server has uuids. */
export function useNames(): (text: string) => string {
  const { aggregates } = useSurroundings()
  const { fleet } = usePicture()
  return text =>
    text.replaceAll(
      UUID,
      uuid => aggregates.find(one => one.uuid === uuid)?.name ?? fleet.providers.get(uuid)?.name ?? uuid,
    )
}

export function PlacementFunnel({ explanation }: { readonly explanation: Explanation }) {
  const named = useNames()
  const isEmpty = explanation.candidates === 0
  return (
    <>
      {isEmpty && explanation.funnel.some(({ verdict }) => verdict === 'blocks') && (
        <p className={styles.rest}>
          <strong>blocks</strong>: without it alone there would be a candidate, also where it leaves some
          trees itself and a later part takes them. <strong>narrows</strong>: it keeps some out.{' '}
          <strong>redundant</strong>: earlier parts keep out the same. <strong>innocent</strong>: it keeps
          nothing out.
        </p>
      )}
      <Funnel
        what="trees"
        steps={explanation.funnel.map((step, at) => ({
          key: String(at),
          text: named(step.group ? `${step.group}: ${step.text}` : step.text),
          before: step.trees_before,
          after: step.trees_after,
          verdict: step.verdict,
          tone: step.verdict === 'blocks' && step.trees_after > 0 ? 'warm' : TONES[step.verdict],
        }))}
      />
    </>
  )
}

/** Filters that let every host pass share one line. */
export function FilterFunnel({
  steps,
  histogram = [],
}: {
  readonly steps: readonly FilterStep[]
  readonly histogram?: ScheduleExplanation['histogram']
}) {
  const removing = steps.filter(({ before, after }) => after < before)
  const silent = steps.length - removing.length
  if (steps.every(({ before }) => before === 0))
    return <Empty title="No host came this far">Filters are asked about hosts that have room.</Empty>
  return (
    <>
      <Funnel
        what="hosts"
        steps={removing.map(({ filter, before, after, removed }) => ({
          key: filter,
          // The name is enough where the reasons follow below.
          text:
            histogram.length > 0 || removed.length === 0
              ? filter
              : `${filter}: ${removed.map(({ hosts, text }) => `${plural(hosts, 'host')} ${text}`).join('; ')}`,
          before,
          after,
          verdict: after === 0 ? 'refuses all' : 'refuses some',
          tone: after === 0 ? 'hot' : 'warm',
        }))}
      />
      <ul className={styles.list} aria-label="Reasons">
        {histogram.map(({ filter, code, key, hosts, only_reason, text }) => (
          <li key={`${filter}/${code}/${key}`}>
            {plural(hosts, 'host')} {text}
            <span className="soft">
              {' '}
              ({filter}) · {onlyReason(hosts, only_reason)}
            </span>
          </li>
        ))}
        {silent > 0 && <li className="soft">{plural(silent, 'filter')} refused no host.</li>}
      </ul>
    </>
  )
}
