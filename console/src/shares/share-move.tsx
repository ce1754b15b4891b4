import { Checkbox, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import type { ShareTarget } from '../../../src/wire/share-explanation.ts'
import { readTargets, startMigration } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { ofClass, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { NoSuchShare, useShare } from './share-page.tsx'
import { ShareText } from './share-text.tsx'
import styles from './shares.module.css'
import { stateOf } from './states.ts'
import { nameOf, useRefresh, useTypes } from './use-shares.ts'

export default function ShareMove() {
  const { id = '' } = useParams<{ id: string }>()
  const { may } = useSession()
  const query = useShare(id)
  if (!may('share:migration_start'))
    return <NotForYou title="Move a share" operation="share:migration_start" />
  if (query.data === undefined)
    return query.error === null ? <Waiting query={query} what="the share" /> : <NoSuchShare />
  const share = query.data
  return (
    <Page
      title={`Move ${nameOf(share)}`}
      trail={[
        ['Shares', '/shares'],
        [nameOf(share), `/shares/${share.id}`],
      ]}
      text={
        <>
          It is copied while it stays in use where it is, <code>{share.host || 'nowhere'}</code>, and changes
          over when you complete the move.
        </>
      }
    >
      {share.status !== 'available' && (
        <Note tone="warm">
          <strong>It is {stateOf(share).word}.</strong>
          <p>
            Only a share that is available can be moved.{' '}
            <Link href={`/shares/${share.id}`}>Back to the share</Link>
          </p>
        </Note>
      )}
      <Choose share={share} />
    </Page>
  )
}

function Choose({ share }: { readonly share: Share }) {
  const [params, change] = useUrlState()
  const type = params.get('type')
  const types = useTypes().data ?? []
  const [isForced, setForced] = useState(false)
  const query = useQuery({
    queryKey: ['shares', 'targets', share.id, type],
    queryFn: () => readTargets(share.id, type),
    placeholderData: before => before,
  })
  const pools = query.data?.pools ?? []
  const chosen =
    pools.find(one => one.pool === params.get('to') && whyNotThere(one, isForced, type) === null) ?? null
  const forbidden = pools.filter(one => one.force_helps && !one.is_here)
  return (
    <>
      <Panel
        title="Where to"
        aside={
          <Select
            aria-label="Type after the move"
            leftSection={<span className="soft">as</span>}
            data={types.map(({ id, name }) => ({
              value: id,
              label: id === share.share_type ? `${name} (as it is)` : `${name} (another type)`,
            }))}
            value={type ?? share.share_type}
            onChange={value => change({ type: value === share.share_type ? null : value })}
          />
        }
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="the pools" />
        ) : (
          <fieldset className={styles.targets}>
            <legend className="hidden">Pool to move to</legend>
            {pools.map(one => (
              <TargetRow
                key={one.pool}
                target={one}
                why={whyNotThere(one, isForced, type)}
                isChosen={one.pool === chosen?.pool}
                onChoose={() => change({ to: one.pool })}
              />
            ))}
          </fieldset>
        )}
      </Panel>
      {forbidden.length > 0 && (
        <Panel title="Against the hints">
          <Checkbox
            label={`Let me choose what its hints forbid (${plural(forbidden.length, 'pool')})`}
            description="What is in the way for another reason stays so."
            checked={isForced}
            onChange={event => setForced(event.currentTarget.checked)}
          />
        </Panel>
      )}
      <Begin share={share} target={chosen} type={type} snapshots={query.data?.snapshots ?? 0} />
    </>
  )
}

/** The obstacle in a word; null if it can be chosen. Its current pool is allowed for a change of type. */
function whyNotThere(target: ShareTarget, isForced: boolean, type: string | null): string | null {
  if (target.is_here && type === null) return 'it is here'
  if (target.passes) return null
  if (!target.force_helps) return 'will not do'
  return isForced ? null : 'hints forbid it'
}

