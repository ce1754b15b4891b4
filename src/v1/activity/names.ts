import { findServerName } from '../../scheduling/hosts/known-server.ts'
import type { ActivityEntry } from '../../wire/activity.ts'
import type { ChangedRow, RecordedChange } from '../../wire/changes.ts'
import type { World } from '../../world/world.ts'

type Ops = RecordedChange['ops']

const SUBJECTS_MAX = 3

/** The name of an id in a change: that of its own rows, else the present one; without one, the id. */
export function makeNames(world: World, ops: Ops): (id: string) => string {
  const own = new Map<string, string>()
  for (const { before, after } of ops) {
    const row = (after ?? before) as ChangedRow
    const id = row.uuid ?? row.flavorid ?? row.consumer
    if (typeof id === 'string' && typeof row.name === 'string') own.set(id, row.name)
  }
  return id => own.get(id) ?? findName(world, id) ?? id
}

function findName(world: World, id: string): string | undefined {
  const { providers, compute, shares, identity } = world
  const provider = providers.find(id)
  if (provider !== undefined) return providers.name(provider)
  return (
    compute.aggregates.find(id)?.name ??
    compute.flavors.find(id)?.name ??
    compute.groups.find(id)?.name ??
    shares.findShare(id)?.name ??
    findServerName(world, id) ??
    shares.types.find(id)?.name ??
    identity.users.find(id)?.name ??
    identity.projects.find(id)?.name ??
    world.reservations.rows.find(id)?.name
  )
}

/** The first things of a change that still exist and have a page. */
export function listSubjects(world: World, ops: Ops): ActivityEntry['subjects'] {
  const found = new Map<string, ActivityEntry['subjects'][number]>()
  for (const { before, after } of ops) {
    const row = (after ?? before) as ChangedRow
    for (const column of ['consumer', 'provider', 'uuid', 'flavor', 'flavorid', 'host_aggregate', 'share']) {
      const id = row[column]
      if (typeof id !== 'string' || found.has(id)) continue
      const subject = findSubject(world, id)
      if (subject !== null) found.set(id, subject)
      if (found.size === SUBJECTS_MAX) return [...found.values()]
    }
  }
  return [...found.values()]
}

function findSubject(world: World, id: string): ActivityEntry['subjects'][number] | null {
  const { providers, consumers, compute, shares } = world
  const provider = providers.find(id)
  if (provider !== undefined) return { name: providers.name(provider), link: `/providers/${id}` }
  const share = shares.findShare(id)
  if (share !== undefined) return { name: share.name ?? id, link: `/shares/${id}` }
  if (consumers.find(id) !== undefined)
    return { name: findServerName(world, id) ?? id, link: `/servers/${id}` }
  const flavor = compute.flavors.find(id)
  if (flavor !== undefined) return { name: flavor.name, link: `/flavors/${encodeURIComponent(id)}` }
  const aggregate = compute.aggregates.find(id)
  return aggregate === undefined ? null : { name: aggregate.name, link: `/aggregates/${aggregate.id}` }
}
