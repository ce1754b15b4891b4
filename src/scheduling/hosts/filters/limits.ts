import { defineFilter } from '../../framework/filter.ts'
import { defineReason, type Note, PASS, type ReasonDefinition, refuse } from '../../framework/refusal.ts'
import { parseInteger } from '../../operators/python-text.ts'
import { findLeastNumber, foundText, type MetadataEntry } from '../aggregate-metadata.ts'
import type { HostView } from '../host-view.ts'

/** Filters that limit a count on a host, by setting or by aggregate. */

type LimitFacts = {
  readonly have: number
  readonly max: number
  /** The aggregates whose metadata sets the limit; empty for the configured limit. */
  readonly from: readonly MetadataEntry[]
}

const limitText = ({ max, from }: LimitFacts): string =>
  `${max} is the limit${from.length === 0 ? '' : `, set as ${foundText(from)}`}.`

const instancesLimit = defineReason({
  code: 'instances.limit',
  text: (facts: LimitFacts) => `the host has ${facts.have} instances, and ${limitText(facts)}`,
  hostsText: 'have reached the limit of instances',
  remedy: ({ max }, host) => `raise the limit of ${max} instances, or move some away from ${host}`,
})

const ioOpsLimit = defineReason({
  code: 'io-ops.limit',
  text: (facts: LimitFacts) => `the host has ${facts.have} instances in heavy work, and ${limitText(facts)}`,
  hostsText: 'have reached the limit of instances in heavy work',
  remedy: ({ max }, host) => `wait until ${host} is less busy, or raise the limit of ${max}`,
})

interface Limit {
  readonly max: number
  readonly from: readonly MetadataEntry[]
  readonly notes: readonly Note[]
}

const makeLimit = (max: number): Limit => ({ max, from: [], notes: [] })

function findLimit({ aggregates }: HostView, key: string, byDefault: number): Limit {
  const { value, from, notes } = findLeastNumber(aggregates, key, byDefault, parseInteger)
  return { max: value, from, notes }
}

function judgeCount<Code extends string>(
  definition: ReasonDefinition<LimitFacts, Code>,
  have: number,
  { max, from, notes }: Limit,
) {
  if (have >= max) return refuse(definition, { have, max, from }, notes)
  return notes.length === 0 ? PASS : { ...PASS, notes }
}

export const numInstancesFilter = defineFilter({
  name: 'NumInstancesFilter',
  summary: 'Passes only hosts with fewer instances than the limit.',
  reads: { host: ['number of instances'], settings: ['maxInstancesPerHost'] },
  reasons: [instancesLimit],
  example: {
    passes: { host: { num_instances: 49 } },
    refused: { host: { num_instances: 50 } },
    text: 'the host has 50 instances, and 50 is the limit.',
  },
  check: (_request, host, { maxInstancesPerHost }) =>
    judgeCount(instancesLimit, host.instanceCount, makeLimit(maxInstancesPerHost)),
})

const MAX_INSTANCES = 'max_instances_per_host'

export const aggregateNumInstancesFilter = defineFilter({
  name: 'AggregateNumInstancesFilter',
  summary:
    'Like NumInstancesFilter; the least limit that an aggregate of the host sets comes before the setting.',
  reads: { host: ['number of instances'], metadata: [MAX_INSTANCES], settings: ['maxInstancesPerHost'] },
  reasons: [instancesLimit],
  example: {
    passes: { host: { num_instances: 60 }, aggregates: [{ max_instances_per_host: '100' }] },
    refused: { host: { num_instances: 10 }, aggregates: [{ max_instances_per_host: '10' }] },
    text: 'the host has 10 instances, and 10 is the limit, set as "10" from aggregate #1.',
  },
  check: (_request, host, { maxInstancesPerHost }) =>
    judgeCount(instancesLimit, host.instanceCount, findLimit(host, MAX_INSTANCES, maxInstancesPerHost)),
})

export const ioOpsFilter = defineFilter({
  name: 'IoOpsFilter',
  summary:
    'Passes only hosts with fewer instances in heavy work (building, moving, rescuing) than the limit.',
  reads: { host: ['number of I/O operations'], settings: ['maxIoOpsPerHost'] },
  reasons: [ioOpsLimit],
  example: {
    passes: { host: { num_io_ops: 7 } },
    refused: { host: { num_io_ops: 8 } },
    text: 'the host has 8 instances in heavy work, and 8 is the limit.',
  },
  momentary: true,
  check: (_request, host, { maxIoOpsPerHost }) =>
    judgeCount(ioOpsLimit, host.ioOpsCount, makeLimit(maxIoOpsPerHost)),
})

const MAX_IO_OPS = 'max_io_ops_per_host'

export const aggregateIoOpsFilter = defineFilter({
  name: 'AggregateIoOpsFilter',
  summary: 'Like IoOpsFilter; the least limit that an aggregate of the host sets comes before the setting.',
  reads: { host: ['number of I/O operations'], metadata: [MAX_IO_OPS], settings: ['maxIoOpsPerHost'] },
  reasons: [ioOpsLimit],
  example: {
    passes: { host: { num_io_ops: 9 }, aggregates: [{ max_io_ops_per_host: '20' }] },
    refused: { host: { num_io_ops: 2 }, aggregates: [{ max_io_ops_per_host: '2' }] },
    text: 'the host has 2 instances in heavy work, and 2 is the limit, set as "2" from aggregate #1.',
  },
  momentary: true,
  check: (_request, host, { maxIoOpsPerHost }) =>
    judgeCount(ioOpsLimit, host.ioOpsCount, findLimit(host, MAX_IO_OPS, maxIoOpsPerHost)),
})
