import type { Credentials } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'

export interface ProjectAccess {
  readonly world: World
  readonly policy: Policy
  /** Projects are in the store: others do not exist. */
  readonly keepsUsers: () => boolean
}

interface AskedProject {
  readonly id: string
  readonly name: string | null
}

/** The project of this id or name, if the caller may see it. Others do not exist for the caller. */
export function requireProject(
  { world, policy, keepsUsers }: ProjectAccess,
  credentials: Credentials,
  operation: string,
  asked: string,
): AskedProject {
  const { identity } = world
  const row = identity.projects.find(asked) ?? identity.findProjectByName(asked)
  const { projectId: own, names } = credentials
  const isOwn = own !== null && (asked === own || asked === names?.project)
  const id = row?.uuid ?? (isOwn ? own : asked)
  const exists = row !== undefined || id === own || !keepsUsers() || hasAnything(world, id)
  if (!exists || !policy.allows(operation, credentials, { project_id: id }))
    throw new Problem(404, 'projects.missing', `There is no project ${asked}, or you may not see it.`, {
      project: asked,
    })
  return { id, name: row?.name ?? (id === own ? (names?.project ?? null) : null) }
}

/** Servers and shares may be of a project that was deleted, or that only another service knows. */
const hasAnything = ({ consumers, shares }: World, id: string): boolean =>
  consumers.ofProject(id).size > 0 || shares.listOfProject(id).length > 0
