import { Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import { readDialects } from '../api/catalog.ts'
import { DefinitionDialog } from './definition-dialog.tsx'
import { bodyOf, draftOfProperty, type PropertyBody, valuesFault } from './property-draft.ts'

const TYPES = ['string', 'integer', 'number', 'boolean', 'array']

/** Keeps what the form does not show (patterns, limits). */
export function PropertyDialog({
  onSave,
  name,
  property,
  onClose,
}: {
  /** With the body of the property, its name in it. */
  readonly onSave: (name: string, body: PropertyBody) => Promise<unknown>
  /** Null: a new one. */
  readonly name: string | null
  readonly property: MetadefProperty
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState(() => draftOfProperty(property))
  const edit = (change: MetadefProperty) => setDraft({ ...draft, property: { ...draft.property, ...change } })
  const [newName, setNewName] = useState(name ?? '')
  const symbols = useSymbols()
  const { title, description, type = 'string', operators = [] } = draft.property
  const fault = valuesFault(draft)
  return (
    <DefinitionDialog
      title={name === null ? 'New property' : `Property ${name}`}
      size="lg"
      submit="Save the property"
      why={newName.trim() === '' ? 'It needs a name.' : fault}
      act={() => onSave(newName.trim(), bodyOf(newName.trim(), draft))}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="The key, without the prefix of the namespace"
        required
        value={newName}
        onChange={event => setNewName(event.currentTarget.value)}
      />
      <TextInput
        label="Title"
        value={title ?? ''}
        onChange={event => edit({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        value={description ?? ''}
        onChange={event => edit({ description: event.currentTarget.value })}
      />
      <Select label="Type" data={TYPES} value={type} onChange={next => edit({ type: next ?? 'string' })} />
      {type !== 'boolean' && (
        <TagsInput
          label="Values"
          description="Empty: any value"
          error={fault}
          value={[...draft.values]}
          onChange={values => setDraft({ ...draft, values })}
        />
      )}
      <TagsInput
        label="Operators"
        description="What may stand before the values in a flavor or share type"
        data={symbols}
        value={[...operators]}
        onChange={next => edit({ operators: next })}
      />
    </DefinitionDialog>
  )
}

/** The operators of every dialect. */
function useSymbols(): string[] {
  const dialects = useQuery({ queryKey: ['dialects'], queryFn: readDialects })
  return [
    ...new Set(
      (dialects.data ?? []).flatMap(({ operators, sentinels }) =>
        [...operators, ...sentinels].map(({ symbol }) => symbol),
      ),
    ),
  ]
}
