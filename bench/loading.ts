/** Two ways to load a cloud into a server: one request after the other, as services do, or one import. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { ProviderFields } from '../src/placement/transfer/lines.ts'
import { CUSTOM_TRAITS, cloudLines, providersOf, type Shape } from './clouds.ts'
import { Connection } from './connection.ts'
import type { Target } from './measure.ts'

/** Through the Placement API, with several clients; returns how long it took. */
export async function loadByApi(
  target: Target,
  shape: Shape,
  hosts: number,
  { clients, from = 0, progress }: { clients: number; from?: number; progress?: (done: number) => void },
): Promise<number> {
  const beganMs = performance.now()
  const first = new Connection(target.url)
  for (const name of CUSTOM_TRAITS) await expecting(first, 'PUT', `/traits/${name}`, null)
  const trees = treesOf(shape, hosts, from)
  // Placement loses races for a new aggregate, so one client creates those of the zones.
  let done = 0
  for (; done < 20; done++) {
    const next = trees.next()
    if (next.done !== true) await loadTree(first, next.value)
  }
  first.close()
  const one = async (): Promise<void> => {
    const connection = new Connection(target.url)
    for (let next = trees.next(); next.done !== true; next = trees.next()) {
      await loadTree(connection, next.value)
      progress?.(++done)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, one))
  return performance.now() - beganMs
}

/** Providers of one tree go one after the other. */
function* treesOf(shape: Shape, hosts: number, from: number): Generator<ProviderFields[]> {
  let tree: ProviderFields[] = []
  for (const provider of providersOf(shape, hosts, from)) {
    if (provider.parent_provider_uuid === null && tree.length > 0) {
      yield tree
      tree = []
    }
    tree.push(provider)
  }
  yield tree
}

async function loadTree(connection: Connection, tree: readonly ProviderFields[]): Promise<void> {
  for (const { uuid, name, parent_provider_uuid, inventories, traits, aggregates } of tree) {
    const parent = parent_provider_uuid === null ? {} : { parent_provider_uuid }
    await expecting(connection, 'POST', '/resource_providers', { uuid, name, ...parent })
    const path = `/resource_providers/${uuid}`
    let resource_provider_generation = 0
    const put = (what: string, value: object): Promise<void> =>
      expecting(connection, 'PUT', `${path}/${what}`, {
        resource_provider_generation: resource_provider_generation++,
        [what]: value,
      })
    if (Object.keys(inventories).length > 0) await put('inventories', inventories)
    if (traits.length > 0) await put('traits', traits)
    if (aggregates.length > 0) await put('aggregates', aggregates)
  }
}

async function expecting(
  connection: Connection,
  method: string,
  path: string,
  body: object | null,
): Promise<void> {
  const text = body === null ? null : JSON.stringify(body)
  const answer = await connection.send(method, path, text, true)
  if (answer.status >= 300)
    throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.body}`)
}

/** As one stream of lines; returns how long it took. */
export async function loadInBulk(url: string, shape: Shape, hosts: number, from = 0): Promise<number> {
  // A small cloud is rendered before; rendering a large one takes more memory than sending it.
  const lines = cloudLines(shape, hosts, from)
  const pieces = hosts <= 10_000 ? [...lines] : lines
  const beganMs = performance.now()
  const sent = request(`${url}/v1/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'x-auth-token': 'admin' },
  })
  const answered = once(sent, 'response')
  for (const piece of pieces) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end()
  const [answer] = await answered
  let text = ''
  for await (const chunk of answer) text += chunk
  if (answer.statusCode !== 200) throw new Error(`the import was answered with ${answer.statusCode}: ${text}`)
  return performance.now() - beganMs
}
