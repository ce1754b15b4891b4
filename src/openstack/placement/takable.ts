import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { isCustom, type Ledger, type Untakable } from './ledger.ts'

interface Takable {
  readonly ledger: Ledger
  readonly untakable: readonly Untakable[]
}

/** Lists and omits objects that cannot exist beside those of Berth. A mirror removes objects that hold a name. */
export function keepTakable(source: Ledger, here: Ledger, { mirror }: { readonly mirror: boolean }): Takable {
  const untakable: Untakable[] = []
  const owners = new Map(mirror ? [] : listOnlyHere(source, here).map(({ name, uuid }) => [name, uuid]))
  const providers = new Map<string, ProviderFields>()
  for (const one of source.providers.values()) {
    const what = `provider ${one.name} (${one.uuid})`
    const fault = findFault(one, owners, providers)
    if (fault !== null) untakable.push({ what, reason: fault })
    else {
      const unknown = Object.keys(one.inventories).filter(name => !isCustom(name) && !here.classes.has(name))
      for (const name of unknown)
        untakable.push({
          what: `inventory of ${name} of ${what}`,
          reason: `Berth does not know the standard resource class ${name}`,
        })
      providers.set(one.uuid, unknown.length === 0 ? one : dropInventories(one, unknown))
    }
  }
  if (untakable.length === 0) return { ledger: source, untakable }
  const consumers = [...source.consumers.values()].map(one => keepAllocations(one, providers, untakable))
  return {
    ledger: { ...source, providers, consumers: new Map(consumers.map(one => [one.uuid, one])) },
    untakable,
  }
}

const listOnlyHere = (source: Ledger, here: Ledger): ProviderFields[] =>
  [...here.providers.values()].filter(({ uuid }) => !source.providers.has(uuid))

function findFault(
  { name, parent_provider_uuid: parent }: ProviderFields,
  owners: ReadonlyMap<string, string>,
  taken: ReadonlyMap<string, unknown>,
): string | null {
  const owner = owners.get(name)
  if (owner !== undefined) return `Berth has another provider of that name, ${owner}; --mirror removes it`
  return parent === null || taken.has(parent) ? null : `its parent ${parent} cannot be taken`
}

function dropInventories(provider: ProviderFields, names: readonly string[]): ProviderFields {
  const kept = Object.entries(provider.inventories).filter(([name]) => !names.includes(name))
  return { ...provider, inventories: Object.fromEntries(kept) }
}

function keepAllocations(
  consumer: ConsumerFields,
  providers: ReadonlyMap<string, ProviderFields>,
  untakable: Untakable[],
): ConsumerFields {
  const kept: [string, { resources: Record<string, number> }][] = []
  for (const [uuid, { resources }] of Object.entries(consumer.allocations)) {
    const stock = providers.get(uuid)?.inventories ?? {}
    const takable = Object.entries(resources).filter(([name]) => Object.hasOwn(stock, name))
    if (takable.length > 0) kept.push([uuid, { resources: Object.fromEntries(takable) }])
    for (const name of Object.keys(resources).filter(one => !Object.hasOwn(stock, one)))
      untakable.push({
        what: `allocation of ${name} of consumer ${consumer.uuid}`,
        reason: `the inventory on provider ${uuid} cannot be taken`,
      })
  }
  return { ...consumer, allocations: Object.fromEntries(kept) }
}
