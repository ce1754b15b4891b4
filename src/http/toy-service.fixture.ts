import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noauth2 } from '../identity/noauth2.ts'
import { compilePolicy } from '../identity/policy/compile-policy.ts'
import { StoreUnavailable } from '../store/store.ts'
import { ChangeRefused, RowRefused } from '../world/change-refused.ts'
import { ApiError, type ApiRequest, BodyStream, json, noContent, type Route } from './api.ts'
import { createLog } from './ops/log.ts'
import { Registry } from './ops/metrics.ts'
import { BerthServer, type ServerOptions } from './server.ts'
import type { Service } from './service.ts'

/** A service with one of everything, for the tests of ServiceHandler and the server. */
interface ToyFeatures {
  readonly parts: boolean
  readonly codes: boolean
}

type ToyRequest = ApiRequest<ToyFeatures>

/** A request that waits until the test releases it. */
class Gate {
  arrived: Promise<void>
  open!: () => void
  readonly #released: Promise<void>
  #arrive!: () => void

  constructor() {
    this.arrived = new Promise(resolve => {
      this.#arrive = resolve
    })
    this.#released = new Promise(resolve => {
      this.open = resolve
    })
  }

  wait(): Promise<void> {
    this.#arrive()
    return this.#released
  }
}

function toyRoutes(gate: Gate): Route<ToyFeatures>[] {
  const read = 'placement:traits:list'
  return [
    { method: 'GET', path: '/', operation: null, handle: () => json(200, { toy: true }, 0) },
    { method: 'GET', path: '/things', operation: read, givesJson: true, handle: shown },
    { method: 'POST', path: '/things', operation: read, takesJson: true, handle: created },
    { method: 'GET', path: '/things/{id}', operation: read, givesJson: true, handle: shown },
    { method: 'PUT', path: '/things/{id}', operation: read, takesJson: true, handle: shown },
    {
      method: 'PUT',
      path: '/large',
      operation: read,
      bodyLimit: 'max_body_bytes',
      takesJson: true,
      handle: shown,
    },
    { method: 'DELETE', path: '/things/{id}', operation: read, since: 'parts', handle: () => noContent },
    {
      method: 'DELETE',
      path: '/things',
      operation: read,
      since: 'parts',
      gateStatus: 405,
      handle: () => noContent,
    },
    { method: 'GET', path: '/parts', operation: read, until: 'parts', handle: () => json(200, 'old') },
    { method: 'GET', path: '/parts', operation: read, since: 'parts', handle: () => json(200, 'new') },
    { method: 'POST', path: '/late', operation: read, since: 'parts', takesJson: true, handle: shown },
    {
      method: 'GET',
      path: '/usages',
      operation: 'placement:usages',
      target: request => ({ project_id: request.query.first('project_id') ?? null }),
      handle: shown,
    },
    { method: 'GET', path: '/fail/{how}', operation: null, handle: fail },
    { method: 'GET', path: '/stream', operation: null, handle: () => ({ status: 200, body: streamOf(3) }) },
    {
      method: 'GET',
      path: '/broken-stream',
      operation: null,
      handle: () => ({ status: 200, body: streamOf(-1) }),
    },
    {
      method: 'POST',
      path: '/raw',
      operation: read,
      takesRawBody: true,
      bodyType: 'text/plain',
      handle: counted,
    },
    { method: 'GET', path: '/pieces', operation: null, handle: () => ({ status: 200, body: PIECES }) },
    {
      method: 'GET',
      path: '/slow',
      operation: null,
      handle: async () => {
        await gate.wait()
        return json(200, 'done')
      },
    },
    {
      method: 'PUT',
      path: '/slow',
      operation: null,
      handle: async () => {
        await gate.wait()
        return noContent
      },
    },
  ]
}

