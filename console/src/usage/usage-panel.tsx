import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { History } from '../../../src/wire/history.ts'
import { readHistory } from '../api/usage.ts'
import { Panel, Waiting } from '../controls/page.tsx'
import { byImportance, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import type { UsageScope } from './scope.ts'
import styles from './usage.module.css'
import { UsageChart } from './usage-chart.tsx'

export const SPANS: readonly History['span'][] = ['day', 'month', 'year']
const POINTS = 200
const AGAIN_MS = 60_000

/** Usage over time of a zone, an aggregate, a host or the cloud, with its own choice of how far back. */
export function UsagePanel({ scope, place }: { readonly scope: UsageScope; readonly place: string }) {
  const { may } = useSession()
  const [span, setSpan] = useState<History['span']>('day')
  if (!may('berth:history')) return null
  return (
    <Panel title="Usage over time" aside={<SpanChoice span={span} onChoose={setSpan} />}>
      <UsageCharts scope={scope} place={place} span={span} />
    </Panel>
  )
}

export function SpanChoice({
  span,
  onChoose,
}: {
  readonly span: History['span']
  readonly onChoose: (span: History['span']) => void
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="How far back"
      data={SPANS.map(value => ({ value, label: value }))}
      value={span}
      onChange={value => onChoose(value as History['span'])}
    />
  )
}

export function UsageCharts({
  scope,
  place,
  span,
}: {
  readonly scope: UsageScope
  readonly place: string
  readonly span: History['span']
}) {
  const query = useQuery({
    queryKey: ['history', scope, span],
    queryFn: () => readHistory(scope, span, POINTS),
    refetchInterval: AGAIN_MS,
    placeholderData: before => before,
  })
  const history = query.data
  if (history === undefined) return <Waiting query={query} what="usage over time" />
  if (history.recorded_from === null)
    return (
      <p className="soft">
        Nothing was recorded yet. Zones are sampled every minute, aggregates and hosts every ten.
      </p>
    )
  return (
    <>
      <div className={styles.charts}>
        {history.series
          .toSorted((one, other) => byImportance(one.resource_class ?? '', other.resource_class ?? ''))
          .map(series => (
            <UsageChart key={series.resource_class} series={series} history={history} place={place} />
          ))}
      </div>
      <Remarks history={history} />
    </>
  )
}

const showMoment = (time: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(
    new Date(time),
  )

/** What the charts do not show, or made up. */
function Remarks({ history: { gaps, made_up_until } }: { readonly history: History }) {
  return (
    <div className={styles.remarks}>
      {made_up_until !== null && <p>Demo: usage until {showMoment(made_up_until)} is made up.</p>}
      {gaps.length > 0 && (
        <p>
          {plural(gaps.length, 'gap')}, the last from {showMoment(gaps.at(-1)?.from ?? '')} to{' '}
          {showMoment(gaps.at(-1)?.to ?? '')}: nothing was recorded.
        </p>
      )}
      <p>Line: mean of a step. Band: lowest to highest. Dashes: capacity.</p>
    </div>
  )
}
