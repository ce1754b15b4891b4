import type { FlavorSpec } from '../../scheduling/hosts/server-spec.ts'
import type { FlavorRow } from '../../world/compute.ts'

const HELD = /^held-(\d{1,15})-(\d{1,15})-(\d{1,15})$/

/** A flavor made from the allocations of a server whose flavor is unknown. */
export function makeHeldFlavor(vcpus: number, ram: number, disk: number): FlavorSpec {
  const id = `held-${vcpus}-${ram}-${disk}`
  return { id, name: id, vcpus, ram, disk, ephemeral: 0, swap: 0, extra_specs: {} }
}

/** Clients look up the flavor of each server that they show, so made-up flavors can be read by their id. */
export function findHeldFlavor(id: string): FlavorRow | null {
  const [, vcpus, ram, disk] = HELD.exec(id) ?? []
  if (vcpus === undefined) return null
  return {
    id: -1,
    flavorid: id,
    name: id,
    memory_mb: Number(ram),
    vcpus: Number(vcpus),
    root_gb: Number(disk),
    ephemeral_gb: 0,
    swap: 0,
    rxtx_factor: 1,
    is_public: 0,
    description: 'The allocations of a server whose flavor is unknown.',
    applied_by: null,
    created_at: 0,
    updated_at: null,
  }
}
