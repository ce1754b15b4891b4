import { Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ownValue } from '../../../src/kernel/records.ts'
import type { MetadefNamespace } from '../../../src/wire/openstack-metadefs.ts'
import { createNamespace, readDefinitions } from '../api/catalog.ts'
import { berthCommands } from '../berth-commands.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { CatalogTabs } from './catalog-tabs.tsx'
import { DefinitionDialog } from './definition-dialog.tsx'

export const useDefinitions = () =>
  useQuery({ queryKey: ['catalog', 'definitions'], queryFn: readDefinitions })

export const TYPES: Readonly<Record<string, string>> = {
  'OS::Nova::Flavor': 'flavors',
  'OS::Nova::Aggregate': 'aggregates',
  'OS::Glance::Image': 'images',
  'OS::Cinder::Volume': 'volumes',
  'OS::Manila::ShareType': 'share types',
}

export default function Catalog() {
  const query = useDefinitions()
  const { whyNot } = useSession()
  const [params] = useUrlState()
  const [isMaking, setMaking] = useState(false)
  const wanted = (params.get('q') ?? '').toLowerCase()
  const type = params.get('type')
  const rows = useMemo(
    () => (query.data ?? []).filter(one => isFor(one, type) && textOf(one).includes(wanted)),
    [query.data, wanted, type],
  )
  return (
    <Page
      title="Catalog"
      text="What keys there are, what values they take, and who reads them. Editors and checks go by it."
      actions={
        <ActButton
          why={whyNot('add_metadef_namespace')}
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setMaking(true)}
        >
          New namespace
        </ActButton>
      }
    >
      <CatalogTabs at="/catalog" />
      <Panel
        title="Namespaces"
        aside={
          <>
            <CatalogFilter />
            <span className="soft number">{plural(rows.length, 'namespace')}</span>
          </>
        }
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="the catalog" />
        ) : rows.length === 0 ? (
          <Empty
            title={query.data.length === 0 ? 'The catalog is empty' : 'Nothing is defined like this'}
            command={berthCommands.importCatalog()}
          >
            Definitions come with Berth, from files as Glance ships them, or are made here.
          </Empty>
        ) : (
          <DataTable
            label="Namespaces"
            rows={rows}
            columns={COLUMNS}
            keyOf={row => row.namespace}
            height="calc(100dvh - 18rem)"
          />
        )}
      </Panel>
      {isMaking && <NewNamespace onClose={() => setMaking(false)} />}
    </Page>
  )
}

/** By text and by resource type, both in the address. */
function CatalogFilter() {
  const [params, change] = useUrlState()
  return (
    <>
      <TextInput
        aria-label="Search the catalog"
        placeholder="Name, key or description"
        leftSection={<Icon name="search" size={13} />}
        value={params.get('q') ?? ''}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      <Select
        aria-label="For which resources"
        placeholder="For anything"
        clearable
        clearButtonProps={{ 'aria-label': 'For anything' }}
        w={150}
        value={params.get('type')}
        onChange={value => change({ type: value })}
        data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
      />
    </>
  )
}

const isFor = ({ resource_type_associations = [] }: MetadefNamespace, type: string | null): boolean =>
  type === null || resource_type_associations.some(({ name }) => name === type)

function textOf({
  namespace,
  display_name,
  description,
  properties,
  objects,
  tags = [],
}: MetadefNamespace): string {
  const keys = [properties, ...(objects ?? []).map(one => one.properties)].flatMap(one =>
    Object.keys(one ?? {}),
  )
  return [namespace, display_name, description, ...keys, ...tags.map(({ name }) => name)]
    .join('\n')
    .toLowerCase()
}

export function propertyCount({ properties, objects }: MetadefNamespace): number {
  return [properties, ...(objects ?? []).map(one => one.properties)].reduce(
    (sum, one) => sum + Object.keys(one ?? {}).length,
    0,
  )
}

const COLUMNS: readonly Column<MetadefNamespace>[] = [
  {
    id: 'name',
    title: 'Namespace',
    width: 'minmax(14rem, 1.4fr)',
    by: one => one.namespace,
    cell: one => (
      <Link href={`/catalog/namespaces/${encodeURIComponent(one.namespace)}`}>{one.namespace}</Link>
    ),
  },
  {
    id: 'title',
    title: 'Title',
    width: 'minmax(10rem, 1.2fr)',
    by: one => one.display_name ?? '',
    cell: one => one.display_name ?? '–',
  },
  {
    id: 'for',
    title: 'For',
    width: 'minmax(12rem, 1.6fr)',
    exported: one => (one.resource_type_associations ?? []).map(({ name }) => name).join(' '),
    cell: one =>
      (one.resource_type_associations ?? []).map(({ name, prefix }) => (
        <span key={name} style={{ marginRight: 4 }}>
          <Chip title={`${name}, prefix ${prefix ?? ''}`}>{ownValue(TYPES, name) ?? name}</Chip>
        </span>
      )),
  },
  {
    id: 'properties',
    title: 'Properties',
    width: '6.5rem',
    right: true,
    by: propertyCount,
    cell: propertyCount,
  },
  {
    id: 'visibility',
    title: 'Seen by',
    width: '8rem',
    by: one => one.visibility ?? '',
    cell: one => (
      <>
        <Chip>{one.visibility === 'private' ? 'its owner' : 'everybody'}</Chip>
        {one.protected === true && <Chip>protected</Chip>}
      </>
    ),
  },
]

function NewNamespace({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [types, setTypes] = useState<string[]>(['OS::Nova::Flavor'])
  const [prefix, setPrefix] = useState('')
  const [, navigate] = useLocation()
  return (
    <DefinitionDialog
      title="New namespace"
      submit="Create the namespace"
      why={name.trim() === '' ? 'It needs a name.' : null}
      act={() =>
        createNamespace({
          namespace: name.trim(),
          visibility: 'public',
          resource_type_associations: types.map(type => ({
            name: type,
            ...(prefix === '' ? {} : { prefix }),
          })),
        })
      }
      onDone={() => navigate(`/catalog/namespaces/${encodeURIComponent(name.trim())}`)}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Such as Acme::Storage"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <TagsInput label="For" data={Object.keys(TYPES)} value={types} onChange={setTypes} />
      <TextInput
        label="Prefix"
        description="Stands before each key, such as acme:"
        value={prefix}
        onChange={event => setPrefix(event.currentTarget.value)}
      />
    </DefinitionDialog>
  )
}
