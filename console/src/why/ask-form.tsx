import { Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readServerGroups } from '../api/compute.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { FlavorField, useHostNames, ZoneField } from './ask-fields.tsx'
import styles from './why.module.css'
import type { ASK_FIELDS } from './why-ask.ts'

/** The request, as the command line takes it. */
export function AskForm() {
  const [params, change] = useUrlState()
  const names = useHostNames()
  const more = MORE.some(name => params.has(name))
  const isMove = params.has('server')
  const [isOpen, setOpen] = useState(more)
  // It stays open when the last of its fields is emptied.
  useEffect(() => {
    if (more) setOpen(true)
  }, [more])
  return (
    <>
      <div className={styles.ask}>
        <FlavorField value={params.get('flavor')} onChange={flavor => change({ flavor, hosts: null })} />
        <ZoneField value={params.get('zone')} onChange={zone => change({ zone })} />
        <Select
          label="Host"
          placeholder="Any"
          searchable
          clearable
          limit={50}
          clearButtonProps={{ 'aria-label': 'Any host' }}
          data={names}
          value={params.get('host')}
          onChange={host => change({ host })}
        />
        <Select
          label="Root disk"
          data={[
            { value: 'local', label: 'on the host' },
            { value: 'volume', label: 'a volume' },
          ]}
          value={params.get('disk') ?? 'local'}
          onChange={disk => change({ disk: disk === 'local' ? null : disk })}
        />
      </div>
      <details className={styles.more} open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>Server, group, hints, image</summary>
        <div className={styles.ask}>
          <TextField
            name="server"
            label="Server that moves"
            placeholder="uuid; empty: a new server"
            pattern={/^[0-9a-f-]{32,36}$/i}
          />
          {!isMove && <GroupField />}
          <TextField name="near" label="Hint same_host" placeholder="uuids of servers" />
          <TextField name="away" label="Hint different_host" placeholder="uuids of servers" />
          <TextField name="query" label="Hint query" placeholder={'[">=","$free_ram_mb",1024]'} />
          <TextField name="image" label="Image properties" placeholder="hw_architecture=x86_64" isLong />
        </div>
      </details>
    </>
  )
}

const MORE = ['server', 'group', 'near', 'away', 'query', 'image'] as const satisfies readonly Field[]

type Field = (typeof ASK_FIELDS)[number]

/** Asked when the field is left or Enter is pressed: each question costs the server an explanation. */
function TextField({
  name,
  label,
  placeholder,
  isLong = false,
  pattern,
}: {
  readonly name: Field
  readonly label: string
  readonly placeholder: string
  readonly isLong?: boolean
  readonly pattern?: RegExp
}) {
  const [params, change] = useUrlState()
  const kept = params.get(name) ?? ''
  const [text, setText] = useState(kept)
  useEffect(() => setText(kept), [kept])
  const isWrong = text.trim() !== '' && pattern?.test(text.trim()) === false
  const send = () => {
    if (!isWrong && text.trim() !== kept) change({ [name]: text.trim() })
  }
  const props = {
    label,
    placeholder,
    value: text,
    onBlur: send,
    ...(isWrong ? { error: 'This is no uuid.' } : {}),
  }
  return isLong ? (
    <Textarea
      {...props}
      autosize
      minRows={1}
      maxRows={6}
      description="One key=value in a line"
      onChange={event => setText(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      {...props}
      onChange={event => setText(event.currentTarget.value)}
      onKeyDown={event => event.key === 'Enter' && send()}
    />
  )
}

function GroupField() {
  const [params, change] = useUrlState()
  const { may, has } = useSession()
  const groups = useQuery({
    queryKey: ['server-groups'],
    queryFn: () => readServerGroups(may('context_is_admin')),
    enabled: has('compute') && may('os_compute_api:os-server-groups:index'),
  })
  return (
    <Select
      label="Server group"
      placeholder="None"
      searchable
      clearable
      limit={50}
      clearButtonProps={{ 'aria-label': 'No server group' }}
      data={(groups.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={params.get('group')}
      onChange={group => change({ group })}
    />
  )
}
