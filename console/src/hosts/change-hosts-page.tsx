import { NumberInput, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { CHANGED_HOSTS_MAX } from '../../../src/kernel/number-bounds.ts'
import type { HostsPreview } from '../../../src/wire/host-changes.ts'
import type { Host } from '../../../src/wire/hosts.ts'
import { changeHosts, previewHosts } from '../api/hosts.ts'
import { Failure } from '../api/http.ts'
import { ActButton } from '../controls/act-button.tsx'
import { useCalm } from '../controls/calm.ts'
import { useNumberText } from '../controls/number-text.ts'
import { Empty, FailureNote, Loading, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, className, plural } from '../formats.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { usePicture, useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import why from '../why/why.module.css'
import styles from './change-hosts.module.css'
import { type ChosenHosts, useChosenHosts } from './chosen-hosts.ts'
import { type Action, actionWords, changeOf, doneText, doText, isAction, previewOf } from './host-change.ts'
import { noteChange, useLastChange } from './last-change.ts'
import { PreviewAnswer } from './preview-answer.tsx'
import UndoNote from './undo-note.tsx'

const NAMES_SHOWN = 24
/** The preview waits while one types. */
const TYPING_MS = 700

/** Many hosts, what is to be done with them, what would come of it, and one button that does it in one commit. */
export default function ChangeHostsPage() {
  const around = useSurroundings()
  const [params] = useUrlState()
  const chosen = useChosenHosts(params, around)
  const action = actionOf(params)
  const last = useLastChange()
  const count = plural(chosen.hosts.length, 'host')
  const title = chosen.title === '' ? `Change ${count}` : chosen.title
  return (
    <Page
      title={title}
      text="See what would come of it before it is done. All of them are changed in one commit, or none."
      trail={[['Capacity', '/']]}
    >
      {last !== null && <UndoNote last={last} />}
      {around.isLoading === true ? (
        <Panel>
          <Loading what="hosts and aggregates" />
        </Panel>
      ) : chosen.hosts.length === 0 ? (
        <Panel>
          <Empty title="No host is chosen" action={<Link href="/?choose=yes">Choose hosts on the map</Link>}>
            {chosen.title === '' ? 'The address names no host that exists.' : `${chosen.title} has no host.`}
          </Empty>
        </Panel>
      ) : (
        <Plan chosen={chosen} action={action} />
      )}
    </Page>
  )
}

const actionOf = (params: URLSearchParams): Action => {
  const text = params.get('do')
  return isAction(text) ? text : 'take-down'
}

function Plan({ chosen, action }: { readonly chosen: ChosenHosts; readonly action: Action }) {
  const { may, whyNot } = useSession()
  const [params] = useUrlState()
  const { hosts, missing } = chosen
  const names = useMemo(() => hosts.map(({ name }) => name), [hosts])
  const change = useMemo(() => changeOf(params), [params])
  const isTooMany = hosts.length > CHANGED_HOSTS_MAX
  const wanted = useMemo(
    () => (typeof change === 'string' || isTooMany ? null : previewOf(action, names, change)),
    [change, isTooMany, action, names],
  )
  const body = useCalm(wanted, TYPING_MS)
  const preview = useQuery({
    queryKey: ['host-preview', body],
    queryFn: () => previewHosts(body as NonNullable<typeof body>),
    enabled: body !== null && may('berth:simulate'),
    staleTime: 30_000,
  })
  // While one types, the preview is of what was typed before.
  const isCurrent = JSON.stringify(body) === JSON.stringify(wanted)
  const isAwaited = may('berth:simulate') && (!isCurrent || preview.isFetching)
  return (
    <>
      <Panel title="Hosts" aside={<Link href={`/?choose=yes&${keptOf(params)}`}>Choose others</Link>}>
        <HostNames hosts={hosts} missing={missing} />
      </Panel>
      <Panel title="What to do">
        <ActionForm action={action} />
      </Panel>
      {isTooMany ? (
        <Note tone="warm">
          {amount(hosts.length)} hosts are chosen; at most {amount(CHANGED_HOSTS_MAX)} are changed at once.
        </Note>
      ) : typeof change === 'string' ? (
        <Note>{change}</Note>
      ) : !may('berth:simulate') ? (
        <Note tone="warm">No preview: {whyNot('berth:simulate')}</Note>
      ) : preview.data === undefined ? (
        <Waiting query={preview} what="what would come of it" />
      ) : (
        <PreviewAnswer preview={preview.data} action={action} />
      )}
      {typeof change !== 'string' && (
        <DoIt
          action={action}
          names={names}
          change={change}
          preview={isCurrent && !preview.isFetching ? (preview.data ?? null) : null}
          why={isTooMany ? 'Choose fewer hosts.' : isAwaited ? 'The preview is not ready.' : null}
        />
      )}
    </>
  )
}

/** What keeps the choice when one goes back to the map. */
const keptOf = (params: URLSearchParams): string => {
  const kept = new URLSearchParams()
  const [hosts, rack] = [params.get('hosts'), params.get('rack')]
  if (hosts !== null) kept.set('hosts', hosts)
  if (rack !== null) kept.set('rack', rack)
  return kept.toString()
}

function HostNames({
  hosts,
  missing,
}: {
  readonly hosts: readonly Host[]
  readonly missing: readonly string[]
}) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? hosts : hosts.slice(0, NAMES_SHOWN)
  return (
    <>
      <ul className={styles.names} aria-label="Chosen hosts">
        {shown.map(({ name, uuid, status, state }) => (
          <li key={uuid}>
            <Link href={`/providers/${uuid}`}>{name}</Link>
            {status === 'disabled' && <span className="soft"> disabled</span>}
            {state === 'down' && <span className="soft"> down</span>}
          </li>
        ))}
      </ul>
      {hosts.length > NAMES_SHOWN && (
        <button
          type="button"
          className={styles.more}
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
        >
          {isWhole ? 'Show fewer' : `Show all ${amount(hosts.length)}`}
        </button>
      )}
      {missing.length > 0 && (
        <Note tone="warm">
          Not there any more: {missing.slice(0, NAMES_SHOWN).join(', ')}
          {missing.length > NAMES_SHOWN && ` and ${amount(missing.length - NAMES_SHOWN)} more`}
        </Note>
      )}
    </>
  )
}

