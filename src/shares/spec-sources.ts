import type { World } from '../world/world.ts'

/** Share types with what the catalog may have something to say about. */
export function* shareTypeSourcesOf({ shares }: World) {
  for (const { id, name } of shares.types.all())
    yield { kind: 'share-type', name, specs: Object.fromEntries(shares.specsOf(id)) } as const
}
