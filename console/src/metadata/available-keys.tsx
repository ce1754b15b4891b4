import { Button, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Icon } from '../controls/icons.tsx'
import { firstValue, type KeyGroup, searched } from './known-keys.ts'
import styles from './metadata-editor.module.css'
import type { Specs } from './spec-changes.ts'

/** So many at once; the search finds the rest. */
const OPEN_MAX = 60

/** Everything that the catalog defines for this type and that is not there yet; and any other key by its name. */
export function AvailableKeys({
  groups,
  taken,
  whyNot,
  onAdd,
}: {
  readonly groups: readonly KeyGroup[]
  readonly taken: Specs
  readonly whyNot: string | null
  readonly onAdd: (key: string, value: string) => void
}) {
  const [text, setText] = useState('')
  const [custom, setCustom] = useState('')
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
        <form
          className={styles.custom}
          onSubmit={event => {
            event.preventDefault()
            if (custom.trim() === '' || whyNot !== null) return
            onAdd(custom.trim(), '')
            setCustom('')
          }}
        >
          <TextInput
            aria-label="A key of your own"
            placeholder="A key of your own"
            style={{ flex: 1 }}
            value={custom}
            onChange={event => setCustom(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={custom.trim() === '' || whyNot !== null}>
            Add
          </Button>
        </form>
      </div>
      <div className={styles.available}>
        {shown.map(group => (
          <details key={group.namespace} open={text !== '' && count <= OPEN_MAX}>
            <summary>
              {group.title} <span>{group.keys.length}</span>
            </summary>
            <p>{group.description}</p>
            <ul>
              {group.keys.map(({ key, title, property }) => (
                <li key={key}>
                  <button
                    type="button"
                    className={styles.key}
                    aria-label={`Add ${key}`}
                    title={property.description}
                    disabled={whyNot !== null}
                    onClick={() => onAdd(key, firstValue(property))}
                  >
                    <code>{key}</code>
                    <Icon name="plus" size={12} />
                    <small>{title === key ? (property.description ?? '') : title}</small>
                  </button>
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
