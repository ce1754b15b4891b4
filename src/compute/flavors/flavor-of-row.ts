import type { FlavorView } from '../../scheduling/hosts/request-view.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'

/** A flavor as filters see it. A new object each time, because caches are keyed by identity. */
export function makeFlavorView(
  { compute }: World,
  row: FlavorRow,
  extraSpecs?: ReadonlyMap<string, string>,
): FlavorView {
  return {
    id: row.flavorid,
    name: row.name,
    vcpus: row.vcpus,
    ramMib: row.memory_mb,
    rootGb: row.root_gb,
    ephemeralGb: row.ephemeral_gb,
    swapMib: row.swap,
    extraSpecs: extraSpecs ?? compute.getExtraSpecs(row.id),
  }
}
