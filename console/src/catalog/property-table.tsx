import { Group } from '@mantine/core'
import type { MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { Icon } from '../controls/icons.tsx'
import { Sideways } from '../controls/sideways.tsx'
import styles from '../providers/provider-page.module.css'

export function PropertyTable({
  properties,
  actions,
}: {
  readonly properties: Readonly<Record<string, MetadefProperty>>
  readonly actions: (name: string, property: MetadefProperty) => React.ReactNode
}) {
  return (
    <Sideways label="Properties">
      <table className={`${styles.table} ${styles.words}`}>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Title</th>
            <th scope="col">Type</th>
            <th scope="col">Operators</th>
            <th scope="col">Values</th>
            <th scope="col">
              <span className="hidden">Change</span>
            </th>
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
              <td title={valuesText(property)}>{shorten(valuesText(property))}</td>
              <td>{actions(name, property)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sideways>
  )
}

function valuesText({ enum: values, items, minimum, maximum, pattern }: MetadefProperty): string {
  const listed = values ?? items?.enum
  if (listed !== undefined) return listed.join(', ')
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? '…'} to ${maximum ?? '…'}`
  return pattern ?? 'any'
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

/** For the last column of the table. */
export function PropertyActions({
  name,
  whyNotEdit,
  whyNotDelete,
  onEdit,
  onDelete,
}: {
  readonly name: string
  readonly whyNotEdit: string | null
  readonly whyNotDelete: string | null
  readonly onEdit: () => void
  readonly onDelete: () => void
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <ActButton size="compact-xs" variant="default" why={whyNotEdit} onClick={onEdit}>
        Edit<span className="hidden"> {name}</span>
      </ActButton>
      <ActIcon label={`Delete ${name}`} why={whyNotDelete} onClick={onDelete}>
        <Icon name="trash" />
      </ActIcon>
    </Group>
  )
}
