import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { ProjectServer } from '../../../src/wire/projects.ts'
import { readProjectServers } from '../api/projects.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Chip, Empty, Panel, Waiting } from '../controls/page.tsx'
import { amount, momentText, ofClass, plural } from '../formats.ts'

const AGAIN_MS = 15_000
const UUID_SHOWN = 8
/** As many as the server gives at once. */
const SERVERS_MAX = 1_000

export function HomeServers({ project }: { readonly project: string }) {
  const query = useQuery({
    queryKey: ['projects', project, 'servers'],
    queryFn: () => readProjectServers(project, SERVERS_MAX),
    refetchInterval: AGAIN_MS,
  })
  const servers = query.data?.servers
  const columns = useMemo(
    () => columnsOf(servers?.some(({ hosts }) => hosts !== undefined) ?? false),
    [servers],
  )
  return (
    <Panel
      title="Servers"
      aside={query.data !== undefined && <span className="soft">{plural(query.data.total, 'server')}</span>}
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="servers" />
      ) : query.data.total === 0 ? (
        <Empty title="No server yet">Servers appear here once they have a place.</Empty>
      ) : (
        <DataTable
          label="Servers"
          rows={query.data.servers}
          columns={columns}
          keyOf={({ uuid }) => uuid}
          sortedBy="-changed"
          sortName="servers"
          height="22rem"
          cut={
            query.data.next === null
              ? null
              : `the ${amount(SERVERS_MAX)} servers that changed last of ${amount(query.data.total)}`
          }
        />
      )}
    </Panel>
  )
}

/** A server without a name is called by what it is; the beginning of the uuid tells it apart. */
function columnsOf(showsHosts: boolean): readonly Column<ProjectServer>[] {
  const text = (
    id: string,
    title: string,
    width: string,
    by: (server: ProjectServer) => string,
  ): Column<ProjectServer> => ({ id, title, width, by, cell: server => by(server) || '–' })
  return [
    {
      id: 'server',
      title: 'Server',
      width: 'minmax(11rem, 1.5fr)',
      by: ({ name, flavor, uuid }) => `${name ?? flavor ?? ''} ${uuid}`,
      exported: ({ uuid }) => uuid,
      cell: server => (
        <Link href={`/servers/${server.uuid}`} title={server.uuid}>
          {server.name ?? flavorText(server)} <code>{server.uuid.slice(0, UUID_SHOWN)}</code>
        </Link>
      ),
    },
    {
      id: 'status',
      title: 'Status',
      width: '6rem',
      by: ({ status }) => status,
      cell: ({ status }) => <Chip tone={status === 'active' ? 'good' : 'accent'}>{status}</Chip>,
    },
    text('flavor', 'Flavor', 'minmax(7rem, 1fr)', ({ flavor }) => flavor ?? ''),
    {
      id: 'size',
      title: 'Size',
      width: 'minmax(9rem, 1fr)',
      by: ({ ram }) => ram,
      cell: ({ vcpus, ram }) => `${vcpus} VCPU, ${ofClass('MEMORY_MB', ram)}`,
    },
    text('zone', 'Zone', '5rem', ({ zone }) => zone),
    text('group', 'Server group', 'minmax(7rem, 1fr)', ({ server_group }) => server_group ?? ''),
    ...(showsHosts
      ? [text('host', 'Host', 'minmax(7rem, 1fr)', ({ hosts }) => (hosts ?? []).join(', '))]
      : []),
    {
      id: 'changed',
      title: 'Changed',
      width: 'minmax(10rem, 1fr)',
      by: ({ changed_at }) => changed_at,
      cell: ({ changed_at }) => momentText(changed_at),
    },
  ]
}

const flavorText = ({ flavor, vcpus }: ProjectServer): string => flavor ?? `${vcpus} VCPU`
