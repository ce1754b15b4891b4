import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import type { Consumer } from '../../../src/wire/consumers.ts'
import type { ListedDecision } from '../../../src/wire/decisions.ts'
import { readConsumerFacts } from '../api/berth.ts'
import { readDecisionsAbout } from '../api/scheduling.ts'
import { berthCommands } from '../berth-commands.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { FactList } from '../controls/fact-list.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { momentText, ofClass, plural } from '../formats.ts'
import { MemberServer } from '../home/member-server.tsx'
import page from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import why from '../why/why.module.css'
import { ConsumerLink } from './consumer-link.tsx'

/** Where a server is, what it holds, and how it got there. */
export default function ConsumerPage() {
  const { uuid = '' } = useParams<{ uuid: string }>()
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['consumers', 'one', uuid, 'facts'],
    queryFn: () => readConsumerFacts(uuid),
    enabled: may('berth:fleet'),
  })
  if (!may('berth:fleet')) return <MemberServer uuid={uuid} />
  return (
    <Page
      title={titleOf(query.data ?? null)}
      trail={[['Capacity', '/']]}
      text={<code>{uuid}</code>}
      actions={<CopyButton label="Copy the uuid" text={uuid} />}
    >
      {query.data === undefined ? (
        <Waiting query={query} what="the server" />
      ) : query.data === null ? (
        <Panel>
          <Empty title="It has no allocations">
            It was deleted, or never got a place. Below is what the scheduler decided about it.
          </Empty>
        </Panel>
      ) : (
        <Facts consumer={query.data} />
      )}
      <History uuid={uuid} />
    </Page>
  )
}

function titleOf(consumer: Consumer | null): string {
  if (consumer !== null && consumer.name !== null) return consumer.name
  if (consumer === null || consumer.is_server) return 'Server'
  if (consumer.share !== null) return 'Share'
  const type = consumer.type ?? 'consumer'
  return type.charAt(0).toUpperCase() + type.slice(1).toLowerCase()
}

function Facts({ consumer }: { readonly consumer: Consumer }) {
  const { hosts, server_group: group } = consumer
  const facts: readonly (readonly [name: string, value: ReactNode | null])[] = [
    [
      'Where',
      hosts.length === 0
        ? 'on no host'
        : hosts.map(({ name, provider, zone, status, state }) => (
            <span key={provider}>
              <Link href={`/providers/${provider}`}>{name}</Link> <span className="soft">zone {zone}</span>{' '}
              {status === 'disabled' && <Chip tone="warm">disabled</Chip>}
              {state === 'down' && <Chip tone="hot">down</Chip>}
            </span>
          )),
    ],
    [
      'Flavor',
      consumer.flavor === null ? null : (
        <Link href={`/why?flavor=${encodeURIComponent(consumer.flavor)}`}>{consumer.flavor}</Link>
      ),
    ],
    ['Zone asked for', consumer.zone],
    ['Near', consumer.same_host.length === 0 ? null : <Servers uuids={consumer.same_host} />],
    ['Away from', consumer.different_host.length === 0 ? null : <Servers uuids={consumer.different_host} />],
    ['Type', consumer.type],
    [
      'Share',
      consumer.share === null ? null : <Link href={`/shares/${consumer.uuid}`}>{consumer.share}</Link>,
    ],
    ['Part of reservation', consumer.reservation],
    ['Project', consumer.project_id],
    ['User', consumer.user_id],
    ['Changed', momentText(consumer.updated_at)],
  ]
  return (
    <>
      <Panel
        title="Where it is"
        aside={
          consumer.is_server && (
            <CopyButton label="Copy the command to move it" text={berthCommands.move(consumer.uuid)} />
          )
        }
      >
        <FactList facts={facts} />
      </Panel>
      <Holdings consumer={consumer} />
      {group !== null && <Group group={group} />}
    </>
  )
}

const TIES_SHOWN_MAX = 20

function Servers({ uuids }: { readonly uuids: readonly string[] }) {
  return (
    <>
      {uuids.slice(0, TIES_SHOWN_MAX).map((uuid, at) => (
        <span key={uuid}>
          {at > 0 && ', '}
          <ConsumerLink uuid={uuid} />
        </span>
      ))}
      {uuids.length > TIES_SHOWN_MAX && ` and ${uuids.length - TIES_SHOWN_MAX} more`}
    </>
  )
}

function Holdings({ consumer: { allocations } }: { readonly consumer: Consumer }) {
  return (
    <Panel
      title="What it holds"
      aside={<span className="soft">{plural(allocations.length, 'allocation')}</span>}
      flush
    >
      <Sideways label="Allocations">
        <table className={`${page.table} ${page.words} ${page.tight}`}>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Class</th>
              <th scope="col">Used</th>
            </tr>
          </thead>
          <tbody>
            {allocations.map(one => (
              <tr key={`${one.provider} ${one.class}`}>
                <td>
                  <Link href={`/providers/${one.provider}`}>{one.name}</Link>
                </td>
                <td>{one.class}</td>
                <td>{ofClass(one.class, one.used)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Sideways>
    </Panel>
  )
}

function Group({ group }: { readonly group: NonNullable<Consumer['server_group']> }) {
  const { name, policy, members, members_total } = group
  return (
    <Panel
      title="Server group"
      aside={
        <span className="soft">
          {name}, {policy}
        </span>
      }
    >
      {members.length === 0 && <p className="soft">It is the only member.</p>}
      <ul className={why.list}>
        {members.map(({ uuid, name, hosts }) => (
          <li key={uuid}>
            <ConsumerLink uuid={uuid} name={name} />{' '}
            <span className="soft">on {hosts.join(', ') || 'no host'}</span>
          </li>
        ))}
      </ul>
      {members_total > members.length && <p className="soft">and {members_total - members.length} more</p>}
    </Panel>
  )
}

/** What was decided about it, the newest first. */
function History({ uuid }: { readonly uuid: string }) {
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['decisions', 'about', uuid],
    queryFn: () => readDecisionsAbout(uuid),
    enabled: may('berth:decisions'),
  })
  if (!may('berth:decisions')) return null
  return (
    <Panel title="Decisions and moves" flush>
      {query.data === undefined ? (
        <Waiting query={query} what="decisions" />
      ) : query.data.length === 0 ? (
        <p className={page.buttons}>
          No decision about it is kept: it was not scheduled here in the last 14 days.
        </p>
      ) : (
        <Sideways label="Decisions">
          <table className={`${page.table} ${page.words} ${page.tight}`}>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">Outcome</th>
                <th scope="col">Where, or why not</th>
              </tr>
            </thead>
            <tbody>
              {query.data.map(one => (
                <tr key={one.id}>
                  <td>
                    <Link href={`/decisions/${one.id}`}>{momentText(one.at)}</Link>
                  </td>
                  <td>{one.kind}</td>
                  <td>
                    <Chip tone={one.outcome === 'refused' ? 'hot' : 'good'}>{one.outcome}</Chip>
                  </td>
                  <td>{one.reason ?? placeOf(one, uuid)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Sideways>
      )}
    </Panel>
  )
}

const placeOf = ({ placed }: ListedDecision, uuid: string): string =>
  placed.find(({ instance }) => instance === uuid)?.host ?? '–'
