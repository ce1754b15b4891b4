import { ndjsonOf } from '../../../client/lines.ts'
import { encodeQuery } from '../../../client/placement.ts'
import type { FleetProvider } from '../../../wire/fleet.ts'
import { memberOfValue } from '../../args/names.ts'
import { repeatable } from '../../args/repeatable.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { capacityOf } from '../../render/inventories.ts'
import { type Column, flexible, right, TableWriter } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { findProvider } from '../ledger/providers-by-name.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints every provider that matches all options, with usage and capacity. They come ' +
      'in one answer, however many there are.',
    json:
      'NDJSON, one provider a line, as GET /v1/fleet gives them: {"uuid", "name", "generation",\n' +
      '"parent_provider_uuid", "root_provider_uuid", "inventories", "usages", "traits", "aggregates"}.',
    examples: [
      'berth fleet',
      "berth fleet --name 'compute-*' --resource-class VGPU",
      "berth fleet --json | jq -r 'select(.traits == []) | .name'",
    ],
  })
    .option('--name <glob>', 'By name, where * is any text and ? any character.')
    .option('--uuid <uuid>', 'By uuid. Repeatable.', repeatable)
    .option('--in-tree <provider>', 'In the tree of this provider, by uuid or name.')
    .option(
      '--required <traits>',
      'With traits A and without B: A,!B; with either: in:A,B. Repeatable.',
      repeatable,
    )
    .option(
      '--member-of <aggregates>',
      'In an aggregate, by uuid or name: A, in:A,B, or not: !A, !in:A,B. Repeatable.',
      repeatable,
    )
    .option('--resource-class <name>', 'With an inventory of this class. Repeatable.', repeatable)
  whenRun(command, around, end, async (session, options: FleetOptions) => {
    const { revision, bytes } = await session.berth.fleet(
      await queryOf(session, options),
      session.around.stdout.closed,
    )
    if (session.asJson) for await (const chunk of bytes) session.around.stdout.write(chunk)
    else await printTable(session, bytes, revision)
  })
}

interface FleetOptions {
  readonly name?: string
  readonly uuid?: readonly string[]
  readonly inTree?: string
  readonly required?: readonly string[]
  readonly memberOf?: readonly string[]
  readonly resourceClass?: readonly string[]
}

async function queryOf(session: Session, options: FleetOptions): Promise<string> {
  const pairs: [string, string][] = []
  if (options.name !== undefined) pairs.push(['name', options.name])
  for (const value of options.uuid ?? []) pairs.push(['uuid', value])
  if (options.inTree !== undefined)
    pairs.push(['in_tree', (await findProvider(await session.placement(), options.inTree)).uuid])
  for (const value of options.required ?? []) pairs.push(['required', value])
  for (const value of options.memberOf ?? []) pairs.push(['member_of', await memberOfValue(session, value)])
  for (const value of options.resourceClass ?? []) pairs.push(['resource_class', value])
  return encodeQuery(pairs)
}

const COLUMNS: readonly Column[] = [
  flexible('NAME'),
  'UUID',
  right('TRAITS'),
  right('AGGREGATES'),
  flexible('USED OF CAPACITY'),
]

/** Prints rows as they arrive, because there may be hundreds of thousands. */
async function printTable(
  session: Session,
  bytes: AsyncIterable<Uint8Array>,
  revision: number | null,
): Promise<void> {
  const writer = new TableWriter(COLUMNS, session.look, text => session.around.stdout.write(text))
  for await (const provider of ndjsonOf<FleetProvider>(bytes)) writer.row(rowOf(provider))
  writer.end()
  const count = `${writer.rows === 0 ? 'no' : writer.rows} ${writer.rows === 1 ? 'provider' : 'providers'}`
  session.note(revision === null ? count : `${count} at revision ${revision}`)
}

export function rowOf({ name, uuid, traits, aggregates, inventories, usages }: FleetProvider): string[] {
  const used = Object.entries(inventories).map(
    ([resourceClass, inventory]) => `${resourceClass} ${usages[resourceClass] ?? 0}/${capacityOf(inventory)}`,
  )
  return [name, uuid, String(traits.length), String(aggregates.length), used.join('  ')]
}
