import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

interface FakeToken {
  readonly user: string
  readonly project: string | null
  readonly roles: readonly string[]
  readonly system?: boolean
  readonly domain?: boolean
  readonly expiresInMs?: number
  readonly delegatedBy?: 'application_credential' | 'OS-TRUST:trust' | 'OS-OAUTH1'
}

interface FakePerson {
  readonly password: string
  readonly projects: Readonly<Record<string, string[]>>
  /** Projects of another domain: their names do not find them in this one. */
  readonly afar?: readonly string[]
  /** Used if the request has no scope. */
  readonly home?: string
}

/** The part of Keystone that handles tokens, with ways to make it fail. */
export class FakeKeystone {
  readonly tokens = new Map<string, FakeToken>()
  /** Who may sign in, in the domain `Default`, and with which roles in which projects. */
  readonly people = new Map<string, FakePerson>()
  password = 'sesame'
  /** Counts validations of tokens and sign-ins. */
  asked = 0
  signedIn = 0
  /** All tokens that it received. */
  readonly seen = new Set<string>()
  /** The traces of the requests. */
  readonly traceparents: string[] = []
  /** Answers this to everything. */
  broken: number | null = null
  /** Redirects every request there. */
  redirectsTo: string | null = null
  /** Never answers. */
  silent = false
  /** Refuses the next request, as if Berth's own token were no longer valid. */
  forgetful = false
  /** The domains of the user and of the project that it was last signed in to as berth. */
  domains: unknown[] = []
  readonly #server: Server
  readonly #isTls: boolean
  #own = 0

  private constructor(server: Server, isTls: boolean) {
    this.#server = server
    this.#isTls = isTls
  }

  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<FakeKeystone> {
    const server = tls === undefined ? createServer() : createTlsServer(tls)
    const fake = new FakeKeystone(server, tls !== undefined)
    server.on('request', (request, response) => void fake.#answer(request, response))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return this.#isTls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
  }

  /** Closes every connection and goes on. */
  hangUp(): void {
    this.#server.closeAllConnections()
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    this.seen.add(String(request.headers['x-auth-token']))
    if (typeof request.headers.traceparent === 'string') this.traceparents.push(request.headers.traceparent)
    if (this.silent) return
    if (this.redirectsTo !== null)
      return send(response, 307, {}, { location: `${this.redirectsTo}${request.url}` })
    if (this.broken !== null) return send(response, this.broken, { error: {} })
    if (request.method === 'POST') return this.#signIn(body, response)
    if (request.url === '/v3/auth/projects') return this.#projects(request, response)
    this.asked++
    if (this.forgetful) {
      this.forgetful = false
      return send(response, 401, { error: {} })
    }
    if (request.headers['x-auth-token'] !== `own-${this.#own}`) return send(response, 401, { error: {} })
    const found = this.tokens.get(String(request.headers['x-subject-token']))
    const mayBeExpired = request.url?.includes('allow_expired=1') === true
    if (found === undefined || (!mayBeExpired && (found.expiresInMs ?? 1) <= 0))
      return send(response, 404, { error: {} })
    send(response, 200, documentOf(found))
  }

  #signIn(body: string, response: ServerResponse): void {
    const { auth } = JSON.parse(body)
    const asked = auth.identity.password?.user
    if (asked?.name !== 'berth') {
      this.#admit(auth, response)
      return
    }
    if (auth.identity.password.user.password !== this.password) {
      send(response, 401, { error: {} })
      return
    }
    this.signedIn++
    this.domains = [asked.domain, (auth.scope as { project: { domain: unknown } }).project.domain]
    this.#own++
    send(response, 201, documentOf({ user: 'berth', project: 'service', roles: ['service'] }), {
      'x-subject-token': `own-${this.#own}`,
    })
  }

  #admit(auth: FakeAuth, response: ServerResponse): void {
    const { password, token } = auth.identity
    const isOurs = password === undefined || password.user.domain?.name === 'Default'
    const name = password?.user.name ?? this.tokens.get(String(token?.id))?.user ?? ''
    const known = isOurs ? this.people.get(name) : undefined
    const project = projectOf(auth, known)
    if (token !== undefined) this.seen.add(token.id)
    const roles = project === null ? [] : known?.projects[project]
    const isRight = token !== undefined || known?.password === password?.user.password
    if (known === undefined || roles === undefined || !isRight) {
      send(response, 401, { error: {} })
      return
    }
    const made = `${name}-${project ?? 'unscoped'}`
    this.tokens.set(made, { user: name, project, roles })
    send(response, 201, documentOf(this.tokens.get(made) as FakeToken), { 'x-subject-token': made })
  }

  #projects(request: IncomingMessage, response: ServerResponse): void {
    const user = this.tokens.get(String(request.headers['x-auth-token']))?.user ?? ''
    const names = Object.keys(this.people.get(user)?.projects ?? {})
    const afar = this.people.get(user)?.afar ?? []
    const projects = names.map(name => ({
      id: name,
      ...(afar.includes(name) ? { name: 'ops', domain_id: 'elsewhere' } : { name, domain_id: 'default' }),
    }))
    send(response, 200, { projects })
  }
}

function projectOf({ scope }: FakeAuth, person: FakePerson | undefined): string | null {
  if (scope === 'unscoped') return null
  if (scope === undefined) return person?.home ?? null
  const { id, name = '' } = scope.project
  return id ?? (person?.afar?.includes(name) ? '' : name)
}

interface FakeAuth {
  readonly identity: {
    readonly password?: {
      readonly user: {
        readonly name?: string
        readonly domain?: { name?: string }
        readonly password: string
      }
    }
    readonly token?: { readonly id: string }
  }
  readonly scope?: 'unscoped' | { readonly project: { readonly id?: string; readonly name?: string } }
}

function documentOf(token: FakeToken): unknown {
  const { user, project, roles, system, domain, delegatedBy, expiresInMs = 3_600_000 } = token
  return {
    token: {
      expires_at: new Date(Date.now() + expiresInMs).toISOString(),
      user: { id: user, name: `Name of ${user}` },
      ...(project === null ? {} : { project: { id: project, name: `Name of ${project}` } }),
      ...(system === true ? { system: { all: true } } : {}),
      ...(domain === true ? { domain: { id: 'default' } } : {}),
      ...(delegatedBy === undefined ? {} : { [delegatedBy]: {} }),
      roles: roles.map(name => ({ name })),
    },
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
