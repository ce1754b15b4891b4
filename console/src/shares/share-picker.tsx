import { MultiSelect } from '@mantine/core'
import { useMemo } from 'react'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { ofClass } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { StateMark } from './state-mark.tsx'
import { stateOf } from './states.ts'
import { nameOf, shortId, useShares } from './use-shares.ts'

/** How many are offered at once; typing finds the others. */
const SHOWN_MAX = 50

/** Picks shares by name. Does not offer shares that the project may not name in hints. */
export function SharePicker({
  label,
  description,
  picked,
  onPick,
  error,
}: {
  readonly label: string
  readonly description: string
  readonly picked: readonly string[]
  readonly onPick: (ids: readonly string[]) => void
  readonly error?: string | null
}) {
  const { data: shares = [] } = useShares()
  const { who, may } = useSession()
  const offered = useMemo(
    () => shares.filter(one => may('context_is_admin') || one.project_id === who.project_id),
    [shares, who, may],
  )
  const byId = useMemo(() => new Map(offered.map(one => [one.id, one])), [offered])
  const options = useMemo(() => optionsOf(offered, picked), [offered, picked])
  return (
    <MultiSelect
      size="xs"
      label={label}
      description={description}
      placeholder={picked.length === 0 ? 'Pick shares' : ''}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Pick none for ${label.toLowerCase()}` }}
      hidePickedOptions
      limit={SHOWN_MAX}
      maxDropdownHeight={260}
      nothingFoundMessage="No other share has a name like this."
      data={options}
      value={[...picked]}
      onChange={onPick}
      error={error ?? null}
      renderOption={({ option }) => {
        const share = byId.get(option.value)
        return share === undefined ? option.label : <Offered share={share} label={option.label} />
      }}
    />
  )
}

function Offered({ share, label }: { readonly share: Share; readonly label: string }) {
  return (
    <span style={{ display: 'flex', gap: 8, alignItems: 'center', flex: 1, flexWrap: 'wrap' }}>
      <StateMark state={stateOf(share)} inWords={false} />
      <span style={{ flex: 1 }}>{label}</span>
      <small className="soft">
        {ofClass('CUSTOM_SHARE_GB', share.size)}
        {share.availability_zone !== null && `, zone ${share.availability_zone}`}
      </small>
    </span>
  )
}

/** Shares of the same name show their ids; a picked share that is not visible stays in the list. */
function optionsOf(offered: readonly Share[], picked: readonly string[]): { value: string; label: string }[] {
  const counts = new Map<string, number>()
  for (const share of offered) counts.set(nameOf(share), (counts.get(nameOf(share)) ?? 0) + 1)
  const options = offered.map(share => {
    const name = nameOf(share)
    return { value: share.id, label: counts.get(name) === 1 ? name : `${name} (${shortId(share.id)})` }
  })
  options.sort((one, other) => one.label.localeCompare(other.label, 'en', { numeric: true }))
  const known = new Set(options.map(({ value }) => value))
  return [...options, ...picked.filter(id => !known.has(id)).map(id => ({ value: id, label: shortId(id) }))]
}
