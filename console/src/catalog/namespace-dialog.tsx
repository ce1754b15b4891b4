import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { MetadefNamespace } from '../../../src/wire/openstack-metadefs.ts'
import { updateNamespace } from '../api/catalog.ts'
import { DefinitionDialog } from './definition-dialog.tsx'

/** The fields of a namespace; its content is edited on its page. */
export function NamespaceDialog({
  definition,
  onClose,
}: {
  readonly definition: MetadefNamespace
  readonly onClose: () => void
}) {
  const { namespace, owner } = definition
  const [title, setTitle] = useState(definition.display_name ?? '')
  const [description, setDescription] = useState(definition.description ?? '')
  const [isPrivate, setPrivate] = useState(definition.visibility === 'private')
  const [isProtected, setProtected] = useState(definition.protected === true)
  return (
    <DefinitionDialog
      title={`Namespace ${namespace}`}
      submit="Save the namespace"
      act={() =>
        updateNamespace(namespace, {
          namespace,
          display_name: title,
          description,
          protected: isProtected,
          visibility: isPrivate ? 'private' : 'public',
          ...(owner === undefined ? {} : { owner }),
        })
      }
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Title"
        value={title}
        onChange={event => setTitle(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
        autosize
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
      />
      <Checkbox
        label="Only its owner sees it"
        checked={isPrivate}
        onChange={event => setPrivate(event.currentTarget.checked)}
      />
      <Checkbox
        label="Protected from being deleted"
        checked={isProtected}
        onChange={event => setProtected(event.currentTarget.checked)}
      />
    </DefinitionDialog>
  )
}
