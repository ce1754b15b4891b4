import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ActButton } from './act-button.tsx'
import { ActIcon } from './act-icon.tsx'
import styles from './chip-list.module.css'
import { Icon } from './icons.tsx'
import { Chip, FailureNote } from './page.tsx'

interface Adding {
  /** The name of the field that adds one. */
  readonly label: string
  /** The label of the button. */
  readonly submit: string
  readonly whyNot: string | null
  /** Why the button is disabled while the field is empty. */
  readonly whyEmpty: string
}

/** Names that can be removed, and a field that adds one. */
export function ChipList({
  label,
  names,
  empty,
  tone = 'plain',
  removing,
  adding,
  onChange,
  onDone,
}: {
  readonly label: string
  readonly names: readonly string[]
  /** The text for an empty list. */
  readonly empty: string
  readonly tone?: 'plain' | 'accent'
  readonly removing: { readonly label: (name: string) => string; readonly whyNot: string | null }
  readonly adding: Adding
  readonly onChange: (name: string, isIn: boolean) => Promise<unknown>
  readonly onDone: () => Promise<unknown>
}) {
  const [text, setText] = useState('')
  const name = text.trim()
  const change = useMutation({
    mutationFn: (to: { readonly name: string; readonly isIn: boolean }) => onChange(to.name, to.isIn),
    onSuccess: async () => {
      setText('')
      await onDone()
    },
  })
  const why = adding.whyNot ?? (name === '' ? adding.whyEmpty : null)
  return (
    <>
      <ul className={styles.chips} aria-label={label}>
        {names.length === 0 && <li className="soft">{empty}</li>}
        {names.map(one => (
          <li key={one}>
            <Chip tone={tone}>
              {one}
              <ActIcon
                size={16}
                variant="transparent"
                label={removing.label(one)}
                why={removing.whyNot}
                onClick={() => change.mutate({ name: one, isIn: false })}
              >
                <Icon name="close" size={10} />
              </ActIcon>
            </Chip>
          </li>
        ))}
      </ul>
      <form
        className={styles.adding}
        onSubmit={event => {
          event.preventDefault()
          // Enter submits even if the button is disabled.
          if (why === null && !change.isPending) change.mutate({ name, isIn: true })
        }}
      >
        <TextInput
          aria-label={adding.label}
          placeholder={adding.label}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <ActButton type="submit" variant="default" loading={change.isPending} why={why}>
          {adding.submit}
        </ActButton>
      </form>
      {change.error !== null && <FailureNote error={change.error} />}
    </>
  )
}
