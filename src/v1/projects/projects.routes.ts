import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import {
  PROJECT_FITS_MAX,
  PROJECT_SERVERS_MAX,
  PROJECTS_MAX,
  projectFitShape,
  projectListShape,
  projectServersShape,
  projectShape,
} from '../../wire/projects.ts'
import { object, text, whole } from '../../wire/shape.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { type ProjectAccess, requireProject } from './project-access.ts'
import { ProjectFits } from './project-fits.ts'
import { listProjects } from './project-list.ts'
import { listProjectReservations } from './project-reservations.ts'
import { listProjectServers, parsePosition } from './project-servers.ts'
import { countCompute, countShares } from './project-usage.ts'

const SERVERS_DEFAULT = 100
const PROJECTS_DEFAULT = 100
const SHOW_HOSTS = 'os_compute_api:os-extended-server-attributes'

interface ProjectsContext extends ProjectAccess {
  readonly setup: () => SchedulingSetup
  readonly groupsPerProjectMax: () => number
  readonly nowMs: () => number
}

const params = {
  project: 'The id of a project, or its name where the server keeps projects. Members have their own only.',
}
const missing = { 404: 'There is no such project, or the caller may not see it.' }

/** What members may know of their project: by names, without hosts and without other projects. */
export function projectRoutes(context: ProjectsContext): V1Route[] {
  return [listRoute(context), showRoute(context), serversRoute(context), fitRoute(context)]
}

function listRoute(context: ProjectsContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/projects',
    operation: 'berth:projects',
    summary: 'List projects, with what they use and may use',
    description:
      'Those that the server keeps, and those that only have something here: where a Keystone keeps projects, only such are known, by id.',
    query: object(
      'Which.',
      {},
      {
        search: text('A part of the name or the id; case does not matter.', { minLength: 1, maxLength: 255 }),
        after: text('Only those after this: `next` of an earlier answer.', { maxLength: 2_000 }),
        limit: whole(`How many at most; default: ${PROJECTS_DEFAULT}.`, {
          minimum: 1,
          maximum: PROJECTS_MAX,
        }),
      },
    ),
    answer: { description: 'The projects.', shape: projectListShape },
    handle: ({ query: { search = '', after, limit = PROJECTS_DEFAULT } }) =>
      listProjects(context.world, context.groupsPerProjectMax(), { search, after, limit }),
  })
}

function showRoute(context: ProjectsContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/projects/{project}',
    operation: 'berth:project',
    summary: 'Show what a project uses and may use',
    description: 'Servers and shares with their limits. Admins may see every project.',
    params,
    answer: { description: 'The project.', shape: projectShape },
    problems: missing,
    async handle({ params: { project: asked }, credentials }) {
      const { id, name } = requireProject(context, credentials, 'berth:project', asked as string)
      return {
        id,
        name,
        compute: await countCompute(context.world, id, context.groupsPerProjectMax()),
        shares: countShares(context.world, id),
        reservations: listProjectReservations(context.world, id),
      }
    },
  })
}

function serversRoute(context: ProjectsContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/projects/{project}/servers',
    operation: 'berth:project',
    summary: 'List the servers of a project',
    description:
      'With their names, and flavor, zone and server group by name; hosts only if the policy shows them to the caller.',
    params,
    query: object(
      'Which.',
      {},
      {
        q: text('A part of the name, or the beginning of the uuid.', { minLength: 1, maxLength: 255 }),
        after: text('Only those after this: `next` of an earlier answer.'),
        limit: whole(`How many at most; default: ${SERVERS_DEFAULT}.`, {
          minimum: 1,
          maximum: PROJECT_SERVERS_MAX,
        }),
      },
    ),
    answer: { description: 'The servers.', shape: projectServersShape },
    problems: missing,
    handle({ params: { project: asked }, query, credentials }) {
      const { id } = requireProject(context, credentials, 'berth:project', asked as string)
      const { q = '', after, limit = SERVERS_DEFAULT } = query
      const { defaultAvailabilityZone } = context.setup().settings
      return listProjectServers(context.world, defaultAvailabilityZone, {
        project: id,
        text: q.toLowerCase(),
        after: parsePosition(after),
        limit,
        showsHosts: context.policy.allows(SHOW_HOSTS, credentials, { project_id: id }),
      })
    },
  })
}

function fitRoute(context: ProjectsContext): V1Route {
  const fits = new ProjectFits(context)
  return v1Route({
    method: 'GET',
    path: '/projects/{project}/fit',
    operation: 'berth:project:fit',
    summary: 'Count how many more servers of each flavor a project could get, by zone',
    description:
      'For new servers of the project, of public flavors and its own, without image and hints. Numbers above ' +
      `${PROJECT_FITS_MAX} are not told, nor how many hosts there are. The answer may be ten seconds old. \`GET /v1/fit\` ` +
      'has all numbers, for admins.',
    params,
    query: object(
      'Which.',
      {},
      { after: text('Only flavors after the one with this id, in the order of names.') },
    ),
    answer: { description: 'The counts.', shape: projectFitShape },
    problems: {
      404: 'There is no such project or flavor, or the caller may not see it.',
      503: 'Too many such requests are running: try again.',
    },
    handle({ params: { project: asked }, query: { after }, credentials }) {
      const { id } = requireProject(context, credentials, 'berth:project:fit', asked as string)
      return fits.answer(id, after)
    },
  })
}
