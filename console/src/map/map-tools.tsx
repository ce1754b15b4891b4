import { ActionIcon, SegmentedControl, TextInput } from '@mantine/core'
import { memo } from 'react'
import { Icon } from '../controls/icons.tsx'
import styles from './capacity-map.module.css'
import type { Grouping } from './tiles.ts'

/** How hosts are shown: all racks, readable tiles, small squares, a list, a table. */
export type Mode = 'racks' | 'tiles' | 'dense' | 'worst' | 'table'

const MODES: readonly (readonly [Mode, string])[] = [
  ['racks', 'Racks'],
  ['tiles', 'Tiles'],
  ['dense', 'Dense'],
  ['worst', 'Worst'],
  ['table', 'Table'],
]

/** The filter by name, and how hosts are grouped, shown and chosen. */
export const MapTools = memo(function MapTools({
  mode,
  hasRacks,
  grouping,
  wanted,
  within,
  isChoosing,
  change,
  onZoom,
  onChoosing,
}: {
  readonly mode: Mode
  readonly hasRacks: boolean
  readonly grouping: Grouping
  readonly wanted: string
  readonly within: string | null
  readonly isChoosing: boolean
  readonly change: (changes: Readonly<Record<string, string | null>>) => void
  readonly onZoom: (by: number) => void
  readonly onChoosing: (isOn: boolean) => void
}) {
  return (
    <>
      <TextInput
        aria-label="Filter hosts by name"
        placeholder="Filter by name"
        leftSection={<Icon name="search" size={13} />}
        w={136}
        value={wanted}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Group by"
        value={grouping}
        onChange={by => change({ by: by === 'zone' ? null : by, in: null, rack: null })}
        data={[
          { value: 'zone', label: 'Zone' },
          { value: 'rack', label: 'Rack' },
          { value: 'aggregate', label: 'Aggregate' },
          { value: 'none', label: 'None' },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label="Show as"
        value={mode}
        onChange={as => change({ as, ...(as === 'racks' ? { rack: null, in: null } : {}) })}
        data={MODES.filter(([value]) => value !== 'racks' || hasRacks).map(([value, label]) => ({
          value,
          label,
        }))}
      />
      {mode === 'dense' && (
        <ActionIcon.Group>
          <ActionIcon variant="default" size={28} aria-label="Smaller squares" onClick={() => onZoom(-1)}>
            −
          </ActionIcon>
          <ActionIcon variant="default" size={28} aria-label="Larger squares" onClick={() => onZoom(1)}>
            +
          </ActionIcon>
        </ActionIcon.Group>
      )}
      {mode !== 'table' && (
        <button
          type="button"
          className={styles.key}
          aria-pressed={isChoosing}
          onClick={() => onChoosing(!isChoosing)}
        >
          Choose hosts
        </button>
      )}
      {within !== null && (
        <button type="button" className={styles.key} onClick={() => change({ in: null })}>
          Only {within} <Icon name="close" size={11} />
        </button>
      )}
    </>
  )
})
