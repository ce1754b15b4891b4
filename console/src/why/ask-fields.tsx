import { Select } from '@mantine/core'
import { useMemo } from 'react'
import { useFlavors } from '../flavors/flavors.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'

/** The names of all hosts, in order. */
export function useHostNames(): string[] {
  const { hosts } = useSurroundings()
  return useMemo(() => [...hosts.values()].map(host => host.name).sort(), [hosts])
}

interface FieldProps {
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

export function FlavorField({ value, onChange }: FieldProps) {
  const flavors = useFlavors()
  return (
    <Select
      label="Flavor"
      placeholder="Choose a flavor"
      searchable
      data={(flavors.data ?? []).map(({ name }) => name).sort()}
      value={value}
      onChange={onChange}
    />
  )
}

export function ZoneField({ value, onChange }: FieldProps) {
  const { hosts } = useSurroundings()
  const zones = useMemo(() => [...new Set([...hosts.values()].map(host => host.zone))].sort(), [hosts])
  return (
    <Select
      label="Zone"
      placeholder="Any"
      clearable
      clearButtonProps={{ 'aria-label': 'Any zone' }}
      data={zones}
      value={value}
      onChange={onChange}
    />
  )
}
