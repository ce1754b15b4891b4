import type { CloudLine, ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { compareLedgers } from './compare.ts'
import { isCustom, type Ledger } from './ledger.ts'

export interface ImportPlan {
  /** In an order in which each line is possible. */
  readonly lines: readonly CloudLine[]
  /** Standard traits that providers have and Berth does not know yet. */
  readonly traitsToLearn: readonly string[]
  /** Custom names that a mirror removes once the lines are written. */
  readonly namesToRemove: readonly CustomName[]
  /** Providers and consumers that only Berth has: a mirror removes them, else they stay. */
  readonly onlyHere: { readonly providers: number; readonly consumers: number }
}

export interface CustomName {
  readonly kind: 'resource_class' | 'trait'
  readonly name: string
}

/** The lines that make this ledger equal to the source; a mirror also removes what only this side has. */
export function planImport(
  source: Ledger,
  here: Ledger,
  { mirror, generations = true }: { readonly mirror: boolean; readonly generations?: boolean },
): ImportPlan {
  const changed = new Set(
    compareLedgers(source, here, { generations, ratioDigits: generations }).map(
      ({ kind, key }) => `${kind} ${key}`,
    ),
  )
  const providers = [...source.providers.values()].filter(one => changed.has(`provider ${one.uuid}`))
  const consumers = [...source.consumers.values()].filter(one => changed.has(`consumer ${one.uuid}`))
  const gone = {
    providers: [...here.providers.values()].filter(({ uuid }) => !source.providers.has(uuid)).reverse(),
    consumers: [...here.consumers.values()].filter(({ uuid }) => !source.consumers.has(uuid)),
  }
  const [early, late] = mirror ? orderRemovals(gone.providers, source, here) : [[], []]
  return {
    lines: [
      ...newNames(source, here),
      ...(mirror ? gone.consumers.map(({ uuid }) => ({ remove_consumer: { uuid } })) : []),
      ...releases(consumers, source, here, new Set([...early, ...late])),
      ...early.map(uuid => ({ remove_provider: { uuid } })),
      ...nameReleases(providers, here, new Set([...source.providers.keys(), ...late])),
      ...providers.map(provider => ({ provider })),
      ...late.map(uuid => ({ remove_provider: { uuid } })),
      ...consumers.map(consumer => ({ consumer })),
    ],
    traitsToLearn: listUnknownTraits(providers, here),
    namesToRemove: mirror ? listGoneNames(source, here) : [],
    onlyHere: { providers: gone.providers.length, consumers: gone.consumers.length },
  }
}

const newNames = (source: Ledger, here: Ledger): CloudLine[] => [
  ...[...source.classes.difference(here.classes)]
    .filter(isCustom)
    .map(name => ({ resource_class: { name } })),
  ...[...source.traits.difference(here.traits)].filter(isCustom).map(name => ({ trait: { name } })),
]

const listGoneNames = (source: Ledger, here: Ledger): CustomName[] => [
  ...[...here.classes.difference(source.classes)]
    .filter(isCustom)
    .map(name => ({ kind: 'resource_class' as const, name })),
  ...[...here.traits.difference(source.traits)]
    .filter(isCustom)
    .map(name => ({ kind: 'trait' as const, name })),
]

/** Uuids, children first: those to remove before the others are written, and those whose children move away first. */
function orderRemovals(
  gone: readonly ProviderFields[],
  source: Ledger,
  here: Ledger,
): readonly [string[], string[]] {
  const isHeldUp = new Set<string | null>()
  for (const { uuid } of source.providers.values())
    for (let at = here.providers.get(uuid); at !== undefined; at = parentOf(here, at)) isHeldUp.add(at.uuid)
  const uuids = gone.map(({ uuid }) => uuid)
  return [uuids.filter(uuid => !isHeldUp.has(uuid)), uuids.filter(uuid => isHeldUp.has(uuid))]
}

const parentOf = (
  ledger: Ledger,
  { parent_provider_uuid: uuid }: ProviderFields,
): ProviderFields | undefined => (uuid === null ? undefined : ledger.providers.get(uuid))

/** Changed consumers release inventories that will be dropped, before that happens. */
function* releases(
  changed: readonly ConsumerFields[],
  source: Ledger,
  here: Ledger,
  removed: ReadonlySet<string>,
): Generator<CloudLine> {
  for (const { uuid } of changed) {
    const now = here.consumers.get(uuid)
    if (now === undefined) continue
    const entries = Object.entries(now.allocations).map(([provider, { resources }]) => {
      const inventories = source.providers.get(provider)?.inventories
      const stays = ([name]: [string, number]) =>
        !removed.has(provider) && (inventories === undefined || Object.hasOwn(inventories, name))
      return [provider, { resources: Object.fromEntries(Object.entries(resources).filter(stays)) }] as const
    })
    const kept = entries.filter(([, { resources }]) => Object.keys(resources).length > 0)
    if (countResources(kept) < countResources(Object.entries(now.allocations)))
      yield { consumer: { ...now, allocations: Object.fromEntries(kept) } }
  }
}

/** Providers that stay for now, but whose names others take, get their uuids as names, so that names can be swapped. */
function* nameReleases(
  changed: readonly ProviderFields[],
  here: Ledger,
  stays: ReadonlySet<string>,
): Generator<CloudLine> {
  const takers = new Map(changed.map(({ name, uuid }) => [name, uuid]))
  for (const one of here.providers.values())
    if (stays.has(one.uuid) && (takers.get(one.name) ?? one.uuid) !== one.uuid)
      yield { provider: { ...one, name: one.uuid } }
}

const countResources = (entries: readonly (readonly [string, { readonly resources: object }])[]): number =>
  entries.reduce((sum, [, { resources }]) => sum + Object.keys(resources).length, 0)

const listUnknownTraits = (providers: readonly ProviderFields[], here: Ledger): string[] =>
  [...new Set(providers.flatMap(({ traits }) => traits))]
    .filter(name => !isCustom(name) && !here.traits.has(name))
    .sort()
