import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ProjectServer } from '../../../src/wire/projects.ts'
import { readProjectServer } from '../api/projects.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { FactList } from '../controls/fact-list.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, ofClass } from '../formats.ts'
import { useSession } from '../session/session.tsx'

/** A server of the own project, for those who may not see hosts. */
export function MemberServer({ uuid }: { readonly uuid: string }) {
  const { who, may } = useSession()
  const project = who.project_id
  const query = useQuery({
    queryKey: ['projects', project, 'server', uuid],
    queryFn: () => readProjectServer(project ?? '', uuid),
    enabled: project !== null && may('berth:project'),
  })
  if (project === null || !may('berth:project')) return <NotForYou title="Server" operation="berth:project" />
  return (
    <Page
      title={query.data?.name ?? 'Server'}
      trail={[['Home', '/']]}
      text={<code>{uuid}</code>}
      actions={<CopyButton label="Copy the uuid" text={uuid} />}
    >
      {query.data === undefined ? (
        <Waiting query={query} what="the server" />
      ) : (
        <Panel title="What it is">
          {query.data === null ? (
            <Empty title="Your project has no such server">It was deleted, or is of another project.</Empty>
          ) : (
            <FactList facts={factsOf(query.data)} />
          )}
        </Panel>
      )}
    </Page>
  )
}

function factsOf(server: ProjectServer): readonly (readonly [name: string, value: ReactNode | null])[] {
  const { status, flavor, vcpus, ram, disk, zone, server_group, hosts, changed_at } = server
  return [
    [
      'Status',
      <Chip key="status" tone={status === 'active' ? 'good' : 'accent'}>
        {status}
      </Chip>,
    ],
    ['Flavor', flavor],
    ['Size', `${vcpus} VCPU, ${ofClass('MEMORY_MB', ram)} memory, ${ofClass('DISK_GB', disk)} disk`],
    ['Zone', zone],
    ['Server group', server_group],
    ['Host', hosts === undefined ? null : hosts.join(', ')],
    ['Changed', momentText(changed_at)],
  ]
}
