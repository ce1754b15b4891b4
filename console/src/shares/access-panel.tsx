import { Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Share, ShareAccessRule } from '../../../src/wire/openstack-shares.ts'
import { actOnShare, readAccess } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Panel, Waiting } from '../controls/page.tsx'
import { accessStateOf, isAccessBusy, LEVELS, TYPES, whyNoClient } from './access.ts'
import { ShareDialog } from './share-dialog.tsx'
import styles from './shares.module.css'
import { StateMark } from './state-mark.tsx'
import { isMoving, stateOf } from './states.ts'
import { nameOf, useAskAgain, useRefresh, useWhyNot } from './use-shares.ts'

/** Who may mount the share. */
export function AccessPanel({ share }: { readonly share: Share }) {
  const again = useAskAgain()
  const query = useQuery({
    queryKey: ['shares', 'access', share.id],
    queryFn: () => readAccess(share.id),
    refetchInterval: ({ state }) => again(state.data?.some(isAccessBusy) ?? false),
  })
  const whyNot = useWhyNot(share)
  const [isAdding, setAdding] = useState(false)
  return (
    <Panel
      title="Access"
      aside={
        <ActButton
          size="compact-xs"
          variant="default"
          why={whyNot('share:allow_access') ?? whyNoChange(share)}
          onClick={() => setAdding(true)}
        >
          Give access
        </ActButton>
      }
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="access rules" />
      ) : query.data.length === 0 ? (
        <p className={`${styles.rest} soft`}>Nobody may mount the share so far.</p>
      ) : (
        <ul className={styles.list} aria-label="Access rules">
          {query.data.map(rule => (
            <Line key={rule.id} share={share} rule={rule} />
          ))}
        </ul>
      )}
      {isAdding && <GiveDialog share={share} onClose={() => setAdding(false)} />}
    </Panel>
  )
}

function whyNoChange(share: Share): string | null {
  if (share.is_soft_deleted) return 'It is in the bin: restore it first.'
  if (isMoving(share)) return 'It is being moved: wait until that is over.'
  const { kind, word } = stateOf(share)
  return kind === 'busy' || share.status === 'error' ? `It is ${word}.` : null
}

function Line({ share, rule }: { readonly share: Share; readonly rule: ShareAccessRule }) {
  const whyNot = useWhyNot(share)
  const refresh = useRefresh()
  const remove = useMutation({
    mutationFn: () => actOnShare(share.id, 'deny_access', { access_id: rule.id }),
    onSuccess: refresh,
  })
  return (
    <li>
      <span>
        <strong>{rule.access_to}</strong>{' '}
        <span className={styles.why}>
          {rule.access_type}, {rule.access_level === 'ro' ? 'read only' : 'read and write'}
        </span>
      </span>
      <StateMark state={accessStateOf(rule)} />
      <ActButton
        size="compact-xs"
        variant="default"
        why={whyNot('share:deny_access') ?? whyNoChange(share)}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        Remove<span className="hidden"> {rule.access_to}</span>
      </ActButton>
      {remove.error !== null && <FailureNote error={remove.error} />}
    </li>
  )
}

function GiveDialog({ share, onClose }: { readonly share: Share; readonly onClose: () => void }) {
  const [type, setType] = useState('ip')
  const [to, setTo] = useState('')
  const [level, setLevel] = useState('rw')
  return (
    <ShareDialog
      title={`Give access to ${nameOf(share)}`}
      submit="Give access"
      why={whyNoClient(type, to.trim())}
      act={() =>
        actOnShare(share.id, 'allow_access', { access_type: type, access_to: to.trim(), access_level: level })
      }
      onClose={onClose}
    >
      <Select label="Type" data={TYPES} value={type} onChange={value => setType(value ?? 'ip')} />
      <TextInput
        data-autofocus
        label="Whom to let in"
        placeholder={type === 'ip' ? '10.0.0.0/24' : ''}
        value={to}
        onChange={event => setTo(event.currentTarget.value)}
      />
      <Select label="Level" data={LEVELS} value={level} onChange={value => setLevel(value ?? 'rw')} />
    </ShareDialog>
  )
}
