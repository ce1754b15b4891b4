import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { deleteMetadata, setMetadata } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Panel } from '../controls/page.tsx'
import styles from './shares.module.css'
import { isHintKey } from './ties.ts'
import { useRefresh, useWhyNot } from './use-shares.ts'

/** User metadata. Hints are metadata too, and are shown as ties. */
export function MetadataPanel({ share }: { readonly share: Share }) {
  const whyNot = useWhyNot(share)
  const refresh = useRefresh()
  const own = Object.entries(share.metadata).filter(([key]) => !isHintKey(key))
  const remove = useMutation({
    mutationFn: (key: string) => deleteMetadata(share.id, key),
    onSuccess: refresh,
  })
  return (
    <Panel title="Metadata" flush>
      {own.length === 0 && <p className={`${styles.rest} soft`}>None. Keys and values of your own.</p>}
      <ul className={styles.list} aria-label="Metadata">
        {own.map(([key, value]) => (
          <li key={key}>
            <code>
              {key}={value}
            </code>
            <ActButton
              size="compact-xs"
              variant="default"
              why={whyNot('share:delete_share_metadata')}
              loading={remove.isPending && remove.variables === key}
              onClick={() => remove.mutate(key)}
            >
              Remove<span className="hidden"> {key}</span>
            </ActButton>
          </li>
        ))}
      </ul>
      {remove.error !== null && <FailureNote error={remove.error} />}
      <AddForm share={share} />
    </Panel>
  )
}

function AddForm({ share }: { readonly share: Share }) {
  const whyNot = useWhyNot(share)
  const refresh = useRefresh()
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const add = useMutation({
    mutationFn: () => setMetadata(share.id, { [key.trim()]: value }),
    onSuccess: async () => {
      setKey('')
      setValue('')
      await refresh()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  const why =
    whyNot('share:update_share_metadata') ??
    (key.trim() === ''
      ? 'It needs a key.'
      : isHintKey(key.trim())
        ? 'This is a hint: an admin edits it among the ties.'
        : null)
  return (
    <form onSubmit={onSubmit} className={`${styles.rest} ${styles.buttons}`}>
      <TextInput
        aria-label="Key"
        placeholder="Key"
        value={key}
        onChange={event => setKey(event.currentTarget.value)}
      />
      <TextInput
        aria-label="Value"
        placeholder="Value"
        value={value}
        onChange={event => setValue(event.currentTarget.value)}
      />
      <ActButton type="submit" variant="default" why={why} loading={add.isPending}>
        Set
      </ActButton>
      {add.error !== null && <FailureNote error={add.error} />}
    </form>
  )
}
