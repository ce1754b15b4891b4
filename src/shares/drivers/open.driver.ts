import { ownValue } from '../../kernel/records.ts'
import { DirectoryDriver } from './directory.driver.ts'
import type { Driver, DriverParts } from './driver.ts'
import { makeSimulatedDriver } from './simulated.driver.ts'

const DRIVERS: Readonly<Record<string, (parts: DriverParts) => Driver>> = {
  directory: parts => new DirectoryDriver(parts),
  simulated: makeSimulatedDriver,
}

export const DRIVER_KINDS = Object.keys(DRIVERS)

export function openDriver(kind: string, parts: DriverParts): Driver {
  const open = ownValue(DRIVERS, kind)
  if (open === undefined) throw new Error(`there is no driver ${kind}`)
  return open(parts)
}
