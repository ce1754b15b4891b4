import { Link } from 'wouter'
import type { HostsPreview } from '../../../src/wire/host-changes.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Note, Panel } from '../controls/page.tsx'
import { amount, className, ofClass, plural } from '../formats.ts'
import why from '../why/why.module.css'
import type { Action } from './host-change.ts'

/** What would come of a change: the answer first, then its parts. */
export function PreviewAnswer({
  preview,
  action,
}: {
  readonly preview: HostsPreview
  readonly action: Action
}) {
  const { refused, drained } = preview
  return (
    <>
      <Verdict preview={preview} action={action} />
      {refused !== null && <Note tone="warm">The change itself would be refused. {refused}</Note>}
      {drained !== null && drained.stuck > 0 && <Stuck drained={drained} />}
      <OverCapacity preview={preview} />
      <Broken preview={preview} />
      <div className={why.two}>
        {drained !== null && drained.to.length > 0 && (
          <Panel title="Where the others go" flush>
            <DataTable
              label="Where servers go"
              rows={drained.to}
              columns={TARGETS}
              keyOf={({ host }) => host}
              sortedBy="-servers"
              sortName="targets"
              height="24rem"
            />
          </Panel>
        )}
        <FitsThen preview={preview} />
      </div>
    </>
  )
}

function Stuck({ drained }: { readonly drained: NonNullable<HostsPreview['drained']> }) {
  const { stuck_servers, stuck } = drained
  return (
    <Panel title="No place for these" aside={<Cut shown={stuck_servers.length} all={stuck} />} flush>
      <DataTable
        label="Servers without a place"
        rows={stuck_servers}
        columns={STUCK}
        keyOf={({ instance, host }) => `${instance} ${host}`}
        cut={cutText(stuck_servers.length, stuck)}
        sortName="stuck"
        height="24rem"
      />
    </Panel>
  )
}

