import type { Filter } from '../../framework/filter.ts'
import { type FilterVerdict, type MetadataEntry, type Note, PASS, refuse } from '../../framework/refusal.ts'
import { integerOf } from '../../operators/python-text.ts'
import { leastNumber } from '../aggregate-metadata.ts'
import type { HostView } from '../host-view.ts'

/** Filters that keep the number of something on a host below a limit, by setting or by aggregate. */

interface Limit {
  readonly max: number
  readonly from: readonly MetadataEntry[]
  readonly notes: readonly Note[]
}

const ordinary = (max: number): Limit => ({ max, from: [], notes: [] })

function perAggregate({ aggregates }: HostView, key: string, byDefault: number): Limit {
  const { value, from, notes } = leastNumber(aggregates, key, byDefault, integerOf)
  return { max: value, from, notes }
}

function below(
  code: 'instances.limit' | 'io-ops.limit',
  have: number,
  { max, from, notes }: Limit,
): FilterVerdict {
  if (have >= max) return refuse(code, { have, max, from }, notes)
  return notes.length === 0 ? PASS : { passes: true, notes }
}

export const numInstancesFilter: Filter = {
  name: 'NumInstancesFilter',
  summary: 'Keeps to hosts with fewer instances than the limit.',
  reads: { host: ['number of instances'], settings: ['maxInstancesPerHost'] },
  check: (_request, host, { maxInstancesPerHost }) =>
    below('instances.limit', host.instanceCount, ordinary(maxInstancesPerHost)),
}

const MAX_INSTANCES = 'max_instances_per_host'

export const aggregateNumInstancesFilter: Filter = {
  name: 'AggregateNumInstancesFilter',
  summary:
    'Like NumInstancesFilter; the least limit that an aggregate of the host sets comes before the setting.',
  reads: { host: ['number of instances'], metadata: [MAX_INSTANCES], settings: ['maxInstancesPerHost'] },
  check: (_request, host, { maxInstancesPerHost }) =>
    below('instances.limit', host.instanceCount, perAggregate(host, MAX_INSTANCES, maxInstancesPerHost)),
}

export const ioOpsFilter: Filter = {
  name: 'IoOpsFilter',
  summary: 'Keeps to hosts with fewer instances in heavy work (building, moving, rescuing) than the limit.',
  reads: { host: ['number of I/O operations'], settings: ['maxIoOpsPerHost'] },
  momentary: true,
  check: (_request, host, { maxIoOpsPerHost }) =>
    below('io-ops.limit', host.ioOpsCount, ordinary(maxIoOpsPerHost)),
}

const MAX_IO_OPS = 'max_io_ops_per_host'

export const aggregateIoOpsFilter: Filter = {
  name: 'AggregateIoOpsFilter',
  summary: 'Like IoOpsFilter; the least limit that an aggregate of the host sets comes before the setting.',
  reads: { host: ['number of I/O operations'], metadata: [MAX_IO_OPS], settings: ['maxIoOpsPerHost'] },
  momentary: true,
  check: (_request, host, { maxIoOpsPerHost }) =>
    below('io-ops.limit', host.ioOpsCount, perAggregate(host, MAX_IO_OPS, maxIoOpsPerHost)),
}
