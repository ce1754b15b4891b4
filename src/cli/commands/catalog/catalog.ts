import type { Command } from 'commander'
import { isRefused } from '../../../client/http.ts'
import type { MetadefNamespace } from '../../../wire/openstack-metadefs.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Column, flexible } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { describeCatalogCheck } from './check.ts'
import { describeCatalogExport } from './export.ts'
import { describeCatalogImport } from './import.ts'
import { describeCatalogLint } from './lint.ts'
import { associationText, describeCatalogShow } from './show.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'The catalog: which keys flavors, images, aggregates and share types may have, their values and operators.',
  )
  describeList(group.command('list').summary('list namespaces'), around, end)
  describeCatalogShow(group.command('show').summary('show a namespace with its content'), around, end)
  describeCatalogImport(group.command('import').summary('import definition files'), around, end)
  describeCatalogExport(group.command('export').summary('write definition files'), around, end)
  describeDelete(group.command('delete').summary('delete namespaces'), around, end)
  describeCatalogCheck(
    group.command('check').summary('check keys and values against the catalog'),
    around,
    end,
  )
  describeCatalogLint(
    group.command('lint').summary('list what is in use and does not match its definition'),
    around,
    end,
  )
}

const COLUMNS: readonly Column[] = [
  'NAMESPACE',
  flexible('DISPLAY NAME'),
  'VISIBILITY',
  'PROTECTED',
  flexible('FOR'),
]

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists the namespaces that the token may see, by name. Works with any server that has Glance v2.',
    json: 'An array of namespaces, as GET /v2/metadefs/namespaces has them.',
    examples: ['berth catalog list', 'berth catalog list --resource-type OS::Nova::Flavor'],
  })
    .option('--resource-type <type>', 'Only those for this resource type.')
    .option('--visibility <visibility>', 'Only public or only private ones.')
  whenRun(
    command,
    around,
    end,
    async (session, { resourceType, visibility }: { resourceType?: string; visibility?: string }) => {
      const namespaces = await (await session.catalog()).namespaces({
        ...(resourceType === undefined ? {} : { resource_types: resourceType }),
        ...(visibility === undefined ? {} : { visibility }),
      })
      session.printList(namespaces, COLUMNS, cells, 'no namespace')
    },
  )
}

function cells(one: MetadefNamespace): string[] {
  const types = (one.resource_type_associations ?? []).map(associationText).join(', ')
  return [one.namespace, one.display_name ?? '', one.visibility ?? '', one.protected ? 'yes' : 'no', types]
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Deletes namespaces with their content. A deleted built-in namespace does not come back at the next start.',
    examples: [
      'berth catalog delete Acme::Storage',
      'berth catalog delete OS::Compute::Quota --even-protected',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<namespace...>', 'Their names.')
    .option('--even-protected', 'Also delete protected ones.')
  whenRun(command, around, end, async (session, options: { evenProtected?: true }, names: string[]) => {
    const catalog = await session.catalog()
    for (const name of names) {
      const { protected: isProtected } = await catalog.namespace(name)
      if (isProtected && options.evenProtected === true) await catalog.unprotect(name)
      try {
        await catalog.deleteNamespace(name)
      } catch (error) {
        if (!isProtected || !isRefused(error, 403)) throw error
        throw new Stopped(`${name} is protected: give --even-protected to delete it`, exitCodes.conflict)
      }
      session.around.stdout.write(`deleted ${name}\n`)
    }
  })
}
