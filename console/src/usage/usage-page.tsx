import { Select } from '@mantine/core'
import { useMemo } from 'react'
import type { History } from '../../../src/wire/history.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Page, Panel } from '../controls/page.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { ForecastPanel } from './forecast-panel.tsx'
import type { UsageScope } from './scope.ts'
import { SPANS, SpanChoice, UsageCharts } from './usage-panel.tsx'

/** Usage of the cloud, a zone or an aggregate over time, and when it ends. */
export default function UsagePage() {
  const { may } = useSession()
  const [params, change] = useUrlState()
  const asked = params.get('span') as History['span']
  const span = SPANS.includes(asked) ? asked : 'day'
  const [zone, aggregate] = [params.get('zone') ?? undefined, params.get('aggregate') ?? undefined]
  const scope: UsageScope = zone !== undefined ? { zone } : aggregate !== undefined ? { aggregate } : {}
  if (!may('berth:history')) return <NotForYou title="Usage over time" operation="berth:history" />
  return (
    <Page title="Usage over time" text="What was used, what there was, and when it ends.">
      <ForecastPanel scope={scope} />
      <Panel
        title={zone !== undefined ? `Zone ${zone}` : (aggregate ?? 'The whole cloud')}
        aside={
          <>
            <ScopeChoice
              value={
                zone !== undefined ? `zone ${zone}` : aggregate !== undefined ? `aggregate ${aggregate}` : ''
              }
              onChoose={chosen => change({ zone: chosen.zone ?? null, aggregate: chosen.aggregate ?? null })}
            />
            <SpanChoice span={span} onChoose={next => change({ span: next === 'day' ? null : next })} />
          </>
        }
      >
        <UsageCharts
          scope={scope}
          place={zone !== undefined ? `zone ${zone}` : (aggregate ?? 'the cloud')}
          span={span}
        />
      </Panel>
    </Page>
  )
}

function ScopeChoice({
  value,
  onChoose,
}: {
  readonly value: string
  readonly onChoose: (scope: UsageScope) => void
}) {
  const { hosts, aggregates } = useSurroundings()
  const groups = useMemo(() => {
    const zones = [...new Set([...hosts.values()].map(({ zone }) => zone))].sort()
    return [
      { group: 'Zones', items: zones.map(zone => ({ value: `zone ${zone}`, label: `Zone ${zone}` })) },
      {
        group: 'Aggregates',
        items: aggregates.map(({ name }) => ({ value: `aggregate ${name}`, label: name })),
      },
    ].filter(({ items }) => items.length > 0)
  }, [hosts, aggregates])
  return (
    <Select
      size="xs"
      w={170}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'The whole cloud' }}
      aria-label="Of which zone or aggregate"
      placeholder="The whole cloud"
      data={groups}
      value={value === '' ? null : value}
      onChange={chosen => {
        const [, kind, name] = /^(zone|aggregate) (.+)$/s.exec(chosen ?? '') ?? []
        onChoose(
          kind === 'zone' ? { zone: name ?? '' } : kind === 'aggregate' ? { aggregate: name ?? '' } : {},
        )
      }}
    />
  )
}
