import { TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Share, ShareSnapshot } from '../../../src/wire/openstack-shares.ts'
import { createSnapshot, deleteSnapshot, readSnapshots } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Panel, Waiting } from '../controls/page.tsx'
import { momentText, ofClass } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ShareDialog } from './share-dialog.tsx'
import styles from './shares.module.css'
import { StateMark } from './state-mark.tsx'
import { isBusy, isMoving, stateOf } from './states.ts'
import { nameOf, useAskAgain, useIsAdmin, useRefresh, useWhyNot } from './use-shares.ts'

export function useSnapshotsOf(share: Share) {
  const isAdmin = useIsAdmin()
  const again = useAskAgain()
  return useQuery({
    queryKey: ['shares', 'snapshots', share.id],
    queryFn: () => readSnapshots(isAdmin, share.id),
    refetchInterval: query => again(query.state.data?.some(isBusy) ?? false),
  })
}

export function SnapshotsPanel({ share }: { readonly share: Share }) {
  const query = useSnapshotsOf(share)
  const whyNot = useWhyNot(share)
  const [isMaking, setMaking] = useState(false)
  return (
    <Panel
      title="Snapshots"
      aside={
        <ActButton
          size="compact-xs"
          variant="default"
          why={whyNot('share:create_snapshot') ?? whyNoSnapshot(share)}
          onClick={() => setMaking(true)}
        >
          Take a snapshot
        </ActButton>
      }
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="snapshots" />
      ) : query.data.length === 0 ? (
        <p className={`${styles.rest} soft`}>
          None. A snapshot is what the share holds at one moment; other shares can be made from it.
        </p>
      ) : (
        <ul className={styles.list} aria-label="Snapshots">
          {query.data.map(one => (
            <Line key={one.id} share={share} snapshot={one} />
          ))}
        </ul>
      )}
      {isMaking && <TakeDialog share={share} onClose={() => setMaking(false)} />}
    </Panel>
  )
}

function whyNoSnapshot(share: Share): string | null {
  if (!share.snapshot_support) return `The type ${share.share_type_name} has no snapshot_support.`
  if (share.is_soft_deleted) return 'It is in the bin: restore it first.'
  if (isMoving(share)) return 'It is being moved: wait until that is over.'
  return share.status === 'available' ? null : `It is ${stateOf(share).word}, and has to be available.`
}

function Line({ share, snapshot }: { readonly share: Share; readonly snapshot: ShareSnapshot }) {
  const whyNot = useWhyNot(share)
  const mayMake = useSession().may('share:create')
  const refresh = useRefresh()
  const remove = useMutation({ mutationFn: () => deleteSnapshot(snapshot.id), onSuccess: refresh })
  const state = stateOf(snapshot)
  const why =
    whyNot('share:delete_snapshot') ??
    (isMoving(share)
      ? 'Its share is being moved: wait until that is over.'
      : ['available', 'error'].includes(snapshot.status)
        ? null
        : `It is ${state.word}.`)
  return (
    <li>
      <span>
        <strong>{nameOf(snapshot)}</strong>{' '}
        <span className={styles.why}>
          {ofClass('CUSTOM_SHARE_GB', snapshot.size)}, {momentText(`${snapshot.created_at}Z`)}
        </span>
      </span>
      <StateMark state={state} />
      {mayMake && share.create_share_from_snapshot_support && snapshot.status === 'available' && (
        <Link href={`/shares/new?snapshot=${snapshot.id}`}>New share from it</Link>
      )}
      <ActButton
        size="compact-xs"
        variant="default"
        why={why}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        Delete<span className="hidden"> {nameOf(snapshot)}</span>
      </ActButton>
      {remove.error !== null && <FailureNote error={remove.error} />}
    </li>
  )
}

function TakeDialog({ share, onClose }: { readonly share: Share; readonly onClose: () => void }) {
  const [name, setName] = useState('')
  return (
    <ShareDialog
      title={`Take a snapshot of ${nameOf(share)}`}
      submit="Take it"
      act={() => createSnapshot(share.id, name.trim())}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name of the snapshot"
        placeholder="Optional"
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
    </ShareDialog>
  )
}
