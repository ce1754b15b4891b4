import { isRefused } from '../../client/http.ts'
import { inParallel } from '../../client/in-parallel.ts'
import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { orderByParents, type ReadLedger } from './ledger.ts'
import type { PlacementApi } from './placement-api.ts'
import type { OnRows } from './read-database.ts'
import { SourceRefused } from './tables.ts'

const AT_ONCE = 8
/** The most rounds of reading, for what changes meanwhile. */
const ROUNDS_MAX = 10

export interface ListedProvider {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parent_provider_uuid: string | null
}

interface ConsumerAnswer {
  readonly allocations: Readonly<Record<string, { readonly resources: Readonly<Record<string, number>> }>>
  readonly project_id: string
  readonly user_id: string
  readonly consumer_generation: number
  readonly consumer_type?: string
}

/**
 * Reads everything through the API, which shows no single moment: providers whose generation changed are read again until
 * none changes. Consumers without allocations are not visible this way.
 */
export async function readApi(api: PlacementApi, onRows: OnRows): Promise<ReadLedger> {
  const providers = new Map<string, ProviderFields>()
  const consumers = new Map<string, ConsumerFields>()
  const holders = new Map<string, readonly string[]>()
  for (let round = 0; ; round++) {
    const { resource_providers: listed } = await api.get<{ resource_providers: ListedProvider[] }>(
      '/resource_providers',
    )
    const stale = listed.filter(one => !isSame(one, providers.get(one.uuid)))
    const present = new Set(listed.map(({ uuid }) => uuid))
    const gone = [...providers.keys()].filter(uuid => !present.has(uuid))
    for (const uuid of gone) {
      providers.delete(uuid)
      // They released it or were deleted: neither raises a generation of another provider.
      for (const consumer of holders.get(uuid) ?? []) consumers.delete(consumer)
    }
    if (stale.length === 0 && gone.length === 0) break
    if (round === ROUNDS_MAX)
      throw new SourceRefused(
        `${stale.length} providers changed in each of ${ROUNDS_MAX} readings: read from the database instead`,
      )
    await inParallel(stale, AT_ONCE, async one => {
      const read = await readProvider(api, one).catch(unlessGone)
      // The next listing lacks it.
      if (read === null) return
      const { provider, holders: found } = read
      const held = [...found.keys()]
      providers.set(one.uuid, provider)
      for (const uuid of [...(holders.get(one.uuid) ?? []), ...held]) consumers.delete(uuid)
      holders.set(one.uuid, held)
      onRows(providers.size + consumers.size)
    })
    const missing = [...new Set([...holders.values()].flat())].filter(uuid => !consumers.has(uuid))
    await inParallel(missing, AT_ONCE, async uuid => {
      const consumer = await readConsumer(api, uuid)
      if (consumer !== null) consumers.set(uuid, consumer)
      onRows(providers.size + consumers.size)
    })
  }
  const { ordered, lost } = orderByParents([...providers.values()])
  return {
    ledger: { ...(await readNames(api)), providers: ordered, consumers },
    untakable: lost.map(({ uuid, name }) => ({
      what: `provider ${name} (${uuid})`,
      reason: 'its parent is missing',
    })),
    showsIdle: false,
  }
}

const isSame = (listed: ListedProvider, known: ProviderFields | undefined): boolean =>
  known !== undefined &&
  known.generation === listed.generation &&
  known.name === listed.name &&
  known.parent_provider_uuid === listed.parent_provider_uuid

function unlessGone(error: unknown): null {
  if (isRefused(error, 404)) return null
  throw error
}

/** With the generations of those that hold something of it, and what they hold together. */
export async function readProvider(api: PlacementApi, listed: ListedProvider) {
  const at = `/resource_providers/${listed.uuid}`
  const { inventories } = await api.get<Pick<ProviderFields, 'inventories'>>(`${at}/inventories`)
  const { traits } = await api.get<{ traits: string[] }>(`${at}/traits`)
  const { aggregates } = await api.get<{ aggregates: string[] }>(`${at}/aggregates`)
  const { uuid, name, generation, parent_provider_uuid } = listed
  const provider: ProviderFields = {
    uuid,
    name,
    generation,
    parent_provider_uuid,
    inventories,
    traits: traits.sort(),
    aggregates: aggregates.sort(),
  }
  return { provider, ...(await readHolders(api, uuid)) }
}

type Amounts = Readonly<Record<string, number>>
type Sums = ReadonlyMap<string, number>

/** The generations of those that hold something of a provider, and what they hold together. */
export async function readHolders(api: PlacementApi, uuid: string) {
  const { allocations } = await api.get<{
    allocations: Readonly<
      Record<string, { readonly consumer_generation: number; readonly resources: Amounts }>
    >
  }>(`/resource_providers/${uuid}/allocations`)
  const holders = Object.entries(allocations).map(([held, one]) => [held, one.consumer_generation] as const)
  return { holders: new Map(holders), held: sumAmounts(Object.values(allocations)) }
}

function sumAmounts(some: readonly { readonly resources: Amounts }[]): Sums {
  const sums = new Map<string, number>()
  for (const { resources } of some)
    for (const [name, used] of Object.entries(resources)) sums.set(name, (sums.get(name) ?? 0) + used)
  return sums
}

/**
 * What Placement counts as used of a provider beyond what its consumers hold: allocations whose consumer it has lost. It loses one
 * when a write and the removal of the consumer cross.
 */
export async function readOrphaned(api: PlacementApi, uuid: string, held: Sums): Promise<Sums> {
  const first = await readRest(api, uuid, held)
  if (first.size === 0) return first
  // Something may have been written between the two readings.
  const again = await readRest(api, uuid, (await readHolders(api, uuid)).held)
  return new Map([...first].filter(([name, used]) => again.get(name) === used))
}

async function readRest(api: PlacementApi, uuid: string, held: Sums): Promise<Sums> {
  const { usages } = await api.get<{ usages: Amounts }>(`/resource_providers/${uuid}/usages`)
  const rest = Object.entries(usages).map(([name, used]) => [name, used - (held.get(name) ?? 0)] as const)
  return new Map(rest.filter(([, used]) => used > 0))
}

export async function readConsumer(api: PlacementApi, uuid: string): Promise<ConsumerFields | null> {
  const held = await api.get<ConsumerAnswer>(`/allocations/${uuid}`)
  if (Object.keys(held.allocations).length === 0) return null
  const { project_id, user_id, consumer_generation, consumer_type = 'unknown' } = held
  return {
    uuid,
    generation: consumer_generation,
    project_id,
    user_id,
    consumer_type: consumer_type === 'unknown' ? null : consumer_type,
    allocations: Object.fromEntries(
      Object.entries(held.allocations).map(([provider, { resources }]) => [provider, { resources }]),
    ),
  }
}

export async function readNames(api: PlacementApi) {
  const { resource_classes } = await api.get<{ resource_classes: { name: string }[] }>('/resource_classes')
  const { traits } = await api.get<{ traits: string[] }>('/traits')
  return { classes: new Set(resource_classes.map(({ name }) => name)), traits: new Set(traits) }
}
