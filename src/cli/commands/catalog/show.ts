import type { Command } from 'commander'
import type {
  MetadefAssociation,
  MetadefNamespace,
  MetadefProperty,
} from '../../../wire/openstack-metadefs.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Column, facts, flexible, type Look, table } from '../../render/table.ts'

export function describeCatalogShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a namespace with its properties, objects and tags.',
    json: 'An object, as GET /v2/metadefs/namespaces/NAME has it.',
    examples: [
      'berth catalog show OS::Compute::HostCapabilities',
      'berth catalog show OS::Compute::HostCapabilities --resource-type OS::Nova::Flavor',
    ],
  })
    .argument('<namespace>', 'Its name.')
    .option('--resource-type <type>', 'With the names of the keys on this resource type.')
  whenRun(
    command,
    around,
    end,
    async (session, { resourceType }: { resourceType?: string }, name: string) => {
      const shown = await (await session.catalog()).namespace(name, resourceType ?? null)
      session.print(shown, look => namespaceText(shown, look))
    },
  )
}

/** A type of resource, with the prefix of its keys. */
export const associationText = ({ name, prefix }: MetadefAssociation): string =>
  prefix === undefined || prefix === '' ? name : `${name} (${prefix})`

const COLUMNS: readonly Column[] = ['KEY', 'TYPE', 'OPERATORS', flexible('VALUES'), flexible('TITLE')]

function namespaceText(shown: MetadefNamespace, look: Look): string {
  const { resource_type_associations: types = [], properties = {}, objects = [], tags = [] } = shown
  const head: [string, string][] = [
    ['namespace', shown.namespace],
    ['display name', shown.display_name ?? '-'],
    ['description', shown.description ?? '-'],
    ['visibility', shown.visibility ?? '-'],
    ['protected', shown.protected ? 'yes' : 'no'],
    ['owner', shown.owner ?? '-'],
    ['for', types.length === 0 ? '-' : types.map(associationText).join(', ')],
    ['tags', tags.length === 0 ? '-' : tags.map(tag => tag.name).join(', ')],
  ]
  const own = propertyTable(properties, look)
  const inObjects = objects.map(
    ({ name, properties: inside = {} }) => `\n${look.style.bold(name)}\n${propertyTable(inside, look)}`,
  )
  return [facts(head, look), own === '' ? '' : `\n${own}`, ...inObjects].join('')
}

function propertyTable(properties: Readonly<Record<string, MetadefProperty>>, look: Look): string {
  const rows = Object.entries(properties).map(([key, property]) => [
    key,
    property.type ?? '-',
    (property.operators ?? []).join(' ') || '-',
    valuesText(property),
    property.title ?? '',
  ])
  return table(COLUMNS, rows, look)
}

function valuesText({ enum: own, items, minimum, maximum }: MetadefProperty): string {
  const values = own ?? items?.enum
  if (values !== undefined) return values.map(value => String(value)).join(' ')
  if (minimum === undefined && maximum === undefined) return '-'
  return `${minimum ?? ''}..${maximum ?? ''}`
}
