import { insert, remove } from '../../world/change.ts'
import type { GroupRow } from '../../world/compute.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ComputeRefusal } from '../refusals.ts'

interface GroupFields {
  readonly uuid: string
  readonly name: string
  readonly policy: string
  readonly max_server_per_host: number | null
  readonly project_id: string
  readonly user_id: string
}

export function createGroup(
  world: World,
  command: { readonly fields: GroupFields; readonly perProjectMax: number },
  nowMs: number,
): Decision<GroupRow, ComputeRefusal> {
  const { fields, perProjectMax } = command
  const { project_id: project } = fields
  const groups = world.compute.groups.all().filter(row => row.project_id === project).length
  if (groups >= perProjectMax) return refuse({ kind: 'groups-exceeded', project, limit: perProjectMax })
  const row: GroupRow = { id: world.compute.groups.nextId(), ...fields, applied_by: null, created_at: nowMs }
  return accept({ ops: [insert('server_groups', row)] }, row)
}

/** Its members stay where they are, without a group. */
export function deleteGroup(
  world: World,
  command: { readonly group: string },
): Decision<null, ComputeRefusal> {
  const { group } = command
  const { groups } = world.compute
  const row = groups.find(group)
  if (row === undefined) return refuse({ kind: 'group-missing', group })
  const members = world.compute.listMembers(row.id).map(one => remove('server_group_members', one))
  return accept({ ops: [...members, remove('server_groups', row)] }, null)
}
