import { useMutation, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { deleteMetadata, readBeside, readShare, setMetadata } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { Empty, FailureNote, Panel } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useExplained } from './place-panel.tsx'
import { SharePicker } from './share-picker.tsx'
import { ShareLink } from './share-text.tsx'
import styles from './shares.module.css'
import { StateMark } from './state-mark.tsx'
import { stateOf } from './states.ts'
import { type AskedBy, hintedBy, hintWrites, type Tie, tiesOf } from './ties.ts'
import { nameOf, useAllShares, useAskAgain, useIsAdmin, useKnownShares, useRefresh } from './use-shares.ts'

interface Shown extends Tie {
  /** Null if one of them is unplaced, undefined if it is unknown. */
  readonly isBeside: boolean | null | undefined
}

const isBroken = ({ kind, isBeside }: Shown): boolean =>
  typeof isBeside === 'boolean' && isBeside !== (kind === 'same_host')

/** The shares that it must be near, and those that it must avoid, drawn and in words. */
export function TiesPanel({ share, isOwn }: { readonly share: Share; readonly isOwn: boolean }) {
  const all = useAllShares()
  const isAdmin = useIsAdmin()
  const { may } = useSession()
  const mayMake = isOwn && may('share:create')
  const explained = useExplained(share, isOwn)
  const [isEditing, setEditing] = useState(false)
  const ties = tiesOf(share, all)
  const beside = useBeside(
    share,
    ties.filter(tie => hasToBeAsked(tie, isOwn)),
  )
  const shown = ties.map((tie): Shown => {
    const told = explained.data?.hints.find(
      ({ kind, share: other }) => kind === tie.kind && other === tie.other,
    )
    return { ...tie, isBeside: told === undefined ? beside.get(tie.other) : told.same_back_end }
  })
  const near = shown.filter(({ kind }) => kind === 'same_host')
  const away = shown.filter(({ kind }) => kind === 'different_host')
  return (
    <Panel
      title="Ties"
      aside={
        <>
          <span className="soft">
            near {near.length}, away from {away.length}
          </span>
          {mayMake && <Link href={`/shares/new?near=${share.id}`}>New share near it</Link>}
          {mayMake && <Link href={`/shares/new?away=${share.id}`}>New share away from it</Link>}
          <ActButton
            size="compact-xs"
            variant="default"
            why={isAdmin ? null : 'Only an admin may change hints once the share is made.'}
            onClick={() => setEditing(true)}
          >
            Edit hints
          </ActButton>
        </>
      }
    >
      {shown.length === 0 ? (
        <Empty title="It may be anywhere">
          No share has to be near this one or away from it. Ties are made with a new share, by picking others.
        </Empty>
      ) : (
        <Drawing share={share} near={near} away={away} />
      )}
      {isEditing && <HintsDialog share={share} onClose={() => setEditing(false)} />}
    </Panel>
  )
}

/** The explanation of a share covers its own hints only, and only its owner may read it. */
const hasToBeAsked = ({ askedBy }: Tie, isOwn: boolean): boolean =>
  askedBy === 'only-other' || (!isOwn && askedBy !== 'unknown')

function useBeside(share: Share, ties: readonly Tie[]): ReadonlyMap<string, boolean | null | undefined> {
  const again = useAskAgain()
  const others = [...new Set(ties.map(({ other }) => other))]
  const answers = useQueries({
    queries: others.map(other => ({
      queryKey: ['shares', 'beside', share.id, other],
      queryFn: () => readBeside(share.id, other),
      refetchInterval: () => again(false),
    })),
  })
  return new Map(others.map((other, at) => [other, answers[at]?.data]))
}

function Drawing({
  share,
  near,
  away,
}: {
  readonly share: Share
  readonly near: readonly Shown[]
  readonly away: readonly Shown[]
}) {
  const rows = Math.max(near.length, away.length, 1)
  return (
    <div
      className={styles.ties}
      data-sides={away.length === 0 ? 'near' : near.length === 0 ? 'away' : 'both'}
    >
      {near.length > 0 && (
        <>
          <Side label="Near: on the same back end" ties={near} share={share} />
          <Lines ties={near} rows={rows} fromLeft />
        </>
      )}
      <div className={styles.middle}>
        <strong>{nameOf(share)}</strong>
        <StateMark state={stateOf(share)} />
        {share.host !== undefined && <small className="soft">{share.host.split('#')[0] || 'nowhere'}</small>}
      </div>
      {away.length > 0 && (
        <>
          <Lines ties={away} rows={rows} fromLeft={false} />
          <Side label="Away: on another back end" ties={away} share={share} />
        </>
      )}
    </div>
  )
}

function Side({
  label,
  ties,
  share,
}: {
  readonly label: string
  readonly ties: readonly Shown[]
  readonly share: Share
}) {
  return (
    <ul className={styles.side} aria-label={label}>
      {ties.map(tie => (
        <li key={`${tie.kind} ${tie.other} ${tie.askedBy}`}>
          <Card tie={tie} share={share} />
        </li>
      ))}
    </ul>
  )
}

