/** A cloud as SQL for the database of Placement. Through its API, some thousand hosts take it a quarter of an hour. */
import type { ProviderFields } from '../src/placement/transfer/lines.ts'
import { CUSTOM_TRAITS, providersOf, type Shape } from './clouds.ts'

const ROWS_PER_INSERT = 1_000

interface Numbers {
  readonly provider: ReadonlyMap<string, number>
  readonly aggregate: ReadonlyMap<string, number>
}

/** The same rows that loading through the API leaves. Standard classes and traits must be there. */
export function* placementRows(shape: Shape, hosts: number): Generator<string> {
  const providers = [...providersOf(shape, hosts)]
  const numbers: Numbers = {
    provider: number(providers.map(({ uuid }) => uuid)),
    aggregate: number(providers.flatMap(({ aggregates }) => aggregates)),
  }
  const roots = rootsOf(providers)
  yield inserts(
    'traits(name)',
    CUSTOM_TRAITS.map(name => [text(name)]),
  )
  yield inserts(
    'placement_aggregates(id, uuid)',
    [...numbers.aggregate].map(([uuid, id]) => [id, text(uuid)]),
  )
  yield inserts(
    'resource_providers(id, uuid, name, generation, root_provider_id, parent_provider_id)',
    providers.map(one => [
      numbers.provider.get(one.uuid) as number,
      ...[text(one.uuid), text(one.name), writesOf(one)],
      numbers.provider.get(roots.get(one.uuid) as string) as number,
      numbers.provider.get(one.parent_provider_uuid ?? '') ?? 'NULL',
    ]),
  )
  for (const one of providers) yield detailsOf(one, numbers)
}

function detailsOf({ uuid, inventories, traits, aggregates }: ProviderFields, numbers: Numbers): string {
  const id = numbers.provider.get(uuid) as number
  return [
    inserts(
      'inventories(resource_provider_id, resource_class_id, total, reserved, min_unit, max_unit, step_size, allocation_ratio)',
      Object.entries(inventories).map(([name, own]) => [
        id,
        `(SELECT id FROM resource_classes WHERE name = ${text(name)})`,
        ...[own.total, own.reserved, own.min_unit, own.max_unit, own.step_size, own.allocation_ratio],
      ]),
    ),
    traits.length === 0
      ? ''
      : `INSERT INTO resource_provider_traits(resource_provider_id, trait_id) SELECT ${id}, id FROM traits WHERE name IN (${traits.map(text).join()});\n`,
    inserts(
      'resource_provider_aggregates(resource_provider_id, aggregate_id)',
      aggregates.map(one => [id, numbers.aggregate.get(one) as number]),
    ),
  ].join('')
}

/** Each write through the API would have raised the generation by one. */
const writesOf = ({ inventories, traits, aggregates }: ProviderFields): number =>
  Number(Object.keys(inventories).length > 0) + Number(traits.length > 0) + Number(aggregates.length > 0)

/** Parents come first. */
function rootsOf(providers: readonly ProviderFields[]): Map<string, string> {
  const roots = new Map<string, string>()
  for (const { uuid, parent_provider_uuid: parent } of providers)
    roots.set(uuid, parent === null ? uuid : (roots.get(parent) as string))
  return roots
}

const number = (names: readonly string[]): Map<string, number> =>
  new Map([...new Set(names)].map((name, at) => [name, at + 1]))

/** The names of clouds have nothing to escape. */
const text = (value: string): string => `'${value}'`

function inserts(into: string, rows: readonly (readonly (string | number)[])[]): string {
  let sql = ''
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
    sql += `INSERT INTO ${into} VALUES ${rows
      .slice(from, from + ROWS_PER_INSERT)
      .map(row => `(${row.join()})`)
      .join()};\n`
  return sql
}
