/** The cloud of scheduling-cloud.ts in a server, and requests to it. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { ProviderFields } from '../src/placement/transfer/lines.ts'
import { exportedColumns, type RowTable } from '../src/transfer/exported-tables.ts'
import type { Row } from '../src/world/tables.ts'
import type { World } from '../src/world/world.ts'
import type { Request } from './measure.ts'
import { askFor, ZONES } from './scheduling-cloud.ts'

/** As lines of an import. */
function* cloudLines(world: World): Generator<string> {
  yield* providerLines(world)
  yield* rowLines(world, 'hosts')
  yield* rowLines(world, 'host_aggregates')
  yield* rowLines(world, 'host_aggregate_metadata')
  yield* rowLines(world, 'host_aggregate_hosts')
}

function* providerLines({ providers, inventories, classes, providerAggregates, aggregates }: World) {
  for (const slot of providers.all()) {
    const rows = inventories.listClasses(slot).map(id => inventories.row(slot, id) as Row<'inventories'>)
    const provider: ProviderFields = {
      uuid: providers.uuid(slot),
      name: providers.name(slot),
      generation: 0,
      parent_provider_uuid: null,
      traits: [],
      aggregates: providerAggregates.list(slot).map(id => aggregates.uuid(id)),
      inventories: Object.fromEntries(
        rows.map(({ class_id, provider_id: _, updated_at: _at, ...fields }) => [
          classes.name(class_id as Parameters<typeof classes.name>[0]),
          fields,
        ]),
      ),
    }
    yield `${JSON.stringify({ provider })}\n`
  }
}

function* rowLines(world: World, table: RowTable): Generator<string> {
  const { providers, compute } = world
  for (const row of world.rows(table)) {
    const named = exportedColumns[table].map(({ column, as, refersTo }) => {
      const value = row[column]
      if (refersTo === 'resource_providers') return [as, providers.uuid(value as never)]
      if (refersTo === 'host_aggregates') return [as, compute.aggregates.row(value as number).uuid]
      return [as, value]
    })
    yield `${JSON.stringify({ table, row: Object.fromEntries(named) })}\n`
  }
}

export async function loadSchedulingCloud(url: string, world: World): Promise<void> {
  const sent = request(`${url}/v1/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'x-auth-token': 'admin' },
  })
  const answered = once(sent, 'response')
  for (const line of cloudLines(world)) if (!sent.write(line)) await once(sent, 'drain')
  sent.end()
  const [answer] = await answered
  let text = ''
  for await (const chunk of answer) text += chunk
  if (answer.statusCode !== 200) throw new Error(`the import was answered with ${answer.statusCode}: ${text}`)
}

/** New servers of four flavors in three zones, of some projects. */
export function scheduleRequests(): () => Request {
  let nth = 0
  return () => {
    const turn = nth++
    const licence = turn % 4 < 2 ? {} : { licence: '~' }
    const { spec } = askFor(turn, { disk: turn % 2 === 0 ? 'ssd' : 'hdd', ...licence })
    const { id: _, ...flavor } = spec.flavor
    const body = {
      flavor: { ...flavor, name: `m1.${turn % 4}` },
      zone: ZONES[turn % ZONES.length],
      instances: [randomUUID()],
      project_id: `project-${turn % 7}`,
      user_id: 'bench',
    }
    return { method: 'POST', path: '/schedule', body: JSON.stringify(body) }
  }
}
