import type { ProviderFields } from '../../placement/transfer/lines.ts'
import { changeProvider, type Finding, type Subject } from './finding.ts'
import type { Judgement } from './judgement.ts'
import type { NovaCompute } from './nova-state.ts'
import { hasClass, isComputeLike } from './trees.ts'

const DISABLED = 'COMPUTE_STATUS_DISABLED'

const providerSubject = ({ uuid, name }: ProviderFields): Subject => ({ type: 'provider', id: uuid, name })

/** Judges providers of computes; a step for each. */
export function* judgeProviders(judgement: Judgement): Generator<void> {
  const { nova, trees } = judgement
  const byName = new Map(trees.roots.map(one => [one.name, one]))
  for (const compute of nova.computes) {
    yield
    const provider = trees.ledger.providers.get(compute.id)
    if (provider !== undefined) judgeCompute(judgement, compute, provider)
    else if (!byName.has(compute.name)) findMissingProvider(judgement, compute)
  }
  const ids = new Set(nova.computes.map(({ id }) => id))
  const computes = new Map(nova.computes.map(one => [one.name, one]))
  for (const root of trees.roots)
    if (!ids.has(root.uuid) && isComputeLike(root)) judgeStrangeRoot(judgement, root, computes.get(root.name))
}

function judgeCompute(judgement: Judgement, compute: NovaCompute, provider: ProviderFields): void {
  const found = [
    judgeName(compute, provider),
    judgeParent(judgement, compute, provider),
    judgeInventory(compute, provider),
    judgeDisabled(compute, provider),
    ...judgeAggregates(judgement, compute, provider),
  ]
  for (const one of found) if (one !== null) judgement.find({ subject: providerSubject(provider), ...one })
}

type FoundDamage = Omit<Finding, 'subject'> | null

function judgeName({ name, host }: NovaCompute, provider: ProviderFields): FoundDamage {
  if (provider.name === name) return null
  return {
    kind: 'renamed-compute',
    nova: `compute ${provider.uuid} is ${name} on host ${host}`,
    ledger: `its provider is ${provider.name}`,
    remedy: 'Rename the provider: by its name nova-compute and operators find it.',
    command: `berth provider set ${provider.uuid} --name ${name}`,
    repair: changeProvider(provider, { ...provider, name }),
  }
}

function judgeParent(
  { trees }: Judgement,
  { name, isIronic }: NovaCompute,
  provider: ProviderFields,
): FoundDamage {
  const { parent_provider_uuid: parent } = provider
  if (parent === null || isIronic) return null
  const after = { ...provider, parent_provider_uuid: null }
  return {
    kind: 'compute-not-root',
    nova: `compute ${name} is a host of its own`,
    ledger: `its provider is below ${trees.ledger.providers.get(parent)?.name ?? parent}`,
    remedy: 'Make the provider a root: candidates mix the resources of both trees otherwise.',
    command: `berth provider set ${provider.uuid} --parent none`,
    repair: changeProvider(provider, after),
  }
}

function judgeInventory({ name, host, isIronic }: NovaCompute, provider: ProviderFields): FoundDamage {
  const hasCpus = hasClass(provider, 'VCPU') || hasClass(provider, 'PCPU')
  if (isIronic || (hasCpus && hasClass(provider, 'MEMORY_MB'))) return null
  // Where NUMA nodes are providers, their root has no processors and memory of its own.
  const classes = Object.keys(provider.inventories)
  if (classes.length > 0 && !hasCpus && !hasClass(provider, 'MEMORY_MB')) return null
  return {
    kind: 'lost-inventory',
    nova: `compute ${name} is a hypervisor`,
    ledger: `its provider has ${classes.length === 0 ? 'no inventory' : `only ${classes.join(', ')}`}`,
    remedy: 'Restart nova-compute on the host: it writes its inventory when it starts.',
    command: `ssh ${host} systemctl restart nova-compute`,
    repair: null,
  }
}

