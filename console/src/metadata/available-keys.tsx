import { TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { ActButton } from '../controls/act-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { type KeyGroup, searched, titleBeside } from './known-keys.ts'
import styles from './metadata-editor.module.css'
import type { Specs } from './spec-changes.ts'

/** How many are shown; the search finds the rest. */
const OPEN_MAX = 60

/** Keys that the catalog defines for this type and that are not set yet; and any other key by name. */
export function AvailableKeys({
  groups,
  taken,
  whyNot,
  onAdd,
}: {
  readonly groups: readonly KeyGroup[]
  readonly taken: Specs
  readonly whyNot: string | null
  /** False: it exists already. */
  readonly onAdd: (key: string) => boolean
}) {
  const [text, setText] = useState('')
  const shown = useMemo(
    () =>
      searched(groups, text).flatMap(group => {
        const keys = group.keys.filter(({ key }) => taken[key] === undefined)
        return keys.length === 0 ? [] : [{ ...group, keys }]
      }),
    [groups, text, taken],
  )
  const count = shown.reduce((sum, { keys }) => sum + keys.length, 0)
  return (
    <>
      <div className={styles.search}>
        <TextInput
          aria-label="Search available keys"
          placeholder={`Search ${count} keys`}
          leftSection={<Icon name="search" size={13} />}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <OwnKey whyNot={whyNot} onAdd={onAdd} />
      </div>
      <div className={styles.available}>
        {shown.map(group => (
          <details key={group.namespace} open={text !== '' && count <= OPEN_MAX}>
            <summary>
              {group.title} <span>{group.keys.length}</span>
            </summary>
            <p>{group.description}</p>
            <ul>
              {group.keys.map(known => (
                <li key={known.key}>
                  <button
                    type="button"
                    className={styles.key}
                    aria-label={`Add ${known.key}`}
                    title={whyNot ?? known.property.description}
                    aria-disabled={whyNot !== null}
                    onClick={() => whyNot === null && onAdd(known.key)}
                  >
                    <code>{known.key}</code>
                    <Icon name="plus" size={12} />
                  </button>
                  <small>{titleBeside(known) || (known.property.description ?? '')}</small>
                </li>
              ))}
            </ul>
          </details>
        ))}
        {count === 0 && (
          <p style={{ paddingTop: 12 }}>Nothing of this name is left. Add it as a key of your own.</p>
        )}
      </div>
    </>
  )
}

function OwnKey({
  whyNot,
  onAdd,
}: {
  readonly whyNot: string | null
  /** False: it exists already. */
  readonly onAdd: (key: string) => boolean
}) {
  const [key, setKey] = useState('')
  const [refused, setRefused] = useState<string | null>(null)
  return (
    <>
      <form
        className={styles.custom}
        onSubmit={event => {
          event.preventDefault()
          if (key.trim() === '' || whyNot !== null) return
          setRefused(onAdd(key.trim()) ? null : key.trim())
          setKey('')
        }}
      >
        <TextInput
          aria-label="A key of your own"
          placeholder="A key of your own"
          style={{ flex: 1 }}
          value={key}
          onChange={event => setKey(event.currentTarget.value)}
        />
        <ActButton
          type="submit"
          variant="default"
          why={whyNot ?? (key.trim() === '' ? 'Name a key first.' : null)}
        >
          Add
        </ActButton>
      </form>
      {refused !== null && (
        <p className={styles.hint} role="status">
          {refused} is there already: change it among the existing keys.
        </p>
      )}
    </>
  )
}
