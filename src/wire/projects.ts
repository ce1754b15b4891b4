import { list, object, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

export const PROJECT_SERVERS_MAX = 1_000
/** Each is counted for the answer. */
export const PROJECTS_MAX = 200
/** More than this is only said to be more: free capacity is nothing that projects need to know exactly. */
export const PROJECT_FITS_MAX = 100

const quota = object('A resource, how much of it is used, and how much may be.', {
  resource: text('Its name, as quotas have it.'),
  used: whole('How much is used.'),
  limit: orNull(whole('How much may be used; null: Berth sets no limit.')),
})

export const projectShape = object('What a project has and may have.', {
  id: text('Its id.'),
  name: orNull(text('What it is called; null where the server cannot know.')),
  compute: list(quota, 'Servers: `instances`, `cores`, `ram` in MiB, `disk` in GiB, `server_groups`.'),
  shares: list(quota, 'Shares and snapshots, with their sizes in GiB.'),
})

const projectServer = object(
  'A server.',
  {
    uuid: uuid('Its uuid.'),
    name: orNull(text('Its name, if it was told.')),
    status: text('`active`, or `moving` while it holds something on two hosts.'),
    flavor: orNull(text('The flavor that was asked for; null if it was not scheduled here.')),
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
      'Where it is; only for those to whom the policy allows `os_compute_api:os-extended-server-attributes`.',
    ),
  },
)

export const projectServersShape = object('A part of the servers.', {
  servers: list(projectServer, 'Those that changed last first.'),
  total: whole('How many match, those of other pages included.'),
  next: orNull(text('For `after`, to read on; null: there are no more.')),
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

export const projectListShape = object('A part of the projects.', {
  projects: list(
    object('A project, what it has and what it may have.', {
      id: text('Its id.'),
      name: orNull(text('What it is called; null where the server cannot know.')),
      description: orNull(text('What it is for; null where the server cannot know.')),
      enabled: orNull(yesOrNo('Whether it can be used; null where the server cannot know.')),
      members: orNull(whole('How many users have a role in it; null where the server cannot know.')),
      compute: list(quota, 'As `GET /v1/projects/{project}` has it.'),
      shares: list(quota, 'As `GET /v1/projects/{project}` has it.'),
    }),
    'By name, or by id where there is none.',
  ),
  total: whole('How many match, those of other pages included.'),
  next: orNull(text('For `after`, to read on; null: there are no more.')),
})

export type ProjectList = TypeOf<typeof projectListShape>
export type ListedProject = ProjectList['projects'][number]
export type ProjectFacts = TypeOf<typeof projectShape>
export type ProjectServer = TypeOf<typeof projectServer>
export type ProjectServers = TypeOf<typeof projectServersShape>
export type ProjectFit = TypeOf<typeof projectFitShape>
