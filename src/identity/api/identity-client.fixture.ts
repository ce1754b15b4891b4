import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Berth } from '../../../test/running-berth.ts'
import type { Config } from '../../config/keys.ts'

interface IdentityAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  readonly json: any
  readonly text: string
}

interface SignInBody {
  readonly user?: string
  readonly password?: string
  readonly scope?: unknown
}

/** A whole server that requires tokens, and a client that uses it as clients of Keystone do. */
export class IdentityClient {
  readonly berth: Berth
  readonly adminToken: string
  readonly adminPassword: string

  private constructor(berth: Berth, adminToken: string, adminPassword: string) {
    this.berth = berth
    this.adminToken = adminToken
    this.adminPassword = adminPassword
  }

  static async start(overrides: Partial<Config> = {}): Promise<IdentityClient> {
    const berth = await Berth.start({ auth: 'token', rbac: 'secure', ...overrides })
    const secret = async (name: string) => (await readFile(join(berth.directory, name), 'utf8')).trim()
    return new IdentityClient(berth, await secret('admin-token'), await secret('admin-password'))
  }

  async ask(
    method: string,
    path: string,
    { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<IdentityAnswer> {
    const answer = await fetch(`${this.berth.server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    // The answer to a HEAD has a type and no body.
    const isJson = text !== '' && /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null }
  }

  /** The admin does it. */
  async admin(method: string, path: string, body?: unknown): Promise<IdentityAnswer> {
    return this.ask(method, `/identity/v3${path}`, { token: this.adminToken, body })
  }

  signIn({ user = 'admin', password = this.adminPassword, scope }: SignInBody = {}): Promise<IdentityAnswer> {
    return this.auth(
      { methods: ['password'], password: { user: { name: user, domain: { id: 'default' }, password } } },
      scope,
    )
  }

  auth(identity: unknown, scope?: unknown): Promise<IdentityAnswer> {
    const body = { auth: { identity, ...(scope === undefined ? {} : { scope }) } }
    return this.ask('POST', '/identity/v3/auth/tokens', { body })
  }

  /** Gets a token of a user, who must get one. */
  async tokenOf(given: SignInBody = {}): Promise<string> {
    const { status, headers, text } = await this.signIn(given)
    if (status !== 201) throw new Error(`no token for ${given.user}: ${status} ${text}`)
    return headers.get('x-subject-token') as string
  }

  /** A user with a password that is its name thrice, and a role in a project, which is made if need be. */
  async addUser(name: string, role: string, project: string): Promise<{ id: string; project: string }> {
    const made = await this.admin('POST', '/projects', { project: { name: project } })
    const projects = await this.admin('GET', `/projects?name=${project}`)
    const projectId: string = made.json.project?.id ?? projects.json.projects[0].id
    const fields = { name, password: name.repeat(3), default_project_id: projectId }
    const user = await this.admin('POST', '/users', { user: fields })
    const roles = await this.admin('GET', `/roles?name=${role}`)
    const id: string = user.json.user.id
    await this.admin('PUT', `/projects/${projectId}/users/${id}/roles/${roles.json.roles[0].id}`)
    return { id, project: projectId }
  }

  end(): Promise<void> {
    return this.berth.end()
  }
}
