import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { actOnShare, deleteShare, updateShare } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Note } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { useSnapshotsOf } from './snapshots-panel.tsx'
import { isMoving, stateOf, wordOf } from './states.ts'
import { tieCounts } from './ties.ts'
import { nameOf, useIsAdmin, useRefresh, useWhyNot } from './use-shares.ts'

type Open = 'edit' | 'size' | 'delete' | 'reset' | null

/** The actions of a share; disabled ones say why. */
export function ShareActions({ share }: { readonly share: Share }) {
  const [open, setOpen] = useState<Open>(null)
  const [, navigate] = useLocation()
  const isAdmin = useIsAdmin()
  const whyNot = useWhyNot(share)
  const refresh = useRefresh()
  const snapshots = useSnapshotsOf(share).data?.length ?? 0
  const restore = useMutation({ mutationFn: () => actOnShare(share.id, 'restore'), onSettled: refresh })
  const close = () => setOpen(null)
  const idle = whyNotIdle(share)
  const whyNoDelete =
    whyNot('share:delete') ??
    (snapshots > 0 ? `It has ${plural(snapshots, 'snapshot')}: delete them first.` : null) ??
    (isAdmin ? null : whyNotDeletable(share))
  return (
    <>
      <ActButton variant="default" why={whyNot('share:update')} onClick={() => setOpen('edit')}>
        Edit
      </ActButton>
      <ActButton variant="default" why={whyNot('share:extend') ?? idle} onClick={() => setOpen('size')}>
        Change size
      </ActButton>
      <ActButton
        variant="default"
        why={whyNot('share:migration_start') ?? idle}
        onClick={() => navigate(`/shares/${share.id}/move`)}
      >
        Move
      </ActButton>
      <ActButton variant="default" why={whyNot('share:reset_status')} onClick={() => setOpen('reset')}>
        Reset state
      </ActButton>
      {share.is_soft_deleted && (
        <ActButton why={whyNot('share:restore')} loading={restore.isPending} onClick={() => restore.mutate()}>
          Restore
        </ActButton>
      )}
      <ActButton variant="default" why={whyNoDelete} onClick={() => setOpen('delete')}>
        Delete
      </ActButton>
      {restore.error !== null && <FailureNote error={restore.error} />}
      {open === 'edit' && <EditDialog share={share} onClose={close} />}
      {open === 'size' && <SizeDialog share={share} onClose={close} />}
      {open === 'delete' && <DeleteDialog share={share} onClose={close} />}
      {open === 'reset' && <ResetDialog share={share} onClose={close} />}
    </>
  )
}

/** Resizing and moving need a share without work in progress. */
function whyNotIdle(share: Share): string | null {
  if (share.is_soft_deleted) return 'It is in the bin: restore it first.'
  if (isMoving(share)) return 'It is being moved: complete or cancel that first.'
  if (share.status !== 'available') return `It is ${stateOf(share).word}, and has to be available.`
  return share.host === '' ? 'It is nowhere.' : null
}

function whyNotDeletable(share: Share): string | null {
  if (isMoving(share)) return 'It is being moved: an admin can cancel that.'
  return ['available', 'error', 'inactive'].includes(share.status)
    ? null
    : `It is ${stateOf(share).word}: an admin can delete it by force.`
}

interface DialogProps {
  readonly share: Share
  readonly onClose: () => void
}

function EditDialog({ share, onClose }: DialogProps) {
  const [name, setName] = useState(share.name ?? '')
  const [description, setDescription] = useState(share.description ?? '')
  const [isPublic, setPublic] = useState(share.is_public)
  const { may } = useSession()
  return (
    <ShareDialog
      title={`Edit ${nameOf(share)}`}
      submit="Save"
      act={() =>
        updateShare(share.id, {
          name: name.trim(),
          description: description.trim(),
          ...(isPublic === share.is_public ? {} : { is_public: isPublic }),
        })
      }
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
        autosize
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
      />
      {may('share:set_public_share') && (
        <Checkbox
          label="All projects may see it"
          checked={isPublic}
          onChange={event => setPublic(event.currentTarget.checked)}
        />
      )}
    </ShareDialog>
  )
}

