import { Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Property, readDialects } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { FailureNote } from '../controls/page.tsx'

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
  const [draft, setDraft] = useState<Property>(property)
  const [newName, setNewName] = useState(name ?? '')
  const queries = useQueryClient()
  const symbols = useSymbols()
  const save = useMutation({
    mutationFn: () => onSave(newName.trim(), bodyOf(newName.trim(), draft)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['catalog'] })
      onClose()
    },
  })
  const isArray = draft.type === 'array'
  const values = (isArray ? draft.items?.enum : draft.enum) ?? []
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
          value={draft.title ?? ''}
          onChange={event => setDraft({ ...draft, title: event.currentTarget.value })}
          mb="xs"
        />
        <Textarea
          label="Description"
          autosize
          value={draft.description ?? ''}
          onChange={event => setDraft({ ...draft, description: event.currentTarget.value })}
          mb="xs"
        />
        <Select
          label="Type"
          data={TYPES}
          value={draft.type ?? 'string'}
          onChange={type => setDraft({ ...draft, type: type ?? 'string' })}
          mb="xs"
        />
        {draft.type !== 'boolean' && (
          <TagsInput
            label="Values"
            description="Empty: any value"
            value={values.map(String)}
            onChange={list => setDraft(withValues(draft, list, isArray))}
            mb="xs"
          />
        )}
        <TagsInput
          label="Operators"
          description="What may stand before the values in a flavor or share type"
          data={symbols}
          value={[...(draft.operators ?? [])]}
          onChange={operators => setDraft({ ...draft, operators })}
          mb="md"
        />
        {save.error !== null && <FailureNote error={save.error} />}
        <ActButton
          type="submit"
          loading={save.isPending}
          why={newName.trim() === '' ? 'It needs a name.' : null}
        >
          Save the property
        </ActButton>
      </form>
    </Dialog>
  )
}

/** Of every dialect. */
function useSymbols(): string[] {
  const dialects = useQuery({ queryKey: ['dialects'], queryFn: readDialects })
  return [...new Set((dialects.data ?? []).flatMap(({ operators }) => operators.map(({ symbol }) => symbol)))]
}

function withValues(draft: Property, list: readonly string[], isArray: boolean): Property {
  const { enum: _gone, ...rest } = draft
  const isNumeric = draft.type === 'integer' || draft.type === 'number'
  const values = isNumeric ? list.map(Number) : list
  if (isArray) return { ...rest, items: { ...(draft.items ?? { type: 'string' }), enum: values } }
  return list.length === 0 ? rest : { ...rest, enum: values }
}

export type PropertyBody = Readonly<Record<string, unknown>>

function bodyOf(name: string, draft: Property): PropertyBody {
  const { operators, title, ...rest } = draft
  return {
    ...rest,
    name,
    title: title === undefined || title === '' ? name : title,
    type: draft.type ?? 'string',
    ...(operators === undefined || operators.length === 0 ? {} : { operators }),
  }
}
