import { TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { ListedProject } from '../../../src/wire/projects.ts'
import { createProject } from '../api/access.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { findQuota, fullestText, quotaText } from './quota-text.ts'
import { useKeepsUsers, useProjects, useReread } from './use-access.ts'
import { StateChip } from './users.tsx'

const OPERATION = 'berth:projects'

export default function Projects() {
  const { may, whyNot } = useSession()
  const keepsUsers = useKeepsUsers()
  const [isMaking, setMaking] = useState(false)
  if (!may(OPERATION)) return <NotForYou title="Projects" operation={OPERATION} />
  return (
    <Page
      title="Projects"
      text="What each has and may have. Servers and shares belong to projects, and users have roles in them."
      actions={
        keepsUsers && (
          <ActButton
            why={whyNot('identity:create_project')}
            leftSection={<Icon name="plus" size={13} />}
            onClick={() => setMaking(true)}
          >
            New project
          </ActButton>
        )
      }
    >
      {!keepsUsers && <OnlyKnown />}
      <ProjectTable />
      {isMaking && <NewProjectDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function ProjectTable() {
  const query = useProjects()
  const [params, change] = useUrlState()
  const q = params.get('q') ?? ''
  const search = q.trim().toLowerCase()
  const rows = useMemo(
    () =>
      (query.data?.entries ?? []).filter(one =>
        [one.id, one.name ?? '', one.description ?? ''].some(text => text.toLowerCase().includes(search)),
      ),
    [query.data, search],
  )
  return (
    <Panel
      title="All projects"
      aside={
        <>
          <TextInput
            aria-label="Filter projects"
            placeholder="Name or id"
            leftSection={<Icon name="search" size={13} />}
            value={q}
            onChange={event => change({ q: event.currentTarget.value })}
          />
          <span className="soft number">{plural(rows.length, 'project')}</span>
        </>
      }
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="projects" />
      ) : rows.length === 0 ? (
        <Empty title={search === '' ? 'No project yet' : 'No project is like this'}>
          A project owns servers and shares.
        </Empty>
      ) : (
        <DataTable
          label="Projects"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          sortedBy="name"
          height="calc(100dvh - 16rem)"
          cut={query.data.isCut ? `the first ${amount(query.data.entries.length)} projects` : null}
        />
      )}
    </Panel>
  )
}

/** Where projects are made elsewhere. */
function OnlyKnown() {
  const { server } = useSession()
  return (
    <Note>
      {server.auth === 'keystone' ? (
        <p>
          Keystone keeps the projects: <code>openstack project list</code> shows all. Here are those that have
          something in Berth, by id.
        </p>
      ) : (
        <p>This server keeps no projects. Here are those that have something, as their tokens call them.</p>
      )}
    </Note>
  )
}

const quotaColumn = (id: string, title: string, unit: string, width: string): Column<ListedProject> => ({
  id,
  title,
  width,
  right: true,
  by: project => findQuota(project, id)?.used ?? -1,
  exported: project => findQuota(project, id)?.used ?? '',
  cell: project => quotaText(findQuota(project, id), unit),
})

const COLUMNS: readonly Column<ListedProject>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    by: ({ name, id }) => name ?? id,
    cell: ({ id, name, description }) => (
      <Link href={`/access/projects/${encodeURIComponent(id)}`} title={description || id}>
        {name ?? id}
      </Link>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '6.5rem',
    by: ({ enabled }) => (enabled === null ? '' : enabled ? 'enabled' : 'disabled'),
    cell: ({ enabled }) => (enabled === null ? '–' : <StateChip isEnabled={enabled} />),
  },
  {
    id: 'members',
    title: 'Members',
    width: '6rem',
    right: true,
    by: ({ members }) => members ?? -1,
    exported: ({ members }) => members ?? '',
    cell: ({ members }) => (members === null ? '–' : amount(members)),
  },
  quotaColumn('instances', 'Servers', '', '6rem'),
  quotaColumn('cores', 'Processors', '', '6.5rem'),
  quotaColumn('ram', 'Memory', 'MEMORY_MB', '6.5rem'),
  quotaColumn('disk', 'Disk', 'DISK_GB', '6.5rem'),
  quotaColumn('shares', 'Shares', '', '6rem'),
  quotaColumn('gigabytes', 'Share space', 'DISK_GB', 'minmax(8rem, 1fr)'),
  {
    id: 'fullest',
    title: 'Fullest limit',
    width: 'minmax(9rem, 1fr)',
    by: project => fullestText(project) ?? '',
    cell: project => fullestText(project) ?? <span className="soft">–</span>,
  },
]

function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [, navigate] = useLocation()
  const reread = useReread()
  return (
    <FormDialog
      title="New project"
      submit="Create the project"
      why={name.trim() === '' ? 'It needs a name.' : null}
      act={() => createProject({ name: name.trim(), description: description.trim() })}
      onDone={async made => {
        await reread()
        onClose()
        navigate(`/access/projects/${made.id}`)
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
