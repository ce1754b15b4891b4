import { Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Property, readDialects } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { FailureNote } from '../controls/page.tsx'
import { bodyOf, draftOfProperty, type PropertyBody, valuesFault } from './property-draft.ts'

const TYPES = ['string', 'integer', 'number', 'boolean', 'array']

/** What the form does not show (patterns, limits) is kept as it is. */
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
  readonly property: Property
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState(() => draftOfProperty(property))
  const edit = (change: Property) => setDraft({ ...draft, property: { ...draft.property, ...change } })
  const [newName, setNewName] = useState(name ?? '')
  const symbols = useSymbols()
  const save = useSaving(() => onSave(newName.trim(), bodyOf(newName.trim(), draft)), onClose)
  const { title, description, type = 'string', operators = [] } = draft.property
  const fault = valuesFault(draft)
  return (
    <Dialog title={name === null ? 'New property' : `Property ${name}`} onClose={onClose} size="lg">
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextInput
          data-autofocus
          label="Name"
          description="The key, without the prefix of the namespace"
          required
          value={newName}
          onChange={event => setNewName(event.currentTarget.value)}
          mb="xs"
        />
        <TextInput
          label="Title"
          value={title ?? ''}
          onChange={event => edit({ title: event.currentTarget.value })}
          mb="xs"
        />
        <Textarea
          label="Description"
          autosize
          value={description ?? ''}
          onChange={event => edit({ description: event.currentTarget.value })}
          mb="xs"
        />
        <Select
          label="Type"
          data={TYPES}
          value={type}
          onChange={next => edit({ type: next ?? 'string' })}
          mb="xs"
        />
        {type !== 'boolean' && (
          <TagsInput
            label="Values"
            description="Empty: any value"
            error={fault}
            value={[...draft.values]}
            onChange={values => setDraft({ ...draft, values })}
            mb="xs"
          />
        )}
        <TagsInput
          label="Operators"
          description="What may stand before the values in a flavor or share type"
          data={symbols}
          value={[...operators]}
          onChange={next => edit({ operators: next })}
          mb="md"
        />
        {save.error !== null && <FailureNote error={save.error} />}
        <ActButton
          type="submit"
          loading={save.isPending}
          why={newName.trim() === '' ? 'It needs a name.' : fault}
        >
          Save the property
        </ActButton>
      </form>
    </Dialog>
  )
}

function useSaving(write: () => Promise<unknown>, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['catalog'] })
      onDone()
    },
  })
}

/** Of every dialect. */
function useSymbols(): string[] {
  const dialects = useQuery({ queryKey: ['dialects'], queryFn: readDialects })
  return [...new Set((dialects.data ?? []).flatMap(({ operators }) => operators.map(({ symbol }) => symbol)))]
}