function TargetRow({
  target,
  why,
  isChosen,
  onChoose,
}: {
  readonly target: ShareTarget
  readonly why: string | null
  readonly isChosen: boolean
  readonly onChoose: () => void
}) {
  const word = target.passes
    ? target.is_here
      ? 'stays, only the type changes'
      : 'fits'
    : 'against the hints'
  const id = `why-${target.pool}`
  return (
    <div className={styles.target} data-off={why !== null} data-chosen={isChosen}>
      <label>
        <input
          type="radio"
          name="target"
          checked={isChosen}
          aria-label={target.pool}
          aria-disabled={why !== null}
          aria-describedby={id}
          onChange={() => why === null && onChoose()}
        />
        <span>
          <code>{target.pool}</code>{' '}
          <span className="soft number">{ofClass('CUSTOM_SHARE_GB', target.free_gb)} free</span>
        </span>
      </label>
      <div id={id} className={styles.verdict}>
        <Chip tone={why !== null ? 'plain' : target.passes ? 'good' : 'hot'}>{why ?? word}</Chip>
        {why !== 'it is here' && target.refusals.length > 0 && (
          <ul className={styles.reasons}>
            {target.refusals.flatMap(({ filter, reasons }) =>
              reasons.map(({ text }) => (
                <li key={`${filter} ${text}`}>
                  <ShareText text={text} /> <span className="soft">({filter})</span>
                </li>
              )),
            )}
          </ul>
        )}
      </div>
    </div>
  )
}

function Begin({
  share,
  target,
  type,
  snapshots,
}: {
  readonly share: Share
  readonly target: ShareTarget | null
  readonly type: string | null
  readonly snapshots: number
}) {
  const [isAsking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const refresh = useRefresh()
  const isAgainst = target !== null && !target.passes
  const start = useMutation({
    mutationFn: () => startMigration(share.id, { host: target?.pool ?? '', type, force: isAgainst }),
    onSuccess: async () => {
      await refresh()
      navigate(`/shares/${share.id}`)
    },
  })
  const why =
    share.status !== 'available'
      ? `It is ${stateOf(share).word}, and has to be available.`
      : target === null
        ? 'Choose a pool first.'
        : null
  return (
    <>
      {start.error !== null && <FailureNote error={start.error} />}
      <div className={styles.buttons}>
        <ActButton
          why={why}
          {...(isAgainst ? { color: 'red.9' } : {})}
          loading={start.isPending}
          onClick={() => (isAgainst ? setAsking(true) : start.mutate())}
        >
          {isAgainst ? 'Move against the hints …' : 'Begin the move'}
        </ActButton>
        {snapshots > 0 && <span className="soft">{plural(snapshots, 'snapshot')} go along.</span>}
      </div>
      {isAsking && target !== null && (
        <Dialog title="Move it against its hints?" onClose={() => setAsking(false)}>
          <Confirm
            share={share}
            target={target}
            isPending={start.isPending}
            onGo={() => {
              setAsking(false)
              start.mutate()
            }}
          />
        </Dialog>
      )}
    </>
  )
}

function Confirm({
  share,
  target,
  isPending,
  onGo,
}: {
  readonly share: Share
  readonly target: ShareTarget
  readonly isPending: boolean
  readonly onGo: () => void
}) {
  const [isSure, setSure] = useState(false)
  const reasons = target.refusals.flatMap(one => one.reasons)
  return (
    <div className={styles.column}>
      <Note tone="warm">
        <strong>
          {nameOf(share)} would be on <code>{target.pool}</code>, where it must not be:
        </strong>
        <ul>
          {reasons.map(({ text }) => (
            <li key={text}>
              <ShareText text={text} />
            </li>
          ))}
        </ul>
      </Note>
      <p className="soft">Its hints stay as they are, and its page says that it was moved against them.</p>
      <Checkbox
        label="I know what this breaks"
        checked={isSure}
        onChange={event => setSure(event.currentTarget.checked)}
      />
      <div>
        <ActButton
          color="red.9"
          why={isSure ? null : 'Tick the box above first.'}
          loading={isPending}
          onClick={onGo}
        >
          Move it all the same
        </ActButton>
      </div>
    </div>
  )
}
