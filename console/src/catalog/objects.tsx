import { Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  MetadefNamespace,
  MetadefObject,
  MetadefProperty,
} from '../../../src/wire/openstack-metadefs.ts'
import { deleteObject, saveObject } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { AskFirst } from '../controls/ask-first.tsx'
import { Empty, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { DefinitionDialog } from './definition-dialog.tsx'
import { objectBody, withoutProperty, withProperty } from './object-edits.ts'
import { PropertyDialog } from './property-dialog.tsx'
import { PropertyActions, PropertyTable } from './property-table.tsx'

/** Objects: groups of properties. */
export function Objects({ definition }: { readonly definition: MetadefNamespace }) {
  const { whyNot } = useSession()
  const [edited, setEdited] = useState<MetadefObject | 'new' | null>(null)
  const objects = definition.objects ?? []
  return (
    <>
      {objects.map(object => (
        <OneObject
          key={object.name}
          namespace={definition.namespace}
          object={object}
          onEdit={() => setEdited(object)}
        />
      ))}
      <div>
        <ActButton variant="default" why={whyNot('add_metadef_object')} onClick={() => setEdited('new')}>
          New object
        </ActButton>
      </div>
      {edited !== null && (
        <ObjectDialog
          namespace={definition.namespace}
          object={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}

function OneObject({
  namespace,
  object,
  onEdit,
}: {
  readonly namespace: string
  readonly object: MetadefObject
  readonly onEdit: () => void
}) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [edited, setEdited] = useState<{ name: string | null; property: MetadefProperty } | null>(null)
  const [asked, setAsked] = useState<{ property: string | null } | null>(null)
  const properties = object.properties ?? {}
  const write = (next: MetadefObject) => saveObject(namespace, object.name, objectBody(next))
  const remove = async (property: string | null) => {
    await (property === null
      ? deleteObject(namespace, object.name)
      : write(withoutProperty(object, property)))
    await queries.invalidateQueries({ queryKey: ['catalog'] })
  }
  const why = whyNot('modify_metadef_object')
  return (
    <Panel
      title={`Object ${object.name}`}
      aside={
        <ObjectActions
          object={object}
          onNewProperty={() => setEdited({ name: null, property: { type: 'string' } })}
          onEdit={onEdit}
          onDelete={() => setAsked({ property: null })}
        />
      }
      flush
    >
      {Object.keys(properties).length === 0 ? (
        <Empty title="No property yet">The properties of an object are used together.</Empty>
      ) : (
        <PropertyTable
          properties={properties}
          actions={(name, property) => (
            <PropertyActions
              name={`${name} of ${object.name}`}
              whyNotEdit={why}
              whyNotDelete={why}
              onEdit={() => setEdited({ name, property })}
              onDelete={() => setAsked({ property: name })}
            />
          )}
        />
      )}
      {edited !== null && (
        <PropertyDialog
          onSave={(name, { name: _name, ...body }) =>
            write(withProperty(object, edited.name, name, body as MetadefProperty))
          }
          name={edited.name}
          property={edited.property}
          onClose={() => setEdited(null)}
        />
      )}
      {asked !== null && (
        <AskDeletion
          object={object.name}
          property={asked.property}
          onYes={() => remove(asked.property)}
          onClose={() => setAsked(null)}
        />
      )}
    </Panel>
  )
}

function ObjectActions({
  object,
  onNewProperty,
  onEdit,
  onDelete,
}: {
  readonly object: MetadefObject
  readonly onNewProperty: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}) {
  const { whyNot } = useSession()
  const why = whyNot('modify_metadef_object')
  return (
    <>
      <span className="soft">{object.description}</span>
      <ActButton variant="default" why={why} onClick={onNewProperty}>
        New property of {object.name}
      </ActButton>
      <ActButton variant="default" why={why} onClick={onEdit}>
        Edit {object.name}
      </ActButton>
      <ActButton variant="default" why={whyNot('delete_metadef_object')} onClick={onDelete}>
        Delete {object.name}
      </ActButton>
    </>
  )
}

function AskDeletion({
  object,
  property,
  onYes,
  onClose,
}: {
  readonly object: string
  /** Null: the whole object. */
  readonly property: string | null
  readonly onYes: () => Promise<void>
  readonly onClose: () => void
}) {
  return (
    <AskFirst
      title={`Delete ${property ?? object}?`}
      action={property === null ? 'Delete the object' : 'Delete the property'}
      onYes={onYes}
      onClose={onClose}
    >
      {property === null ? 'Its properties go with it. ' : ''}
      What uses the keys keeps them; the drift report will list it.
    </AskFirst>
  )
}

function ObjectDialog({
  namespace,
  object,
  onClose,
}: {
  readonly namespace: string
  /** Null: a new one. */
  readonly object: MetadefObject | null
  readonly onClose: () => void
}) {
  const [name, setName] = useState(object?.name ?? '')
  const [description, setDescription] = useState(object?.description ?? '')
  return (
    <DefinitionDialog
      title={object === null ? 'New object' : `Object ${object.name}`}
      submit="Save the object"
      why={name.trim() === '' ? 'It needs a name.' : null}
      act={() =>
        saveObject(namespace, object?.name ?? null, objectBody({ ...object, name: name.trim(), description }))
      }
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
        autosize
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
      />
    </DefinitionDialog>
  )
}
