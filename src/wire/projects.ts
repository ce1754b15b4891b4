import { list, object, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

export const PROJECT_SERVERS_MAX = 1_000
/** Each is counted for the answer. */
export const PROJECTS_MAX = 200
/** More than this is only said to be more: free capacity is nothing that projects need to know exactly. */
export const PROJECT_FITS_MAX = 100

const quota = object('Usage and limit of a resource.', {
  resource: text('Its name, as quotas have it.'),
  used: whole('How much is used.'),
  limit: orNull(whole('The limit; null if Berth sets none.')),
})

export const projectShape = object('Usage and limits of a project.', {
  id: text('Its id.'),
  name: orNull(text('Its name; null if the server does not know it.')),
  compute: list(quota, 'Servers: `instances`, `cores`, `ram` in MiB, `disk` in GiB, `server_groups`.'),
  shares: list(quota, 'Shares and snapshots, with their sizes in GiB.'),
  reservations: list(
    object('Capacity that is kept for the project.', {
      name: text('Its name.'),
      flavor: text('The flavor of a place; empty if it was requested by groups.'),
      count: whole('How many places.'),
      held: whole('Places that are held now.'),
      used: whole('Places that servers took.'),
      from: whole('When it begins, in milliseconds since 1970.'),
      until: orNull(whole('When it ends; null: when it is deleted.')),
    }),
    'Places for servers of the project: a new server of the same flavor takes one.',
  ),
})

const projectServer = object(
  'A server.',
  {
    uuid: uuid('Its uuid.'),
    name: orNull(text('Its name, if known.')),
    status: text('`active`, or `moving` while it holds something on two hosts.'),
    flavor: orNull(text('The requested flavor; null if it was not scheduled here.')),
    vcpus: whole('Its processors.'),
    ram: whole('Its memory in MiB.'),
    disk: whole('Its disk in GiB.'),
    zone: text('The availability zone where it is.'),
    server_group: orNull(text('The name of its server group.')),
    changed_at: text('When its allocations changed last.'),
  },
  {
    hosts: list(
      text('A name.'),
      'Its host; only for callers whom the policy allows `os_compute_api:os-extended-server-attributes`.',
    ),
  },
)

export const projectServersShape = object('A page of servers.', {
  servers: list(projectServer, 'Sorted by the last change, the latest first.'),
  total: whole('The number of matches on all pages.'),
  next: orNull(text('Use it as `after` to get the next page; null on the last page.')),
})

const fitFields = {
  fits: whole(`How many more fit, up to ${PROJECT_FITS_MAX}.`),
  more: yesOrNo('More than that fit.'),
  exact: yesOrNo('False: about so many.'),
}

export const projectFitShape = object('What fits.', {
  zones: list(text('An availability zone.'), 'By name.'),
  flavors: list(
    object('How many more servers of a flavor the project could get.', {
      id: text('Its id.'),
      name: text('Its name.'),
      vcpus: whole('Its processors.'),
      ram: whole('Its memory in MiB.'),
      disk: whole('Its root disk in GiB.'),
      ...fitFields,
      reason: orNull(text('Why none fits, in three words; null if some do.')),
      zones: list(object('In one zone, if all go there.', fitFields), 'In the order of `zones`.'),
    }),
    'Public flavors and those of the project, by name.',
  ),
  truncated: yesOrNo('There are more flavors: ask with `after` set to the id of the last one.'),
})

export const projectListShape = object('A page of projects.', {
  projects: list(
    object('A project, with its usage and limits.', {
      id: text('Its id.'),
      name: orNull(text('Its name; null if the server does not know it.')),
      description: orNull(text('Its description; null if the server does not know it.')),
      enabled: orNull(yesOrNo('Whether it is enabled; null if the server does not know it.')),
      members: orNull(whole('The number of users with a role in it; null if the server does not know it.')),
      compute: list(quota, 'As `GET /v1/projects/{project}` has it.'),
      shares: list(quota, 'As `GET /v1/projects/{project}` has it.'),
    }),
    'Sorted by name, or by id if there is none.',
  ),
  total: whole('The number of matches on all pages.'),
  next: orNull(text('Use it as `after` to get the next page; null on the last page.')),
})

export type ProjectList = TypeOf<typeof projectListShape>
export type ListedProject = ProjectList['projects'][number]
export type ProjectFacts = TypeOf<typeof projectShape>
export type ProjectServer = TypeOf<typeof projectServer>
export type ProjectServers = TypeOf<typeof projectServersShape>
export type ProjectFit = TypeOf<typeof projectFitShape>
