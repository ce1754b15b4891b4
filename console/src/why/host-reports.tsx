import { Button, SegmentedControl } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { HostReport, ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import { verdictWords } from '../../../src/words/decision-words.ts'
import { domainOf } from '../controls/host-name.ts'
import { Chip, Panel, type Tone } from '../controls/page.tsx'
import { ShortHost } from '../controls/short-host.tsx'
import { amount, plural } from '../formats.ts'
import { useUrlState } from '../url-state.ts'
import { useNames } from './funnels.tsx'
import { groupReports, withoutName } from './group-reports.ts'
import styles from './why.module.css'

export const VERDICT_TONES: Readonly<Record<HostReport['verdict'], Tone>> = {
  passes: 'good',
  refused: 'hot',
  'no-room': 'warm',
  'left-out': 'plain',
}

/** Host by host, with every reason in words and numbers. */
export function HostReports({
  explained,
  onMore,
}: {
  readonly explained: ScheduleExplanation
  readonly onMore: () => void
}) {
  const [params, change] = useUrlState()
  const verdict = params.get('verdict') ?? 'all'
  const domain = useMemo(() => domainOf(explained.reports.map(({ host }) => host)), [explained])
  const shown = explained.reports.filter(report => verdict === 'all' || report.verdict === verdict)
  return (
    <Panel
      title="Hosts"
      aside={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Which hosts"
            value={verdict}
            onChange={value => change({ verdict: value === 'all' ? null : value })}
            data={[
              { value: 'all', label: 'All' },
              ...(['passes', 'refused', 'no-room'] as const).map(value => ({
                value,
                label: verdictWords[value],
              })),
            ]}
          />
          <span className="soft number">{plural(shown.length, 'host')}</span>
        </>
      }
      flush
    >
      {groupReports(shown).map(([report, ...others]) => (
        <Host key={report.provider} report={report} others={others} domain={domain} />
      ))}
      {shown.length === 0 && (
        <p style={{ padding: '0.8rem 0.9rem' }} className="soft">
          No host of this kind among those that were told.
        </p>
      )}
      {explained.reports_left_out > 0 && (
        <p style={{ padding: '0.6rem 0.9rem' }}>
          {amount(explained.reports_left_out)} more hosts, with more reasons against them.{' '}
          <Button size="compact-xs" variant="default" onClick={onMore}>
            Show more
          </Button>
        </p>
      )}
    </Panel>
  )
}

function Host({
  report,
  others,
  domain,
}: {
  readonly report: HostReport
  /** Hosts with the same reasons. */
  readonly others: readonly HostReport[]
  readonly domain: string
}) {
  const names = useNames()
  const named = (text: string) => names(others.length === 0 ? text : withoutName(text, report.host))
  const reasons = report.refusals.flatMap(({ reasons: all }) => all.map(({ text }) => text))
  const all = [...report.misses, ...reasons].map(named)
  return (
    <details className={styles.host}>
      <summary>
        <strong>
          {others.length > 0 ? (
            plural(others.length + 1, 'host')
          ) : (
            <ShortHost name={report.host} domain={domain} />
          )}
        </strong>
        <span>
          <Chip tone={VERDICT_TONES[report.verdict]}>{verdictWords[report.verdict]}</Chip>
        </span>
        <span>{report.weight === null ? all[0] : `weight ${report.weight.toFixed(3)}`}</span>
        <span className="soft">{all.length > 1 && `and ${all.length - 1} more`}</span>
      </summary>
      <div className={styles.reasons}>
        {others.length === 0 ? (
          <Link href={`/providers/${report.provider}`}>Open {report.host}</Link>
        ) : (
          <p>
            {[report, ...others].map(({ provider, host }, at) => (
              <span key={provider}>
                {at > 0 && ', '}
                <Link href={`/providers/${provider}`}>
                  <ShortHost name={host} domain={domain} />
                </Link>
              </span>
            ))}
          </p>
        )}
        {report.misses.length > 0 && (
          <>
            <h3>Placement</h3>
            <ul>
              {report.misses.map(text => (
                <li key={text}>{named(text)}</li>
              ))}
            </ul>
          </>
        )}
        {report.refusals.map(({ filter, reasons: told }) => (
          <div key={filter}>
            <h3>{filter}</h3>
            <ul>
              {told.map(({ text }) => (
                <li key={text}>{named(text)}</li>
              ))}
            </ul>
          </div>
        ))}
        {report.notes.map(({ filter, text }) => (
          <p key={filter + text} className="soft">
            {filter}: {text}
          </p>
        ))}
        {report.contributions.length > 0 && <Weights contributions={report.contributions} />}
      </div>
    </details>
  )
}

function Weights({ contributions }: { readonly contributions: HostReport['contributions'] }) {
  const most = Math.max(1e-9, ...contributions.map(({ weight }) => Math.abs(weight)))
  return (
    <div className={styles.weights}>
      {contributions
        .filter(({ weight }) => weight !== 0)
        .map(({ weigher, weight, normalized, multiplier, text }) => (
          <div key={weigher} style={{ display: 'contents' }}>
            <span title={text}>{text === undefined ? weigher : `${weigher}: ${text}`}</span>
            <i style={{ width: `${(Math.abs(weight) / most) * 100}%` }} />
            <span>
              {weight.toFixed(3)} = {normalized.toFixed(3)} × {multiplier}
            </span>
          </div>
        ))}
    </div>
  )
}
