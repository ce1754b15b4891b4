import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { ListedDecision } from '../../../src/wire/decisions.ts'
import { useFlavors } from '../flavors/flavors.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './why.module.css'

const KINDS: readonly ListedDecision['kind'][] = [
  'schedule',
  'move',
  'rebuild',
  'share',
  'share-move',
  'dry-run',
  'nova-filter',
  'manila-filter',
  'manila-place',
  'candidates',
  'claim',
]

const HOUR_MS = 3_600_000
const PERIODS = [
  { value: '1', label: 'the last hour' },
  { value: '24', label: 'the last day' },
  { value: '168', label: 'the last week' },
]

/** What the address asks for. Words are sent once the typing rests. */
export function useDecisionFilters(): Readonly<Record<string, string | null>> {
  const [params] = useUrlState()
  const [q] = useDebouncedValue((params.get('q') ?? '').trim(), 300)
  const hours = params.get('hours')
  // A time that moves would be another question each time.
  const since = useMemo(
    () => (hours === null ? null : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()),
    [hours],
  )
  return { outcome: params.get('outcome'), kind: params.get('kind'), flavor: params.get('flavor'), since, q }
}

export function DecisionFilterFields() {
  const [params, change] = useUrlState()
  const flavors = useFlavors()
  return (
    <div className={styles.ask}>
      <TextInput
        label="Find"
        aria-label="Find by server, flavor, host, user or reason"
        placeholder="Server, flavor, host, user, reason …"
        value={params.get('q') ?? ''}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      <Select
        label="Flavor"
        placeholder="Any"
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Any flavor' }}
        data={(flavors.data ?? []).map(({ name }) => name).sort()}
        value={params.get('flavor')}
        onChange={flavor => change({ flavor })}
      />
      <Select
        label="Kind"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        data={KINDS}
        value={params.get('kind')}
        onChange={kind => change({ kind })}
      />
      <Select
        label="When"
        placeholder="The last 14 days"
        clearable
        clearButtonProps={{ 'aria-label': 'Any time' }}
        data={PERIODS}
        value={params.get('hours')}
        onChange={hours => change({ hours })}
      />
      <FindBoot />
    </div>
  )
}

export function OutcomeSwitch() {
  const [params, change] = useUrlState()
  return (
    <SegmentedControl
      size="xs"
      aria-label="Which outcome"
      value={params.get('outcome') ?? 'all'}
      onChange={value => change({ outcome: value === 'all' ? null : value })}
      data={[
        { value: 'all', label: 'All' },
        { value: 'placed', label: 'Placed' },
        { value: 'refused', label: 'Refused' },
      ]}
    />
  )
}

/** Leads to all stages of one boot of Nova. */
function FindBoot() {
  const [, navigate] = useLocation()
  const [id, setId] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (id.trim() !== '') navigate(`/boots/${encodeURIComponent(id.trim())}`)
      }}
    >
      <TextInput
        label="Boot of Nova"
        aria-label="Find a boot of Nova by its request id or server"
        placeholder="req-… or server"
        value={id}
        onChange={event => setId(event.currentTarget.value)}
      />
    </form>
  )
}