function ActionForm({ action }: { readonly action: Action }) {
  const [params, change] = useUrlState()
  const { fleet } = usePicture()
  const { aggregates } = useSurroundings()
  return (
    <div className={why.ask}>
      <Select
        label="Action"
        data={Object.entries(actionWords).map(([value, label]) => ({ value, label }))}
        value={action}
        onChange={value => change({ do: value, reason: null, ratio: null, to: null })}
      />
      {(action === 'disable' || action === 'take-down') && (
        <TextInput
          label="Reason"
          placeholder="Others will read it"
          maxLength={255}
          value={params.get('reason') ?? ''}
          onChange={event => change({ reason: event.currentTarget.value })}
        />
      )}
      {action === 'ratio' && (
        <>
          <Select
            label="Resource class"
            searchable
            data={[...fleet.totals().keys()].map(name => ({ value: name, label: className(name) }))}
            value={params.get('class') ?? 'VCPU'}
            onChange={name => change({ class: name })}
          />
          <NumberInput
            label="Ratio"
            min={0}
            decimalScale={4}
            {...useNumberText(params.get('ratio') ?? '', ratio => change({ ratio }))}
          />
        </>
      )}
      {(action === 'join' || action === 'leave') && (
        <Select
          label="Host aggregate"
          placeholder="Choose one"
          searchable
          data={aggregates.map(({ name }) => name).sort()}
          value={params.get('to')}
          onChange={to => change({ to })}
        />
      )}
    </div>
  )
}

interface DoItProps {
  readonly action: Action
  readonly names: readonly string[]
  readonly change: Exclude<ReturnType<typeof changeOf>, string>
  /** Null: there is none of this change. */
  readonly preview: HostsPreview | null
  readonly why: string | null
}

/** Commits the change to the state that the preview saw, or shows what came in between. */
function DoIt({ action, names, change, preview, why }: DoItProps) {
  const { whyNot } = useSession()
  const [params] = useUrlState()
  const queries = useQueryClient()
  const renewPreview = () => queries.invalidateQueries({ queryKey: ['host-preview'] })
  const act = useMutation({
    mutationFn: (generations: HostsPreview['generations'] | null) =>
      changeHosts({ ...change, hosts: [...names], ...(generations === null ? {} : { generations }) }),
    onSuccess: ({ revision, changed }) => {
      if (revision !== null)
        noteChange({ revision, text: doneText(action, changed.length, params.get('to')) })
      scrollTo({ top: 0 })
      return Promise.all([queries.invalidateQueries({ queryKey: ['hosts'] }), renewPreview()])
    },
    onError: error => (isOutdated(error) ? renewPreview() : undefined),
  })
  const count = countChanged(names.length, change, preview)
  const refused = preview?.refused ?? (count === 0 ? 'They are so already.' : null)
  const cannot = whyNot('berth:hosts:write') ?? why ?? refused
  return (
    <>
      {act.error !== null &&
        (isOutdated(act.error) ? <Outdated error={act.error} /> : <FailureNote error={act.error} />)}
      <div className={styles.act}>
        <ActButton
          size="sm"
          why={cannot}
          loading={act.isPending}
          onClick={() => act.mutate(preview?.generations ?? null)}
        >
          {doText(action, count === 0 ? names.length : count)}
        </ActButton>
        {isOutdated(act.error) && (
          <ActButton size="sm" variant="default" why={cannot} onClick={() => act.mutate(null)}>
            Do it whatever changes meanwhile
          </ActButton>
        )}
        {action === 'take-down' && (
          <span className="soft">
            Moves no server. Once nothing new comes, move the servers away as you are used to.
          </span>
        )}
      </div>
    </>
  )
}

/** The preview does not know a reason, which is new even where the host is disabled already. */
const countChanged = (
  hosts: number,
  { disabled_reason }: DoItProps['change'],
  preview: HostsPreview | null,
): number => (preview === null || typeof disabled_reason === 'string' ? hosts : preview.changed.length)

const isOutdated = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'compute.host-generation'

const Outdated = ({ error: { facts } }: { readonly error: Failure }) => (
  <Note tone="hot">
    <strong>Nothing was changed: {String(facts.host)} is not as the preview saw it.</strong>
    <p>
      A server came or went, or somebody edited the host. The preview above is made again: look at it once
      more.
    </p>
  </Note>
)
