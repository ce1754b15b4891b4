import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Definition, updateNamespace } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { FailureNote } from '../controls/page.tsx'

/** What a namespace says of itself; what is in it is edited on its page. */
export function NamespaceDialog({
  definition,
  onClose,
}: {
  readonly definition: Definition
  readonly onClose: () => void
}) {
  const { namespace, owner } = definition
  const [title, setTitle] = useState(definition.display_name ?? '')
  const [description, setDescription] = useState(definition.description ?? '')
  const [isPrivate, setPrivate] = useState(definition.visibility === 'private')
  const [isProtected, setProtected] = useState(definition.protected === true)
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () =>
      updateNamespace(namespace, {
        ...{ namespace, display_name: title, description, protected: isProtected },
        visibility: isPrivate ? 'private' : 'public',
        ...(owner === undefined ? {} : { owner }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['catalog'] })
      onClose()
    },
  })
  return (
    <Dialog title={`Namespace ${namespace}`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextInput
          data-autofocus
          label="Title"
          value={title}
          onChange={event => setTitle(event.currentTarget.value)}
          mb="xs"
        />
        <Textarea
          label="Description"
          autosize
          value={description}
          onChange={event => setDescription(event.currentTarget.value)}
          mb="xs"
        />
        <Checkbox
          label="Only its owner sees it"
          checked={isPrivate}
          onChange={event => setPrivate(event.currentTarget.checked)}
          mb="xs"
        />
        <Checkbox
          label="Protected from being deleted"
          checked={isProtected}
          onChange={event => setProtected(event.currentTarget.checked)}
          mb="md"
        />
        {save.error !== null && <FailureNote error={save.error} />}
        <ActButton type="submit" loading={save.isPending}>
          Save the namespace
        </ActButton>
      </form>
    </Dialog>
  )
}
