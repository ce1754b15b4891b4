import type { ComputeRules } from '../compute/rules.ts'
import { Random } from '../kernel/random.ts'
import type { PlacementRules } from '../placement/rules.ts'
import type { ShareRules } from '../shares/rules.ts'
import type { UsageHistoryRules } from '../usage-history/rules.ts'
import { type Blueprint, stock } from './blueprint.ts'
import { buildCloud, type DemoCloud } from './cloud.ts'
import { computeCommands } from './compute.ts'
import { type Consumer, fillCloud } from './consumers.ts'
import { demoUuid, providerUuid } from './names.ts'
import { shareCommands } from './shares.ts'
import { trouble } from './trouble.ts'

type Kind =
  | 'placement:ensure-trait'
  | 'placement:create-provider'
  | 'placement:replace-inventories'
  | 'placement:set-provider-traits'
  | 'placement:set-aggregates'
  | 'placement:replace-allocations'
  | 'compute:create-flavor'
  | 'compute:set-extra-specs'
  | 'compute:create-aggregate'
  | 'compute:change-aggregate'
  | 'compute:add-aggregate-host'
  | 'compute:set-host'
  | 'shares:declare-backends'
  | 'shares:declare-types'
  | 'shares:set-backend'
  | 'shares:create'
  | 'shares:create-snapshot'
  | 'shares:start-migration'
  | 'shares:soft-delete'

export type DemoRules = PlacementRules & ComputeRules & ShareRules & UsageHistoryRules

/** A command that the sequencer takes. */
export type DemoCommand = { [K in Kind]: { readonly kind: K } & Parameters<DemoRules[K]>[1] }[Kind]

const SEED = 8778

/** The commands that turn an empty store into the demo cloud: always the same, decided by the ordinary rules. */
export function* demoCommands(): Generator<DemoCommand, void, undefined> {
  const cloud = buildCloud()
  yield* customTraits(cloud)
  for (const provider of cloud.providers) yield* provision(provider)
  for (const consumer of fillCloud(cloud, new Random(SEED))) yield claim(consumer)
  yield shrinkMemory(cloud)
  yield* computeCommands(cloud)
  yield* shareCommands()
}

function* customTraits({ providers }: DemoCloud): Generator<DemoCommand> {
  const names = new Set(providers.flatMap(provider => provider.traits))
  for (const name of names) if (name.startsWith('CUSTOM_')) yield { kind: 'placement:ensure-trait', name }
}

function* provision({ name, parent, inventories, traits, aggregates }: Blueprint): Generator<DemoCommand> {
  const provider = providerUuid(name)
  yield {
    kind: 'placement:create-provider',
    uuid: provider,
    name,
    parent: parent === null ? null : providerUuid(parent),
  }
  if (Object.keys(inventories).length > 0) yield setInventories(provider, inventories)
  yield { kind: 'placement:set-provider-traits', provider, generation: null, traits }
  if (aggregates.length > 0)
    yield { kind: 'placement:set-aggregates', provider, generation: null, aggregates }
}

function claim({ name, type, owner, takes }: Consumer): DemoCommand {
  return {
    kind: 'placement:replace-allocations',
    claims: [
      {
        consumer: demoUuid(name),
        projectId: owner.project,
        userId: owner.user,
        generation: null,
        type,
        allocations: Object.entries(takes).map(([provider, resources]) => ({
          provider: providerUuid(provider),
          resources: Object.entries(resources),
        })),
      },
    ],
  }
}

/** Sets less memory than is used. The rules allow it, because hardware breaks. */
function shrinkMemory({ providers }: DemoCloud): DemoCommand {
  const { shrunkHost, shrunkToMb } = trouble
  const host = providers.find(provider => provider.name === shrunkHost) as Blueprint
  const { reserved } = host.inventories.MEMORY_MB as Blueprint['inventories'][string]
  return setInventories(providerUuid(shrunkHost), {
    ...host.inventories,
    MEMORY_MB: stock(shrunkToMb, { reserved }),
  })
}

function setInventories(provider: string, inventories: Blueprint['inventories']): DemoCommand {
  return {
    kind: 'placement:replace-inventories',
    provider,
    generation: null,
    inventories: Object.entries(inventories),
    mayBeFullyReserved: true,
  }
}
