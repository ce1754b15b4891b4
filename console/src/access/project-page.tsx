import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from 'wouter'
import type { Project } from '../../../src/wire/openstack-identity.ts'
import { decodings } from '../address-part.ts'
import { deleteProject, updateProject } from '../api/access.ts'
import { Failure } from '../api/http.ts'
import { readProject } from '../api/projects.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { HomeFit } from '../home/home-fit.tsx'
import { HomeServers } from '../home/home-servers.tsx'
import { HomeUsage } from '../home/home-usage.tsx'
import { useSession } from '../session/session.tsx'
import { AuditPanel } from './audit-panel.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { useAssignments, useKeepsUsers, useStoredProjects } from './use-access.ts'
import { StateChip } from './users.tsx'

const TRAIL = [['Projects', '/access/projects']] as const

/** A project: who may do what in it, what it has and may have. */
export default function ProjectPage() {
  const { may } = useSession()
  const { id: part = '' } = useParams<{ id: string }>()
  const id = decodings(part)[0] as string
  const query = useQuery({
    queryKey: ['projects', id, 'usage'],
    queryFn: () => readProject(id),
    enabled: may('berth:projects'),
  })
  if (!may('berth:projects')) return <NotForYou title="Project" operation="berth:projects" />
  if (query.error instanceof Failure && query.error.status === 404)
    return (
      <Page title="No such project" trail={TRAIL}>
        <Panel>
          <Empty title="The project was deleted, or never was">
            <Link href="/access/projects">All projects</Link>
          </Empty>
        </Panel>
      </Page>
    )
  if (query.data === undefined)
    return (
      <Page title="Project" trail={TRAIL}>
        <Waiting query={query} what="the project" />
      </Page>
    )
  return <Details key={query.data.id} id={query.data.id} name={query.data.name} />
}

function Details({ id, name }: { readonly id: string; readonly name: string | null }) {
  const { may } = useSession()
  const keepsUsers = useKeepsUsers()
  const stored = useStoredProjects()
  const assignments = useAssignments()
  const project = stored.data?.find(one => one.id === id)
  return (
    <Page
      title={`Project ${name ?? id}`}
      trail={TRAIL}
      text={
        <>
          {project !== undefined && <StateChip isEnabled={project.enabled} />} {project?.description}{' '}
          {name !== null && <code>{id}</code>}
        </>
      }
      actions={project !== undefined && <Actions project={project} />}
    >
      {keepsUsers && project !== undefined ? (
        <RolesPanel
          title="Members"
          of={{ project }}
          assignments={assignments.data?.filter(({ scope }) => scope.project.id === id) ?? null}
        />
      ) : (
        <MembersElsewhere id={id} />
      )}
      <HomeUsage project={id} />
      <Limits id={id} />
      <HomeServers project={id} />
      {may('berth:project:fit') && <HomeFit project={id} />}
      <AuditPanel title="Last changes with its tokens" about={{ project: id }} />
    </Page>
  )
}

function Limits({ id }: { readonly id: string }) {
  const { has } = useSession()
  return (
    <Note>
      <p>
        {has('share') && (
          <>
            Limits of shares are set with{' '}
            <code>openstack share quota set --shares 100 --gigabytes 2000 {id}</code>.{' '}
          </>
        )}
        The limit of server groups is <code>max_server_groups</code> in the configuration. Other limits of
        servers are those of the service that creates them.
      </p>
    </Note>
  )
}

function MembersElsewhere({ id }: { readonly id: string }) {
  const { server } = useSession()
  if (server.auth !== 'keystone') return null
  return (
    <Note>
      <p>
        Keystone keeps who may do what here:{' '}
        <code>openstack role assignment list --project {id} --names</code>
      </p>
    </Note>
  )
}

function Actions({ project }: { readonly project: Project }) {
  const { whyNot } = useSession()
  const [, navigate] = useLocation()
  const mayUpdate = whyNot('identity:update_project')
  return (
    <>
      {project.enabled ? (
        <ConfirmedAction
          label="Disable"
          why={mayUpdate}
          title={`Disable ${project.name}?`}
          action="Disable the project"
          act={() => updateProject(project.id, { enabled: false })}
        >
          Nobody can get a token for it, and tokens for it end at once. Its servers and shares stay as they
          are.
        </ConfirmedAction>
      ) : (
        <ConfirmedAction
          label="Enable"
          why={mayUpdate}
          title={`Enable ${project.name}?`}
          action="Enable the project"
          act={() => updateProject(project.id, { enabled: true })}
        >
          Its members can work in it again, with the roles that they had.
        </ConfirmedAction>
      )}
      <ConfirmedAction
        label="Delete"
        why={whyNot('identity:delete_project')}
        title={`Delete ${project.name}?`}
        action="Delete the project"
        act={async () => {
          await deleteProject(project.id)
          navigate('/access/projects')
        }}
      >
        Roles in it and application credentials for it go too, and tokens for it end. Servers and shares are
        not deleted: they stay without a project that anyone could sign in to. It cannot be undone.
      </ConfirmedAction>
    </>
  )
}
