import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { MetadefNamespace, MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import { decodings } from '../address-part.ts'
import { deleteNamespace, deleteProperty, saveProperty } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { AskFirst } from '../controls/ask-first.tsx'
import { CopyButton } from '../controls/copy-button.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import { TYPES, useDefinitions } from './catalog.tsx'
import tabs from './catalog-tabs.module.css'
import { NamespaceDialog } from './namespace-dialog.tsx'
import { Objects } from './objects.tsx'
import { PropertyDialog } from './property-dialog.tsx'
import { PropertyActions, PropertyTable } from './property-table.tsx'
import { Tags } from './tags.tsx'

export default function NamespacePage() {
  const { namespace = '' } = useParams<{ namespace: string }>()
  const query = useDefinitions()
  const names = decodings(namespace)
  if (query.data === undefined) return <Waiting query={query} what="the catalog" />
  const definition = query.data.find(one => names.includes(one.namespace))
  if (definition === undefined)
    return (
      <Page title="No such namespace" trail={[['Catalog', '/catalog']]}>
        <Panel>
          <Empty title={`Nothing is called ${names[0]}`}>
            It was deleted, or is not for you to see. <Link href="/catalog">The whole catalog</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details definition={definition} />
}

function Details({ definition }: { readonly definition: MetadefNamespace }) {
  const { whyNot } = useSession()
  const [edited, setEdited] = useState<{ name: string | null; property: MetadefProperty } | null>(null)
  const [isEditing, setEditing] = useState(false)
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
      <Panel>
        <div className={tabs.facts}>
          <Associations definition={definition} />
          <Tags definition={definition} />
        </div>
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
        <Properties definition={definition} onEdit={(name, property) => setEdited({ name, property })} />
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

function DeleteNamespace({ definition }: { readonly definition: MetadefNamespace }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    await deleteNamespace(definition.namespace)
    navigate('/catalog')
    await queries.invalidateQueries({ queryKey: ['catalog'] })
  }
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
        <AskFirst
          title={`Delete ${definition.namespace}?`}
          action="Delete the namespace"
          onYes={remove}
          onClose={() => setAsking(false)}
        >
          Its properties, objects and tags go with it. Flavors and aggregates that use its keys keep them; the
          drift report will list them.
        </AskFirst>
      )}
    </>
  )
}

function Associations({ definition }: { readonly definition: MetadefNamespace }) {
  return (
    <div>
      <h2>For</h2>
      <div className={styles.chips}>
        {(definition.resource_type_associations ?? []).map(({ name, prefix }) => (
          <Chip key={name}>
            {TYPES[name] ?? name} <code>{prefix ?? ''}…</code>
          </Chip>
        ))}
      </div>
    </div>
  )
}

function Properties({
  definition,
  onEdit,
}: {
  readonly definition: MetadefNamespace
  readonly onEdit: (name: string, property: MetadefProperty) => void
}) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<string | null>(null)
  const remove = async (name: string) => {
    await deleteProperty(definition.namespace, name)
    await queries.invalidateQueries({ queryKey: ['catalog'] })
  }
  if (Object.keys(definition.properties ?? {}).length === 0)
    return (
      <Empty title="No property yet">
        A property is one key: its type, its values, the operators that may stand before them.
      </Empty>
    )
  return (
    <>
      <PropertyTable
        properties={definition.properties ?? {}}
        actions={(name, property) => (
          <PropertyActions
            name={name}
            whyNotEdit={whyNot('modify_metadef_property')}
            whyNotDelete={whyNot('remove_metadef_property')}
            onEdit={() => onEdit(name, property)}
            onDelete={() => setAsked(name)}
          />
        )}
      />
      {asked !== null && (
        <AskFirst
          title={`Delete ${asked}?`}
          action="Delete the property"
          onYes={() => remove(asked)}
          onClose={() => setAsked(null)}
        >
          What uses the key keeps it; the drift report will list it.
        </AskFirst>
      )}
    </>
  )
}
