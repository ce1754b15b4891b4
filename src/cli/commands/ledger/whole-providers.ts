import { NoBerthApi } from '../../../client/berth-api.ts'
import { inParallel } from '../../../client/in-parallel.ts'
import { encodeQuery, type Placement } from '../../../client/placement.ts'
import type { WholeProvider } from '../../../wire/fleet.ts'
import type { Provider } from '../../../wire/openstack-placement.ts'
import type { Session } from '../../connection/session.ts'

const PROVIDERS_AT_ONCE = 4

/** One tree, or all, with everything on each provider: one request to Berth, many to another Placement. */
export async function wholeProviders(session: Session, inTree: string | null): Promise<WholeProvider[]> {
  const query = inTree === null ? [] : ([['in_tree', inTree]] as const)
  try {
    const found: WholeProvider[] = []
    for await (const provider of session.berth.fleetProviders(encodeQuery(query)))
      found.push(sortProvider(provider))
    return found
  } catch (error) {
    if (!(error instanceof NoBerthApi)) throw error
  }
  const placement = await session.placement()
  const providers = await placement.providers(query)
  return inParallel(providers, PROVIDERS_AT_ONCE, provider => wholeProvider(placement, provider))
}

export async function wholeProvider(placement: Placement, provider: Provider): Promise<WholeProvider> {
  const [{ inventories }, usages, { traits }, { aggregates }] = await Promise.all([
    placement.inventories(provider.uuid),
    placement.usages(provider.uuid),
    placement.providerTraits(provider.uuid),
    placement.aggregates(provider.uuid),
  ])
  return sortProvider({ ...provider, inventories, usages, traits, aggregates })
}

/** Always the same keys in the same order, whichever API they came from. */
const sortProvider = (provider: WholeProvider): WholeProvider => ({
  uuid: provider.uuid,
  name: provider.name,
  generation: provider.generation,
  parent_provider_uuid: provider.parent_provider_uuid,
  root_provider_uuid: provider.root_provider_uuid,
  inventories: provider.inventories,
  usages: provider.usages,
  traits: provider.traits.toSorted(),
  aggregates: provider.aggregates.toSorted(),
})
