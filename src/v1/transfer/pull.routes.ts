import { randomUUID } from 'node:crypto'
import type { AnyPulledLine } from '../../transfer/pull-rows.ts'
import { findPulledShareFault } from '../../transfer/pulled-shares.schemas.ts'
import { isPulledShareTable, type PulledShareLine } from '../../transfer/pulled-shares.ts'
import { isPulledTable, listMarkedTables } from '../../transfer/pulled-tables.ts'
import { rowFault } from '../../transfer/rows.schemas.ts'
import { pullBodyShape, pulledCloudsShape, pullReportShape } from '../../wire/pull.ts'
import type { TypeOf } from '../../wire/shape.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import type { Value } from '../../world/table.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'

const CLOUD = /^[a-zA-Z0-9._-]{1,64}$/
/** In one commit: other writes wait while it is decided. */
const PULL_ROWS_MAX = 2_000

/** Resources that belong to a cloud which runs beside Berth. */
export function pullRoutes({ world }: { readonly world: World }): V1Route[] {
  return [writeRoute(), listRoute(world)]
}

function writeRoute(): V1Route {
  return v1Write({
    method: 'POST',
    path: '/pull/{cloud}',
    operation: 'berth:pull',
    bodyLimit: 'max_body_bytes',
    summary: 'Bring in what a cloud has',
    description:
      'Rows of flavors, host settings, host aggregates, server groups, requests of servers, metadata definitions and share types, as ' +
      '`GET /v1/export` writes them, and of share back ends, pools and shares by their names in the cloud, in one commit. The last come ' +
      'into the ledger too: providers, their inventory of CUSTOM_SHARE_GB, and what each share holds. Whatever is new belongs to the cloud from then on: only a request here with the ' +
      'same cloud changes or removes it, and every other write is refused with 409. What exists here and belongs to others is left ' +
      `alone and named in \`left\`. At most ${PULL_ROWS_MAX} rows. \`berth pull\` uses this.`,
    params: { cloud: 'The name of the cloud: 1 to 64 letters, digits, dots, dashes and _.' },
    body: pullBodyShape,
    answer: { description: 'What was done.', shape: pullReportShape },
    problems: { 400: 'A row is malformed; `table` and `field` say which.' },
    async write({ params, body, once }) {
      const cloud = requireCloud(params.cloud as string)
      if (body.rows.length + body.removed.length > PULL_ROWS_MAX)
        throw new Problem(400, 'pull.too-many', `There are more than ${PULL_ROWS_MAX} rows.`)
      const rows = body.rows.map(requireRow)
      const removed = body.removed.map(requireRow)
      const { adopt = false } = body
      const newUuids = rows.filter(({ table }) => isPulledShareTable(table)).map(() => randomUUID())
      return once.submit({ kind: 'pull-rows', cloud, rows, removed, adopt, newUuids }, outcome => ({
        status: 200,
        body: outcome.ok ? outcome.answer : outcome.refusal,
      }))
    },
  })
}

function listRoute(world: World): V1Route {
  return v1Route({
    method: 'GET',
    path: '/pull',
    operation: 'berth:pull',
    summary: 'List the clouds that something here belongs to',
    description: 'With how much, by table.',
    answer: { description: 'The clouds.', shape: pulledCloudsShape },
    handle: () => ({ clouds: countOwned(world) }),
  })
}

function countOwned(world: World) {
  const clouds = new Map<string, Record<string, number>>()
  for (const table of listMarkedTables())
    for (const row of world.rows(table)) {
      const cloud = cloudOf((row as { readonly applied_by?: string | null }).applied_by)
      if (cloud === null) continue
      const counts = clouds.get(cloud) ?? {}
      clouds.set(cloud, counts)
      counts[table] = (counts[table] ?? 0) + 1
    }
  return [...clouds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, counts]) => ({ name, counts }))
}

function requireCloud(name: string): string {
  if (CLOUD.test(name)) return name
  throw new Problem(
    400,
    'pull.bad-cloud',
    'The name of a cloud has 1 to 64 letters, digits, dots, dashes and _.',
  )
}

type Line = TypeOf<typeof pullBodyShape>['rows'][number]

function requireRow({ table, row }: Line, at: number): AnyPulledLine {
  const makeProblem = (field: string, message: string) =>
    new Problem(400, 'pull.bad-row', `Row ${at} (${table}): ${field === '' ? '' : `${field}: `}${message}`, {
      table,
      field,
      row: at,
    })
  const fields = row as Readonly<Record<string, Value>>
  if (isPulledShareTable(table)) {
    const fault = findPulledShareFault(table, fields)
    if (fault !== null) throw makeProblem(fault.field, fault.message)
    return { table, row: fields } as unknown as PulledShareLine
  }
  if (!isPulledTable(table)) throw makeProblem('table', 'no rows of it can be pulled.')
  const fault = rowFault({ table, row: fields })
  if (fault !== null) throw makeProblem(fault.field, fault.message)
  return { table, row: fields }
}
