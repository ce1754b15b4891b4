/** Hosts and requests for tests. Fields that a test does not set have typical values. */

import type { JsonValue } from '../framework/json-value.ts'
import type { AggregateView, HostView } from './host-view.ts'
import { getFigure } from './host-view.ts'
import { type FlavorView, type ImageView, NO_HINTS, type SchedulingRequest } from './request-view.ts'

let nextAggregate = 1

export function aggregate(metadata: Readonly<Record<string, string>>, name?: string): AggregateView {
  const id = nextAggregate++
  return {
    id,
    uuid: `uuid-${id}`,
    name: name ?? `aggregate-${id}`,
    metadata: new Map(Object.entries(metadata)),
  }
}

export interface HostGiven extends Partial<HostView> {
  readonly instances?: readonly string[]
  readonly traits?: readonly string[]
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

export function host(given: HostGiven = {}): HostView {
  const { instances = [], traits = [], attributes = {}, ...fields } = given
  const view: HostView = {
    name: 'host',
    isEnabled: true,
    disabledReason: null,
    isUp: true,
    isForcedDown: false,
    aggregates: [],
    ramMibFree: 1024,
    diskMibFree: 10_240,
    vcpusTotal: 8,
    vcpusUsed: 0,
    cpuAllocationRatio: 1,
    instanceCount: instances.length,
    ioOpsCount: 0,
    failedBuilds: 0,
    pciDevicesFree: 0,
    hasInstance: uuid => instances.includes(uuid),
    hasTrait: trait => traits.includes(trait),
    instanceImages: () => [],
    metric: () => undefined,
    attribute: name => attributes[name] ?? getFigure(view, name),
    ...fields,
  }
  return view
}

export const flavor = (
  extraSpecs: Readonly<Record<string, string>> = {},
  sizes: Partial<FlavorView> = {},
): FlavorView => ({
  id: '1',
  name: 'small',
  vcpus: 2,
  ramMib: 512,
  rootGb: 10,
  ephemeralGb: 0,
  swapMib: 0,
  ...sizes,
  extraSpecs: new Map(Object.entries(extraSpecs)),
})

export const image = (
  properties: Readonly<Record<string, JsonValue>>,
  id: string | null = null,
): ImageView => ({
  id,
  diskFormat: null,
  properties: new Map(Object.entries(properties)),
})

export const request = (given: Partial<SchedulingRequest> = {}): SchedulingRequest => ({
  operation: 'create',
  instance: null,
  flavor: flavor(),
  project: 'project',
  user: null,
  zone: null,
  targetHost: null,
  hints: NO_HINTS,
  image: null,
  isVolumeBacked: false,
  group: null,
  ...given,
})
