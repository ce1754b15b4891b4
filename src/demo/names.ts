import { hash } from 'node:crypto'

export const zones = ['a', 'b', 'c'] as const
export type Zone = (typeof zones)[number]

/** Racks are named for their zone: a1, a2, a3, b1 ... */
export const racksOf = (zone: Zone): string[] => [1, 2, 3].map(number => `${zone}${number}`)
export const zoneOf = (rack: string): Zone => rack[0] as Zone

/** The same name has the same uuid in every demo, so that pages and scripts can quote it. */
export function demoUuid(name: string): string {
  const hex = hash('sha256', `berth demo: ${name}`)
  const variant = ((Number.parseInt(hex[16] as string, 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

export const providerUuid = (name: string): string => demoUuid(`provider ${name}`)
export const zoneAggregate = (zone: Zone): string => demoUuid(`zone ${zone}`)
export const rackAggregate = (rack: string): string => demoUuid(`rack ${rack}`)