function OverCapacity({
  preview: { over_capacity, over_capacity_count },
}: {
  readonly preview: HostsPreview
}) {
  if (over_capacity_count === 0) return null
  return (
    <Panel
      title="Would be over capacity"
      aside={<Cut shown={over_capacity.length} all={over_capacity_count} />}
      flush
    >
      <ul className={why.list}>
        {over_capacity.map(({ host, class: name, used, capacity }) => (
          <li key={`${host} ${name}`}>
            {host}: {ofClass(name, used)} of {ofClass(name, capacity)} {className(name)} in use
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Broken({ preview: { broken, broken_count, broken_truncated } }: { readonly preview: HostsPreview }) {
  if (broken_count === 0 && !broken_truncated) return null
  return (
    <Panel
      title="Servers that would break a rule"
      aside={<Cut shown={broken.length} all={broken_count} />}
      flush
    >
      <ul className={why.list}>
        {broken.map(({ instance, name, host, flavor, reason }) => (
          <li key={`${instance} ${host}`}>
            <ConsumerLink uuid={instance} name={name} /> on {host}, {flavor}: {reason}
          </li>
        ))}
      </ul>
      {broken_truncated && <p className={why.rest}>Not all servers were looked at: there are too many.</p>}
    </Panel>
  )
}

function FitsThen({ preview: { flavors, flavors_truncated } }: { readonly preview: HostsPreview }) {
  const changed = flavors.filter(({ before, after }) => before !== after)
  return (
    <Panel title="What fits then" aside={<span className="soft">In the whole cloud</span>} flush>
      {changed.length === 0 ? (
        <p className={why.rest}>As many servers of every flavor fit as before.</p>
      ) : (
        <DataTable
          label="What fits then"
          rows={changed}
          columns={FITS}
          keyOf={({ id }) => id}
          sortedBy="after"
          cut={flavors_truncated ? `the first ${amount(flavors.length)} flavors` : null}
          height="24rem"
        />
      )}
    </Panel>
  )
}

function Verdict({ preview, action }: { readonly preview: HostsPreview; readonly action: Action }) {
  const { drained, changed, unchanged, servers, others } = preview
  const there = `${plural(servers, 'server')} ${servers === 1 ? 'is' : 'are'} on them${others > 0 ? `, and ${plural(others, 'other consumer')} that nobody moves` : ''}.`
  const already = describeUnchanged(unchanged.length, drained !== null)
  if (drained !== null)
    return drained.stuck === 0 ? (
      <Note tone="good">
        <strong>
          {drained.moved === 0
            ? 'Yes: no server is on them.'
            : drained.moved === 1
              ? 'Yes: the server finds another place.'
              : `Yes: all ${plural(drained.moved, 'server')} find another place.`}
        </strong>
        {others > 0 && <p>{plural(others, 'other consumer')} would stay: only servers are moved.</p>}
        {already !== '' && <p>{already}</p>}
      </Note>
    ) : (
      <Note tone="hot">
        <strong>
          No: {amount(drained.stuck)} of {plural(drained.stuck + drained.moved, 'server')}{' '}
          {drained.stuck === 1 ? 'finds' : 'find'} no other place.
        </strong>
        <p>They are listed below, with the reason. {already}</p>
      </Note>
    )
  return (
    <Note tone={changed.length === 0 ? 'plain' : 'good'}>
      <strong>
        {changed.length === 0 ? 'Nothing would change.' : `${plural(changed.length, 'host')} would change.`}
      </strong>
      <p>
        {already} {there} {action === 'disable' && 'They stay.'}
      </p>
    </Note>
  )
}

function describeUnchanged(count: number, isDrain: boolean): string {
  if (count === 0) return ''
  return `${plural(count, 'host')} ${count === 1 ? 'is' : 'are'} ${isDrain ? 'disabled' : 'so'} already.`
}

const cutText = (shown: number, all: number): string | null =>
  shown < all ? `the first ${amount(shown)} of ${amount(all)}` : null

function Cut({ shown, all }: { readonly shown: number; readonly all: number }) {
  return <span className="soft number">{cutText(shown, all) ?? amount(all)}</span>
}

const STUCK: readonly Column<NonNullable<HostsPreview['drained']>['stuck_servers'][number]>[] = [
  {
    id: 'server',
    title: 'Server',
    width: '20rem',
    by: ({ instance, name }) => name ?? instance,
    exported: ({ instance }) => instance,
    cell: ({ instance, name }) => <ConsumerLink uuid={instance} name={name} />,
  },
  { id: 'host', title: 'Host', width: 'minmax(8rem, 1fr)', by: ({ host }) => host, cell: ({ host }) => host },
  {
    id: 'reason',
    title: 'Why',
    width: 'minmax(14rem, 3fr)',
    by: ({ reason }) => reason,
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
]

const TARGETS: readonly Column<NonNullable<HostsPreview['drained']>['to'][number]>[] = [
  { id: 'host', title: 'Host', width: 'minmax(8rem, 1fr)', by: ({ host }) => host, cell: ({ host }) => host },
  {
    id: 'servers',
    title: 'Servers',
    width: '6rem',
    right: true,
    by: ({ servers }) => servers,
    cell: ({ servers }) => amount(servers),
  },
]

type FlavorChange = HostsPreview['flavors'][number]

const count = (id: 'before' | 'after', title: string): Column<FlavorChange> => ({
  id,
  title,
  width: '5.5rem',
  right: true,
  by: one => one[id],
  cell: one => `${one.exact ? '' : '~'}${amount(one[id])}`,
})

const FITS: readonly Column<FlavorChange>[] = [
  {
    id: 'flavor',
    title: 'Flavor',
    width: 'minmax(8rem, 1fr)',
    by: ({ name }) => name,
    cell: ({ name }) => <Link href={`/what-if?${new URLSearchParams({ flavor: name })}`}>{name}</Link>,
  },
  count('before', 'Now'),
  count('after', 'Then'),
  {
    id: 'difference',
    title: 'Difference',
    width: '6.5rem',
    right: true,
    by: ({ before, after }) => after - before,
    cell: ({ before, after }) => `${after > before ? '+' : ''}${amount(after - before)}`,
  },
]