function judgeDisabled({ name, host, isDisabled }: NovaCompute, provider: ProviderFields): FoundDamage {
  const { traits } = provider
  if (traits.includes(DISABLED) === isDisabled) return null
  const after = {
    ...provider,
    traits: isDisabled ? [...traits, DISABLED].sort() : traits.filter(one => one !== DISABLED),
  }
  return {
    kind: isDisabled ? 'disabled-trait-missing' : 'disabled-trait-left',
    nova: `nova-compute on ${host} is ${isDisabled ? 'disabled' : 'enabled'}`,
    ledger: `the provider ${name} has ${isDisabled ? 'no' : 'still'} ${DISABLED}`,
    remedy: isDisabled
      ? 'Add the trait: otherwise the host stays among the candidates.'
      : 'Remove the trait: it keeps every new server off the host.',
    command: isDisabled
      ? `openstack compute service set --disable ${host} nova-compute`
      : `openstack compute service set --enable ${host} nova-compute`,
    repair: changeProvider(provider, after),
  }
}

function judgeAggregates(
  judgement: Judgement,
  { host }: NovaCompute,
  provider: ProviderFields,
): FoundDamage[] {
  // Nova mirrors only hosts with one compute.
  if (judgement.computesOf(host).length > 1) return []
  return judgement.nova.aggregates.flatMap(({ uuid, name, hosts }): FoundDamage[] => {
    const isIn = provider.aggregates.includes(uuid)
    if (hosts.includes(host) === isIn) return []
    const aggregates = isIn
      ? provider.aggregates.filter(one => one !== uuid)
      : [...provider.aggregates, uuid].sort()
    return [
      {
        kind: isIn ? 'aggregate-left' : 'aggregate-missing',
        nova: `aggregate ${name} has ${isIn ? 'not ' : ''}host ${host}`,
        ledger: `the provider has ${isIn ? 'still' : 'no'} aggregate ${uuid}`,
        remedy: isIn
          ? 'Take the provider out of the aggregate: the scheduler places servers by it.'
          : 'Put the provider into the aggregate: the scheduler places servers by it.',
        command: isIn
          ? `berth aggregate set ${provider.uuid} ${aggregates.join(' ')}`.trimEnd()
          : 'nova-manage placement sync_aggregates',
        repair: changeProvider(provider, { ...provider, aggregates }),
      },
    ]
  })
}

function findMissingProvider(judgement: Judgement, { id, name, host, isUp }: NovaCompute): void {
  judgement.find({
    kind: 'missing-provider',
    subject: { type: 'provider', id, name },
    nova: `compute ${name} is ${isUp ? 'up' : 'down'}`,
    ledger: `there is no provider ${id}`,
    remedy: isUp
      ? 'Restart nova-compute on the host: it makes its provider when it starts.'
      : 'Start nova-compute on the host, or delete its service if the host is gone.',
    command: isUp ? `ssh ${host} systemctl restart nova-compute` : `ssh ${host} systemctl start nova-compute`,
    repair: null,
  })
}

/** A root that looks like that of a compute, and is none of Nova's. */
function judgeStrangeRoot(
  judgement: Judgement,
  root: ProviderFields,
  /** The compute of the same name. */
  namesake: NovaCompute | undefined,
): void {
  const { nova, trees } = judgement
  const subject = providerSubject(root)
  if (nova.isPartial) {
    judgement.leave(subject, 'a cell of Nova does not answer')
    return
  }
  if (namesake === undefined && nova.serviceHosts.has(root.name)) {
    judgement.leave(subject, `nova-compute on ${root.name} has a service and no compute yet`)
    return
  }
  const holders = trees.holdersOf(root.uuid).size
  const removal = trees.membersOf(root.uuid).toReversed()
  judgement.find({
    kind: namesake === undefined ? 'gone-compute' : 'replaced-compute',
    subject,
    nova:
      namesake === undefined
        ? `there is no compute ${root.name}`
        : `the compute ${root.name} is ${namesake.id}`,
    ledger: `there is a provider ${root.uuid}, and ${holders} consumers hold something of it`,
    remedy:
      holders > 0
        ? 'Find out what its consumers are first: the provider can be deleted when nothing is held of it.'
        : namesake === undefined
          ? 'Delete the provider: the scheduler takes it for a host.'
          : 'Delete the provider: its name keeps the compute from making its own.',
    command: `berth provider delete ${root.uuid}`,
    repair:
      holders > 0 ? null : { of: 'providers', changes: removal.map(before => ({ before, after: null })) },
  })
}
