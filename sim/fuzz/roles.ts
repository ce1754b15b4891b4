/** Who sends requests: callers without a token, strangers, and one caller of each kind that the server knows. */
import { createHash } from 'node:crypto'
import type { FuzzedServer } from './server.ts'

export const ROLE_NAMES = [
  'nobody',
  'garbage',
  'unscoped',
  'reader',
  'member',
  'service',
  'admin',
  'static',
  'restricted',
] as const
type RoleName = (typeof ROLE_NAMES)[number]

export interface Role {
  readonly name: RoleName
  /** Null: no header at all. */
  token: string | null
  readonly userId: string
  readonly projectId: string
}

const PASSWORD = 'a password for nobody else'
const STATIC_TOKEN = 'fuzz-static-token-0123456789-0123456789'

/** As the admin, by fetch: preparation is not part of the test. */
export class Admin {
  readonly #server: FuzzedServer
  readonly #token: string

  constructor(server: FuzzedServer) {
    this.#server = server
    this.#token = server.secret('admin-token')
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(new URL(path, this.#server.url), {
      method,
      headers: {
        'x-auth-token': this.#token,
        'openstack-api-version': path.startsWith('/placement') ? 'placement 1.39' : 'compute 2.96',
        'x-openstack-manila-api-version': '2.72',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
      json: (isJson ? JSON.parse(text) : null) as any,
    }
  }

  /** Throws unless it succeeds: a failure is a fault of the fuzzer. */
  async must(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await this.ask(method, path, body, headers)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  get token(): string {
    return this.#token
  }
}

export class Roles {
  readonly #admin: Admin
  readonly #all = new Map<RoleName, Role>()
  readonly #proofs = new Map<RoleName, unknown>()
  readonly #renewing = new Map<RoleName, Promise<void>>()

  private constructor(admin: Admin) {
    this.#admin = admin
  }

  static async make(admin: Admin): Promise<Roles> {
    const roles = new Roles(admin)
    const { project } = (await admin.must('POST', '/identity/v3/projects', { project: { name: 'fuzzed' } }))
      .json
    const add = (name: RoleName, token: string | null, userId = '') =>
      roles.#all.set(name, { name, token, userId, projectId: project.id })
    add('nobody', null)
    add('garbage', 'no-token-of-this-server')
    add('admin', admin.token)
    for (const name of ['reader', 'member', 'service'] as const) {
      const { user } = (
        await admin.must('POST', '/identity/v3/users', { user: { name: `fuzz-${name}`, password: PASSWORD } })
      ).json
      const found = await admin.must('GET', `/identity/v3/roles?name=${name}`)
      const role = found.json.roles[0].id
      await admin.must('PUT', `/identity/v3/projects/${project.id}/users/${user.id}/roles/${role}`)
      add(name, '', user.id)
      const identity = { methods: ['password'], password: { user: { id: user.id, password: PASSWORD } } }
      roles.#proofs.set(name, { auth: { identity, scope: { project: { id: project.id } } } })
      if (name === 'member') {
        roles.#proofs.set('unscoped', { auth: { identity, scope: 'unscoped' } })
        add('unscoped', '', user.id)
        add('restricted', '', user.id)
      }
    }
    add('static', STATIC_TOKEN)
    await roles.#renewAll()
    return roles
  }

  get(name: RoleName): Role {
    return this.#all.get(name) as Role
  }

  /** A request revoked it or used it up: get a new one. */
  async renew(name: RoleName): Promise<void> {
    const running =
      this.#renewing.get(name) ?? this.#renewOne(name).finally(() => this.#renewing.delete(name))
    this.#renewing.set(name, running)
    await running
  }

  async #renewAll(): Promise<void> {
    for (const name of ['reader', 'member', 'service', 'unscoped'] as const) await this.renew(name)
    const { token, userId } = this.get('member')
    const path = `/identity/v3/users/${userId}/application_credentials`
    const body = { application_credential: { name: 'fuzz' } }
    const { json } = await this.#admin.must('POST', path, body, { 'x-auth-token': token as string })
    const { id, secret } = json.application_credential
    const identity = { methods: ['application_credential'], application_credential: { id, secret } }
    this.#proofs.set('restricted', { auth: { identity } })
    await this.renew('restricted')
    await this.renew('static')
  }

  async #renewOne(name: RoleName): Promise<void> {
    if (name === 'static') {
      const token_sha256 = createHash('sha256').update(STATIC_TOKEN).digest('hex')
      const project = this.get(name).projectId
      await this.#admin.ask('POST', '/v1/tokens', {
        name: 'fuzz-static',
        token_sha256,
        roles: ['member'],
        project,
      })
      return
    }
    const proof = this.#proofs.get(name)
    if (proof === undefined) return
    const answer = await this.#admin.ask('POST', '/identity/v3/auth/tokens', proof)
    // Busy with other sign-ins: the old token stays for now.
    if (answer.status === 201) this.get(name).token = answer.headers.get('x-subject-token')
  }
}
