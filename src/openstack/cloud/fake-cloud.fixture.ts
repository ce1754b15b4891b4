import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CloudSettings } from './cloud-settings.ts'

/** An answer of a fake service: a document with status 200, or another status. */
type FakeAnswer = object | FakeRefusal

interface FakeRefusal {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: object
}

type FakeRoute = FakeAnswer | ((query: URLSearchParams, request: IncomingMessage) => FakeAnswer)

const REGION = 'RegionOne'

/**
 * As much of a cloud as is read: Keystone with a catalog, and services whose answers a test puts in. Routes are paths behind the
 * version, such as `/flavors/detail`.
 */
export class FakeCloud {
  readonly compute = new Map<string, FakeRoute>()
  readonly image = new Map<string, FakeRoute>()
  readonly share = new Map<string, FakeRoute>()
  minors = { compute: 96, share: 78 }
  password = 'sesame'
  /** How long tokens live. */
  tokenMs = 3_600_000
  /** Services that the catalog has. */
  readonly services = new Set(['compute', 'image', 'share'])
  /** The bodies of sign-ins. */
  readonly signIns: { readonly auth: Record<string, unknown> }[] = []
  /** The requests to the services: path with query. */
  readonly asked: string[] = []
  readonly headers: IncomingMessage['headers'][] = []
  /** The statuses of the next answers of a service, whatever the request. */
  readonly statusesFirst: number[] = []
  underWay = 0
  underWayMax = 0
  /** Answers take this long. */
  delayMs = 0
  readonly #server: Server
  #token = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<FakeCloud> {
    const server = createServer()
    const fake = new FakeCloud(server)
    server.on('request', (request, response) => void fake.#answer(request, response))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get token(): string {
    return `token-${this.#token}`
  }

  /** Revokes all tokens issued so far. */
  revoke(): void {
    this.#token++
  }

  /** Its entry in clouds.yaml. */
  settings(more: Partial<CloudSettings> = {}): CloudSettings {
    const user = { name: 'berth', domain: { id: 'default' }, password: 'sesame' }
    return {
      name: 'fake',
      from: 'clouds.yaml',
      auth: {
        kind: 'keystone',
        url: `${this.url}/identity/v3`,
        request: {
          identity: { methods: ['password'], password: { user } },
          scope: { project: { name: 'admin', domain: { id: 'default' } } },
        },
        who: 'user berth',
      },
      region: REGION,
      trust: { authorities: null, isBlind: false },
      timeoutMs: 5_000,
      service: () => ({ endpoint: null, region: REGION, interface: 'public' }),
      ...more,
    }
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    this.underWayMax = Math.max(this.underWayMax, ++this.underWay)
    if (this.delayMs > 0) await new Promise(resolve => setTimeout(resolve, this.delayMs))
    this.underWay--
    const url = new URL(request.url ?? '/', this.url)
    if (url.pathname === '/identity/v3/auth/tokens') return this.#signIn(body, response)
    this.asked.push(`${url.pathname}${url.search}`)
    this.headers.push(request.headers)
    const first = this.statusesFirst.shift()
    if (first !== undefined) return send(response, first, {}, { 'retry-after': '0' })
    if (request.headers['x-auth-token'] !== this.token) return send(response, 401, {})
    const answer = this.#find(url, request)
    if ('status' in answer && typeof answer.status === 'number') {
      const { status, headers = {}, body: document = {} } = answer as FakeRefusal
      return send(response, status, document, headers)
    }
    send(response, 200, answer)
  }

  #find(url: URL, request: IncomingMessage): FakeAnswer {
    const [, service = '', , ...rest] = url.pathname.split('/')
    const path = `/${decodeURIComponent(rest.join('/'))}`
    const routes = { compute: this.compute, image: this.image, share: this.share }[service]
    if (path === '/' && (service === 'compute' || service === 'share')) {
      const version = { id: 'v2', version: `2.${this.minors[service]}`, min_version: '2.1' }
      return service === 'compute' ? { version } : { versions: [version] }
    }
    const route = routes?.get(path)
    if (route === undefined)
      return { status: 404, body: { itemNotFound: { code: 404, message: `no ${path}` } } }
    return typeof route === 'function' ? route(url.searchParams, request) : route
  }

  #signIn(body: string, response: ServerResponse): void {
    const asked = JSON.parse(body)
    this.signIns.push(asked)
    const { password } = asked.auth.identity
    if (password !== undefined && password.user.password !== this.password) {
      send(response, 401, {})
      return
    }
    this.#token++
    const endpoints = (path: string) => [
      { interface: 'public', region_id: 'Elsewhere', url: 'http://127.0.0.1:1/' },
      { interface: 'internal', region_id: REGION, url: 'http://127.0.0.1:1/' },
      { interface: 'public', region_id: REGION, url: `${this.url}${path}` },
    ]
    const all = [
      { type: 'compute', name: 'compute', endpoints: endpoints('/compute/v2.1') },
      { type: 'image', name: 'image', endpoints: endpoints('/image') },
      { type: 'sharev2', name: 'share', endpoints: endpoints('/share/v2') },
    ]
    const catalog = all.filter(({ name }) => this.services.has(name))
    const expires_at = new Date(Date.now() + this.tokenMs).toISOString()
    send(response, 201, { token: { expires_at, catalog } }, { 'x-subject-token': this.token })
  }
}

/** A route that serves a list page by page, behind a marker, with links as Nova has them. */
export function pagedRoute(
  key: string,
  items: readonly { readonly id: string | number }[],
  pageMax: number,
): FakeRoute {
  return query => {
    const marker = query.get('marker')
    const at = marker === null ? 0 : items.findIndex(({ id }) => String(id) === marker) + 1
    if (marker !== null && at === 0)
      return { status: 400, body: { badRequest: { code: 400, message: `marker [${marker}] not found` } } }
    const page = items.slice(at, at + Math.min(pageMax, Number(query.get('limit') ?? pageMax)))
    const isLast = at + page.length >= items.length
    const href = `http://nova.internal:8774/v2.1/x?limit=${page.length}&marker=${page.at(-1)?.id}`
    return { [key]: page, ...(isLast ? {} : { [`${key}_links`]: [{ rel: 'next', href }] }) }
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
