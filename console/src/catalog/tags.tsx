import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addTag, type Definition, deleteTag } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, FailureNote } from '../controls/page.tsx'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'

/** Words by which a namespace is found. */
export function Tags({ definition }: { readonly definition: Definition }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [tag, setTag] = useState('')
  const { namespace, tags = [] } = definition
  const change = useMutation({
    mutationFn: ({ name, isIn }: { readonly name: string; readonly isIn: boolean }) =>
      isIn ? addTag(namespace, name) : deleteTag(namespace, name),
    onSuccess: async () => {
      setTag('')
      await queries.invalidateQueries({ queryKey: ['catalog'] })
    },
  })
  return (
    <div>
      <h2>Tags</h2>
      {tags.length === 0 ? (
        <p className="soft">None. A tag is a word by which a namespace is found.</p>
      ) : (
        <ul className={styles.chips} aria-label="Tags">
          {tags.map(({ name }) => (
            <li key={name}>
              <Chip tone="accent">
                {name}
                <ActIcon
                  size={16}
                  variant="transparent"
                  label={`Remove the tag ${name}`}
                  why={whyNot('delete_metadef_tag')}
                  onClick={() => change.mutate({ name, isIn: false })}
                >
                  <Icon name="close" size={10} />
                </ActIcon>
              </Chip>
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles.adding}
        onSubmit={event => {
          event.preventDefault()
          change.mutate({ name: tag.trim(), isIn: true })
        }}
      >
        <TextInput
          aria-label="New tag"
          placeholder="New tag"
          value={tag}
          onChange={event => setTag(event.currentTarget.value)}
        />
        <ActButton
          type="submit"
          variant="default"
          loading={change.isPending}
          why={whyNot('add_metadef_tag') ?? (tag.trim() === '' ? 'It needs a name.' : null)}
        >
          Add the tag
        </ActButton>
      </form>
      {change.error !== null && <FailureNote error={change.error} />}
    </div>
  )
}