const ASKED: Readonly<Record<AskedBy, (own: string, other: string) => string>> = {
  this: own => `asked for by ${own}`,
  other: (_, other) => `asked for by ${other}`,
  'only-this': own => `written on ${own} alone`,
  'only-other': (_, other) => `written on ${other} alone`,
  unknown: () => 'it cannot be seen from here',
}

function Card({ tie, share }: { readonly tie: Shown; readonly share: Share }) {
  const other = useKnownShares().get(tie.other)
  const broken = isBroken(tie)
  const otherName = other === undefined ? 'a share' : nameOf(other)
  return (
    <div className={styles.card} data-broken={broken}>
      <span>
        {other !== undefined && <StateMark state={stateOf(other)} inWords={false} />}{' '}
        <ShareLink id={tie.other} />
      </span>
      <small>
        {placeText(tie, share, other)}
        {broken && <strong>, against the hint</strong>}
      </small>
      <small>
        {tie.kind === 'same_host' ? 'near' : 'away'}, {ASKED[tie.askedBy](nameOf(share), otherName)}
      </small>
    </div>
  )
}

function placeText({ isBeside }: Shown, share: Share, other: Share | undefined): string {
  if (isBeside === undefined) return 'its place is hidden from you'
  if (isBeside === null) {
    const lost = [share, other].find(one => one?.status === 'error')
    return `${lost === undefined ? 'one of them' : nameOf(lost)} is nowhere`
  }
  return isBeside ? 'on the same back end' : 'on another back end'
}

/** In pixels of the drawing, which is stretched over the rows of the cards. */
const ROW = 72
const WIDTH = 70

/** Solid and joined is near, dashed and barred is away; a broken one is crossed out. */
function Lines({
  ties,
  rows,
  fromLeft,
}: {
  readonly ties: readonly Shown[]
  readonly rows: number
  readonly fromLeft: boolean
}) {
  const height = rows * ROW
  const first = (height - ties.length * ROW) / 2 + ROW / 2
  const middle = height / 2
  return (
    <svg
      className={styles.lines}
      viewBox={`0 0 ${WIDTH} ${height}`}
      style={{ height: `calc(var(--row) * ${rows})` }}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {ties.map((tie, at) => {
        const y = first + at * ROW
        const [from, to] = fromLeft ? [y, middle] : [middle, y]
        const half = WIDTH / 2
        const glyphY = (from + to) / 2
        return (
          <g key={`${tie.kind} ${tie.other} ${tie.askedBy}`}>
            <path
              data-kind={tie.kind}
              data-broken={isBroken(tie)}
              d={`M0 ${from}C${half} ${from} ${half} ${to} ${WIDTH} ${to}`}
            />
            <circle cx={half} cy={glyphY} r="8" />
            <path data-glyph="" d={glyphOf(tie, half, glyphY)} />
          </g>
        )
      })}
    </svg>
  )
}

function glyphOf(tie: Shown, x: number, y: number): string {
  if (isBroken(tie)) return `M${x - 3} ${y - 3}l6 6M${x + 3} ${y - 3}l-6 6`
  return tie.kind === 'same_host'
    ? `M${x - 4} ${y - 2}h8M${x - 4} ${y + 2}h8`
    : `M${x - 4} ${y - 2}h8M${x - 4} ${y + 2}h8M${x + 3} ${y - 5}l-6 10`
}

/** Admins may change hints, one share at a time. */
function HintsDialog({ share, onClose }: { readonly share: Share; readonly onClose: () => void }) {
  // The value when the dialog was opened, even if others change it.
  const [base] = useState(share)
  const [near, setNear] = useState(hintedBy(base, 'same_host'))
  const [away, setAway] = useState(hintedBy(base, 'different_host'))
  const refresh = useRefresh()
  const save = useMutation({
    mutationFn: async () => {
      const now = await readShare(share.id)
      for (const { key, text } of hintWrites(base, { same_host: near, different_host: away }, now))
        if (text === null) await deleteMetadata(share.id, key)
        else await setMetadata(share.id, { [key]: text })
    },
    onSuccess: async () => {
      onClose()
      await refresh()
    },
  })
  const others = (ids: readonly string[]) => ids.filter(id => id !== share.id)
  return (
    <Dialog title={`Hints of ${nameOf(share)}`} onClose={onClose}>
      <p className={`soft ${styles.gap}`}>
        Nothing is moved: hints count when a share is placed or moved. What you take away here stays on the
        other share, and binds that one.
      </p>
      <div className={styles.column}>
        <SharePicker
          label="Keep near"
          description={plural(near.length, 'share')}
          picked={near}
          onPick={ids => setNear(others(ids))}
        />
        <SharePicker
          label="Keep away"
          description={plural(away.length, 'share')}
          picked={away}
          onPick={ids => setAway(others(ids))}
        />
        {save.error !== null && <FailureNote error={save.error} />}
        <div>
          <ActButton loading={save.isPending} onClick={() => save.mutate()}>
            Write the hints
          </ActButton>
        </div>
      </div>
    </Dialog>
  )
}
