import { isAdmin } from '../../http/policy.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { ComputeContext, ComputeRequest } from '../context.ts'
import { bookmarkLink, selfLink } from '../links.ts'

/** A flavor as the requested version shows it. */
export function flavorBody(
  context: ComputeContext,
  request: ComputeRequest,
  row: FlavorRow,
  extraSpecs: ReadonlyMap<string, string> = context.world.compute.getExtraSpecs(row.id),
): Record<string, unknown> {
  const { features } = request
  return {
    id: row.flavorid,
    name: row.name,
    ram: row.memory_mb,
    disk: row.root_gb,
    swap: row.swap === 0 && !features.strictQueries ? '' : row.swap,
    'OS-FLV-EXT-DATA:ephemeral': row.ephemeral_gb,
    'OS-FLV-DISABLED:disabled': false,
    vcpus: row.vcpus,
    'os-flavor-access:is_public': row.is_public === 1,
    rxtx_factor: row.rxtx_factor,
    links: makeLinks(request, row),
    ...(features.flavorDescription ? { description: row.description } : {}),
    ...(features.flavorExtraSpecs && maySeeSpecs(context, request)
      ? { extra_specs: Object.fromEntries(extraSpecs) }
      : {}),
  }
}

export function briefBody(request: ComputeRequest, row: FlavorRow): Record<string, unknown> {
  return {
    id: row.flavorid,
    name: row.name,
    links: makeLinks(request, row),
    ...(request.features.flavorDescription ? { description: row.description } : {}),
  }
}

function makeLinks(request: ComputeRequest, { flavorid }: FlavorRow) {
  const path = `flavors/${encodeURIComponent(flavorid)}`
  return [selfLink(request, path), bookmarkLink(request, path)]
}

function maySeeSpecs(context: ComputeContext, { credentials }: ComputeRequest): boolean {
  const target = { project_id: credentials.projectId }
  return (
    isAdmin(context, credentials) ||
    context.policy.allows('os_compute_api:os-flavor-extra-specs:index', credentials, target)
  )
}
