import { byCodePoint } from '../../kernel/code-points.ts'
import type { ListedProject, ProjectList } from '../../wire/projects.ts'
import type { ProjectRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { countCompute, countShares } from './project-usage.ts'

interface ProjectsQuestion {
  readonly search: string
  readonly after: string | undefined
  readonly limit: number
}

interface Known {
  readonly id: string
  /** The name, or the id where there is none. */
  readonly label: string
  readonly row: ProjectRow | null
}

const order = (a: Pick<Known, 'label' | 'id'>, b: Pick<Known, 'label' | 'id'>): number =>
  byCodePoint(a.label, b.label) || byCodePoint(a.id, b.id)

/** Projects of the store, and those that have servers or shares. */
export async function listProjects(
  world: World,
  groupsPerProjectMax: number,
  { search, after, limit }: ProjectsQuestion,
): Promise<ProjectList> {
  const wanted = search.toLowerCase()
  const all = knownProjects(world).filter(({ id, label }) =>
    [id, label].some(text => text.toLowerCase().includes(wanted)),
  )
  const start = after === undefined ? null : parsePosition(after)
  const rest = all.filter(one => start === null || order(one, start) > 0).toSorted(order)
  const shown = rest.slice(0, limit)
  const members = countMembers(world)
  const turns = new Turns()
  const projects: ListedProject[] = []
  for (const { id, row } of shown) {
    await turns.give()
    projects.push({
      id,
      name: row?.name ?? null,
      description: row?.description ?? null,
      enabled: row === null ? null : row.is_enabled === 1,
      members: row === null ? null : (members.get(row.id) ?? 0),
      compute: await countCompute(world, id, groupsPerProjectMax, turns),
      shares: countShares(world, id),
    })
  }
  const last = shown.at(-1)
  return {
    projects,
    total: all.length,
    next: rest.length > limit && last !== undefined ? renderPosition(last) : null,
  }
}

function knownProjects({ identity, consumers, shares }: World): Known[] {
  const stored = identity.projects.all().map(row => ({ id: row.uuid, label: row.name, row }))
  const ids = new Set(consumers.projects())
  for (const { project_id } of shares.shares.rows()) ids.add(project_id)
  for (const { id } of stored) ids.delete(id)
  return [...stored, ...[...ids].map(id => ({ id, label: id, row: null }))]
}

/** How many users have a role, by the number of the project. */
function countMembers({ identity }: World): Map<number, number> {
  const users = new Map<number, Set<number>>()
  for (const { project_id, user_id } of identity.assignments.rows()) {
    const known = users.get(project_id) ?? new Set()
    users.set(project_id, known.add(user_id))
  }
  return new Map([...users].map(([project, { size }]) => [project, size]))
}

const renderPosition = ({ label, id }: Known): string =>
  [label, id].map(text => encodeURIComponent(text)).join('/')

function parsePosition(text: string): Pick<Known, 'label' | 'id'> {
  const parts = text.split('/')
  try {
    const [label, id] = parts.map(decodeURIComponent)
    if (parts.length === 2 && label !== undefined && id !== undefined) return { label, id }
  } catch {
    // Not escaped as it should be: refused below.
  }
  throw new Problem(
    400,
    'projects.bad-position',
    `after: ${text} is not a value of next from an earlier answer.`,
    { field: 'after', value: text },
  )
}
