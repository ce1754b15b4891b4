import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import {
  type Definition,
  deleteNamespace,
  deleteProperty,
  type Property,
  saveProperty,
} from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { CopyButton } from '../controls/copy-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { Chip, Empty, FailureNote, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import { decoded } from '../url-state.ts'
import { TYPES, useDefinitions } from './catalog.tsx'
import { NamespaceDialog } from './namespace-dialog.tsx'
import { Objects } from './objects.tsx'
import { PropertyDialog } from './property-dialog.tsx'
import { PropertyActions, PropertyTable } from './property-table.tsx'
import { Tags } from './tags.tsx'

export default function NamespacePage() {
  const { namespace = '' } = useParams<{ namespace: string }>()
  const query = useDefinitions()
  const name = decoded(namespace)
  if (query.data === undefined) return <Waiting query={query} what="the catalog" />
  const definition = query.data.find(one => one.namespace === name)
  if (definition === undefined)
    return (
      <Page title="No such namespace" trail={[['Catalog', '/catalog']]}>
        <Panel>
          <Empty title={`Nothing is called ${name}`}>
            It was deleted, or is not for you to see. <Link href="/catalog">The whole catalog</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details definition={definition} />
}

function Details({ definition }: { readonly definition: Definition }) {
  const { whyNot } = useSession()
  const [edited, setEdited] = useState<{ name: string | null; property: Property } | null>(null)
  const [isEditing, setEditing] = useState(false)
  const why = whyNot('modify_metadef_property')
  return (
    <Page
      title={definition.display_name ?? definition.namespace}
      trail={[['Catalog', '/catalog']]}
      text={
        <>
          <code>{definition.namespace}</code> {definition.description}
        </>
      }
      actions={
        <>
          <CopyButton label="Copy as JSON" text={JSON.stringify(definition, null, 2)} />
          <ActButton
            variant="default"
            why={whyNot('modify_metadef_namespace')}
            onClick={() => setEditing(true)}
          >
            Edit
          </ActButton>
          <DeleteNamespace definition={definition} />
        </>
      }
    >
      <Associations definition={definition} />
      <Panel title="Tags">
        <Tags definition={definition} />
      </Panel>
      <Panel
        title="Properties"
        aside={
          <>
            <span className="soft">
              {plural(Object.keys(definition.properties ?? {}).length, 'property', 'properties')}
            </span>
            <ActButton
              variant="default"
              why={whyNot('add_metadef_property')}
              onClick={() => setEdited({ name: null, property: { type: 'string' } })}
            >
              New property
            </ActButton>
          </>
        }
        flush
      >
        <Properties
          definition={definition}
          canEdit={why === null}
          onEdit={(name, property) => setEdited({ name, property })}
        />
      </Panel>
      <Objects definition={definition} />
      {edited !== null && (
        <PropertyDialog
          onSave={(_, body) => saveProperty(definition.namespace, edited.name, body)}
          name={edited.name}
          property={edited.property}
          onClose={() => setEdited(null)}
        />
      )}
      {isEditing && <NamespaceDialog definition={definition} onClose={() => setEditing(false)} />}
    </Page>
  )
}

function DeleteNamespace({ definition }: { readonly definition: Definition }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteNamespace(definition.namespace),
    onSuccess: async () => {
      navigate('/catalog')
      await queries.invalidateQueries({ queryKey: ['catalog'] })
    },
  })
  const isProtected =
    definition.protected === true ? 'It is protected: take the protection away first, under Edit.' : null
  return (
    <>
      <ActButton
        variant="default"
        why={whyNot('delete_metadef_namespace') ?? isProtected}
        onClick={() => setAsking(true)}
      >
        Delete
      </ActButton>
      {isAsking && (
        <Dialog title={`Delete ${definition.namespace}?`} onClose={() => setAsking(false)}>
          <p style={{ marginBottom: 12 }}>
            Its properties, objects and tags go with it. Flavors and aggregates that use its keys keep them;
            the drift report will list them.
          </p>
          {remove.error !== null && <FailureNote error={remove.error} />}
          <ActButton color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete the namespace
          </ActButton>
        </Dialog>
      )}
    </>
  )
}

function Associations({ definition }: { readonly definition: Definition }) {
  return (
    <Panel title="For">
      <div className={styles.chips}>
        {(definition.resource_type_associations ?? []).map(({ name, prefix }) => (
          <Chip key={name}>
            {TYPES[name] ?? name} <code>{prefix ?? ''}…</code>
          </Chip>
        ))}
      </div>
    </Panel>
  )
}

function Properties({
  definition,
  canEdit,
  onEdit,
}: {
  readonly definition: Definition
  readonly canEdit: boolean
  readonly onEdit: (name: string, property: Property) => void
}) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: (name: string) => deleteProperty(definition.namespace, name),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['catalog'] }),
  })
  if (Object.keys(definition.properties ?? {}).length === 0)
    return (
      <Empty title="No property yet">
        A property is one key: its type, its values, the operators that may stand before them.
      </Empty>
    )
  return (
    <>
      {remove.error !== null && <FailureNote error={remove.error} />}
      <PropertyTable
        properties={definition.properties ?? {}}
        {...(canEdit
          ? {
              actions: (name: string, property: Property) => (
                <PropertyActions
                  name={name}
                  onEdit={() => onEdit(name, property)}
                  onDelete={() => remove.mutate(name)}
                />
              ),
            }
          : {})}
      />
    </>
  )
}
