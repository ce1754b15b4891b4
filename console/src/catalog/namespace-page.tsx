import { ActionIcon, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { type Definition, deleteNamespace, deleteProperty, type Property } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { CopyButton } from '../controls/copy-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, Empty, FailureNote, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import { TYPES, useDefinitions } from './catalog.tsx'
import { PropertyDialog } from './property-dialog.tsx'

export default function NamespacePage() {
  const { namespace = '' } = useParams<{ namespace: string }>()
  const query = useDefinitions()
  const name = decodeURIComponent(namespace)
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
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [edited, setEdited] = useState<{ name: string | null; property: Property } | null>(null)
  const remove = useMutation({
    mutationFn: () => deleteNamespace(definition.namespace),
    onSuccess: async () => {
      navigate('/catalog')
      await queries.invalidateQueries({ queryKey: ['catalog'] })
    },
  })
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
          <DeleteNamespace definition={definition} remove={() => remove.mutate()} isBusy={remove.isPending} />
        </>
      }
    >
      {remove.error !== null && <FailureNote error={remove.error} />}
      <Associations definition={definition} />
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
      {(definition.objects ?? []).map(object => (
        <Panel key={object.name} title={`Object ${object.name}`} flush>
          <PropertyTable properties={object.properties ?? {}} />
        </Panel>
      ))}
      {edited !== null && (
        <PropertyDialog
          namespace={definition.namespace}
          name={edited.name}
          property={edited.property}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  )
}

function DeleteNamespace({
  definition,
  remove,
  isBusy,
}: {
  readonly definition: Definition
  readonly remove: () => void
  readonly isBusy: boolean
}) {
  const { whyNot } = useSession()
  const isProtected =
    definition.protected === true ? 'It is protected: take the protection away first.' : null
  return (
    <ActButton
      variant="default"
      why={whyNot('delete_metadef_namespace') ?? isProtected}
      loading={isBusy}
      onClick={remove}
    >
      Delete
    </ActButton>
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
        {(definition.tags ?? []).map(({ name }) => (
          <Chip key={name} tone="accent">
            tag {name}
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
                <>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Edit ${name}`}
                    onClick={() => onEdit(name, property)}
                  >
                    Edit
                  </Button>{' '}
                  <ActionIcon aria-label={`Delete ${name}`} onClick={() => remove.mutate(name)}>
                    <Icon name="trash" />
                  </ActionIcon>
                </>
              ),
            }
          : {})}
      />
    </>
  )
}

function PropertyTable({
  properties,
  actions,
}: {
  readonly properties: Readonly<Record<string, Property>>
  readonly actions?: (name: string, property: Property) => React.ReactNode
}) {
  return (
    <div className={styles.scroll}>
      <table className={`${styles.table} ${styles.words}`}>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Title</th>
            <th scope="col">Type</th>
            <th scope="col">Operators</th>
            <th scope="col">Values</th>
            {actions !== undefined && (
              <th scope="col">
                <span className="hidden">Change</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {Object.entries(properties).map(([name, property]) => (
            <tr key={name}>
              <th scope="row" title={property.description}>
                <code>{name}</code>
              </th>
              <td>{property.title}</td>
              <td>{property.type}</td>
              <td>
                <code>{(property.operators ?? []).join(' ') || '–'}</code>
              </td>
              <td title={valuesText(property)}>{shortened(valuesText(property))}</td>
              {actions !== undefined && <td>{actions(name, property)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function valuesText({ enum: values, items, minimum, maximum, pattern }: Property): string {
  const listed = values ?? items?.enum
  if (listed !== undefined) return listed.join(', ')
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? '…'} to ${maximum ?? '…'}`
  return pattern ?? 'any'
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