function SizeDialog({ share, onClose }: DialogProps) {
  const whyNot = useWhyNot(share)
  const [size, setSize] = useState<number | string>(share.size)
  const wanted = Number(size)
  const verb = wanted < share.size ? 'shrink' : 'extend'
  const why =
    !Number.isInteger(wanted) || wanted < 1
      ? 'It has to be a whole number of GB, at least 1.'
      : wanted === share.size
        ? 'This is the size it has.'
        : whyNot(`share:${verb}`)
  return (
    <ShareDialog
      title={`Change the size of ${nameOf(share)}`}
      submit={verb === 'shrink' ? `Shrink to ${wanted} GB` : `Extend to ${wanted} GB`}
      why={why}
      act={() => actOnShare(share.id, verb, { new_size: wanted })}
      onClose={onClose}
    >
      <NumberInput
        data-autofocus
        label="New size in GB"
        description={`It has ${share.size} GB.`}
        min={1}
        allowDecimal={false}
        value={size}
        onChange={setSize}
      />
      {verb === 'shrink' && wanted >= 1 && (
        <Note tone="warm">
          What is in it has to fit. If it does not, the share stays as it is, and says so.
        </Note>
      )}
    </ShareDialog>
  )
}

function DeleteDialog({ share, onClose }: DialogProps) {
  const whyNot = useWhyNot(share)
  const [, navigate] = useLocation()
  const [isForGood, setForGood] = useState(share.is_soft_deleted)
  const stuck = whyNotDeletable(share)
  const { same_host, different_host } = tieCounts(share)
  const ties = same_host + different_host
  const act = async () => {
    if (stuck !== null) await actOnShare(share.id, 'force_delete')
    else if (isForGood) await deleteShare(share.id)
    else await actOnShare(share.id, 'soft_delete')
    if (isForGood || stuck !== null) navigate('/shares')
  }
  return (
    <ShareDialog
      title={`Delete ${nameOf(share)}?`}
      submit={stuck !== null ? 'Delete by force' : isForGood ? 'Delete for good' : 'Put into the bin'}
      why={stuck !== null ? whyNot('share:force_delete') : isForGood ? null : whyNot('share:soft_delete')}
      act={act}
      onClose={onClose}
    >
      {stuck !== null ? (
        <Note tone="warm">
          <strong>It is {stateOf(share).word}.</strong>
          <p>By force, whatever goes on with it is given up, and all of it goes.</p>
        </Note>
      ) : (
        <>
          <p>
            {isForGood
              ? 'What is in it goes with it. There is no way back.'
              : 'It keeps its place, its ties and its quota, and can be restored until its time is up.'}
            {isForGood && ties > 0 && ` It goes out of the hints of ${plural(ties, 'other share')}.`}
          </p>
          {!share.is_soft_deleted && (
            <Checkbox
              label="Delete it for good, at once"
              checked={isForGood}
              onChange={event => setForGood(event.currentTarget.checked)}
            />
          )}
        </>
      )}
    </ShareDialog>
  )
}

/** States that can be set by hand; the others belong to work in progress. */
const RESETTABLE = ['available', 'error', 'creating', 'deleting', 'error_deleting', 'inactive', 'migrating']

function ResetDialog({ share, onClose }: DialogProps) {
  const [status, setStatus] = useState<string>('available')
  return (
    <ShareDialog
      title={`Reset the state of ${nameOf(share)}`}
      submit={`Set it to ${wordOf(status)}`}
      why={status === share.status && !isMoving(share) ? 'This is the state it has.' : null}
      act={async () => {
        await actOnShare(share.id, 'reset_status', { status })
        if (isMoving(share)) await actOnShare(share.id, 'reset_task_state', { task_state: null })
      }}
      onClose={onClose}
    >
      <Note tone="warm">
        Only what is written down changes: nothing is repaired at the back end. For shares that are stuck.
      </Note>
      <Select
        label="State"
        data={RESETTABLE.map(value => ({ value, label: wordOf(value) }))}
        value={status}
        onChange={value => setStatus(value ?? 'available')}
      />
    </ShareDialog>
  )
}