/** So many pieces, or an error in place of the first. */
const streamOf = (count: number): BodyStream =>
  new BodyStream(
    (async function* () {
      if (count < 0) throw new ApiError(409, 'Not now')
      for (let nth = 0; nth < count; nth++) yield `piece ${nth}\n`
    })(),
  )

async function counted({ readRawBody }: ToyRequest) {
  let bytes = 0
  for await (const chunk of readRawBody()) bytes += chunk.length
  return json(200, { bytes })
}

/** One JSON text. */
export const PIECES = [
  Buffer.from('["a'),
  Buffer.alloc(3_000_000, 'b'),
  Buffer.from('","c"'),
  Buffer.from(']'),
]

function shown({ method, params, query, body, features, credentials, mount }: ToyRequest) {
  const facts = {
    method,
    params,
    query: query.entries(),
    body: body.toString('utf8').slice(0, 100),
    bytes: body.length,
    features,
    user: credentials.userId,
    mount,
  }
  return json(200, facts, Date.UTC(2024, 1, 29, 12))
}

function created(request: ToyRequest) {
  JSON.parse(request.body.toString('utf8'))
  return { status: 201, location: '/things/ü 1', headers: { 'x-toy': 'yes' } }
}

function fail(request: ToyRequest): never {
  switch (request.params.how) {
    case 'conflict':
      throw new ApiError(409, 'Generations\ndiffer', 'placement.concurrent_update')
    case 'plain':
      throw new ApiError(409, 'No code')
    case 'world':
      throw new ChangeRefused('traits', new RowRefused('taken', 0))
    case 'store':
      throw new StoreUnavailable('the disk postgres://u:secret@h is gone')
    default:
      throw new Error('secret of the house')
  }
}

function toyService(gate: Gate): Service<ToyFeatures> {
  return {
    name: 'toy',
    serviceType: 'placement',
    versions: {
      min: '1.0',
      max: '1.2',
      featuresOf: minor => ({ parts: minor >= 1, codes: minor >= 2 }),
    },
    routes: toyRoutes(gate),
    showsLastModified: features => features.parts,
    showsErrorCodes: features => features.codes,
    undefinedCode: 'placement.undefined_code',
  }
}

export interface Toy {
  readonly server: BerthServer
  readonly gate: Gate
  readonly metrics: Registry
  readonly logged: () => string
}

export function toyServer(mounts: readonly string[] = [''], options: Partial<ServerOptions> = {}): Toy {
  const gate = new Gate()
  const service = toyService(gate)
  const metrics = new Registry()
  const writes: string[] = []
  const log = createLog({ stream: { write: text => writes.push(text) } })
  const server = new BerthServer({
    services: mounts.map(mount => ({ mount, service })),
    authenticator: noauth2({ plainRoles: [] }),
    policy: compilePolicy('secure'),
    metrics,
    log,
    health: { warning: () => null },
    ...options,
  })
  const logged = () => {
    log.flush()
    return writes.join('')
  }
  return { server, gate, metrics, logged }
}

interface Asking {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
}

interface Answered {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly payload: string
  readonly rawPayload: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json(): any
}

/** Sends requests to a server over a socket. It listens from the first request on, and keeps no process alive. */
export async function ask(server: BerthServer, asking: string | Asking): Promise<Answered> {
  const { method = 'GET', url, headers = {}, payload } = typeof asking === 'string' ? { url: asking } : asking
  const { http } = server
  if (!http.listening) {
    http.listen(0, '127.0.0.1').unref()
    await once(http, 'listening')
  }
  const { port } = http.address() as AddressInfo
  const sent = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path: url,
    agent: false,
    headers: { host: 'localhost', ...sent, ...headers },
  })
  request.end(payload)
  const [response] = await once(request, 'response')
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  const rawPayload = Buffer.concat(pieces)
  return {
    statusCode: response.statusCode,
    headers: response.headers,
    payload: rawPayload.toString(),
    rawPayload,
    json: () => JSON.parse(rawPayload.toString()),
  }
}
