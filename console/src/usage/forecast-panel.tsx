import { useQuery } from '@tanstack/react-query'
import type { Forecast, Forecasts } from '../../../src/wire/history.ts'
import { readForecasts } from '../api/usage.ts'
import { Chip, Panel, type Tone, Waiting } from '../controls/page.tsx'
import { ofClass, plural } from '../formats.ts'
import type { UsageScope } from './scope.ts'
import styles from './usage.module.css'

const SOON_DAYS = 30

/** When each class ends, the soonest first; what has no end is counted. */
export function ForecastPanel({ scope }: { readonly scope: UsageScope }) {
  const query = useQuery({ queryKey: ['forecast', scope], queryFn: () => readForecasts(scope) })
  return (
    <Panel title="Forecast">
      {query.data === undefined ? (
        <Waiting query={query} what="the forecast" />
      ) : (
        <ForecastList found={query.data} />
      )}
    </Panel>
  )
}

function ForecastList({ found: { forecasts, method } }: { readonly found: Forecasts }) {
  const ending = forecasts.filter(({ outcome }) => outcome === 'ends' || outcome === 'full')
  const others = forecasts.filter(one => !ending.includes(one))
  return (
    <>
      {ending.length === 0 && <p>No class ends within the time that the forecast covers.</p>}
      <ul className={styles.forecasts}>
        {ending.map(one => (
          <li key={one.text}>
            <Chip tone={toneOf(one)}>{one.outcome === 'full' ? 'full' : 'ends'}</Chip> <span>{one.text}</span>{' '}
            <span className="soft">
              {ofClass(one.resource_class, one.used)} of {ofClass(one.resource_class, one.capacity)}
            </span>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details className={styles.rows}>
          <summary>
            {plural(others.length, 'class', 'classes')} without an end, or with too little data
          </summary>
          <ul className={styles.forecasts}>
            {others.map(one => (
              <li key={one.text}>{one.text}</li>
            ))}
          </ul>
        </details>
      )}
      {forecasts.some(({ made_up }) => made_up) && (
        <p className={styles.remarks}>Demo: the days that this is made from are made up.</p>
      )}
      <details className={styles.rows}>
        <summary>How it is made</summary>
        <p>{method}</p>
      </details>
    </>
  )
}

const toneOf = ({ outcome, soonest_days }: Forecast): Tone =>
  outcome === 'full' ? 'hot' : (soonest_days ?? Number.POSITIVE_INFINITY) <= SOON_DAYS ? 'warm' : 'plain'
