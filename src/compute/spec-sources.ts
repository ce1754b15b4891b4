import type { World } from '../world/world.ts'

/** Flavors and aggregates with what the catalog may have something to say about. */
export function* specSourcesOf({ compute }: World) {
  for (const { id, name } of compute.flavors.all())
    yield { kind: 'flavor', name, specs: Object.fromEntries(compute.extraSpecsOf(id)) } as const
  for (const { name, metadata } of compute.allAggregates())
    yield { kind: 'aggregate', name, specs: Object.fromEntries(metadata) } as const
}
