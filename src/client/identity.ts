import type { Project, Role, RoleAssignment, User } from '../wire/openstack-identity.ts'
import { Unreachable } from './failure.ts'
import type { HttpClient } from './http.ts'

const ROOT = '/identity/v3'

/** The requests of the identity API that the command line makes. */
export class IdentityApi {
  readonly #http: HttpClient

  constructor(http: HttpClient) {
    this.#http = http
  }

  /** Refuses if the server keeps no users. */
  static async at(http: HttpClient): Promise<IdentityApi> {
    if (!(await IdentityApi.isAt(http)))
      throw new Unreachable(http.url, 'it keeps no users: auth is not token, or it serves one service only')
    return new IdentityApi(http)
  }

  static async isAt(http: HttpClient): Promise<boolean> {
    const answer = await http.ask('GET', ROOT)
    await http.text(answer)
    return answer.ok
  }

  async users(): Promise<User[]> {
    return (await this.#http.json<{ users: User[] }>('GET', `${ROOT}/users`)).users
  }

  async createUser(user: object): Promise<User> {
    return (await this.#http.json<{ user: User }>('POST', `${ROOT}/users`, { json: { user } })).user
  }

  async updateUser(id: string, user: object): Promise<User> {
    const path = `${ROOT}/users/${encodeURIComponent(id)}`
    return (await this.#http.json<{ user: User }>('PATCH', path, { json: { user } })).user
  }

  async deleteUser(id: string): Promise<void> {
    await this.#http.send('DELETE', `${ROOT}/users/${encodeURIComponent(id)}`)
  }

  async projects(): Promise<Project[]> {
    return (await this.#http.json<{ projects: Project[] }>('GET', `${ROOT}/projects`)).projects
  }

  async createProject(project: object): Promise<Project> {
    return (await this.#http.json<{ project: Project }>('POST', `${ROOT}/projects`, { json: { project } }))
      .project
  }

  async updateProject(id: string, project: object): Promise<Project> {
    const path = `${ROOT}/projects/${encodeURIComponent(id)}`
    return (await this.#http.json<{ project: Project }>('PATCH', path, { json: { project } })).project
  }

  async deleteProject(id: string): Promise<void> {
    await this.#http.send('DELETE', `${ROOT}/projects/${encodeURIComponent(id)}`)
  }

  async roles(): Promise<Role[]> {
    return (await this.#http.json<{ roles: Role[] }>('GET', `${ROOT}/roles`)).roles
  }

  async createRole(name: string): Promise<Role> {
    return (await this.#http.json<{ role: Role }>('POST', `${ROOT}/roles`, { json: { role: { name } } })).role
  }

  async deleteRole(id: string): Promise<void> {
    await this.#http.send('DELETE', `${ROOT}/roles/${encodeURIComponent(id)}`)
  }

  async assignments(): Promise<RoleAssignment[]> {
    const query = 'include_names=true'
    const path = `${ROOT}/role_assignments`
    return (await this.#http.json<{ role_assignments: RoleAssignment[] }>('GET', path, { query }))
      .role_assignments
  }

  async grant(method: 'PUT' | 'DELETE', user: string, project: string, role: string): Promise<void> {
    const [u, p, r] = [user, project, role].map(encodeURIComponent)
    await this.#http.send(method, `${ROOT}/projects/${p}/users/${u}/roles/${r}`)
  }

  /** A token for a user and a project, and the id of the user. */
  async signIn(name: string, password: string, project: string): Promise<{ token: string; userId: string }> {
    const domain = { id: 'default' }
    const auth = {
      identity: { methods: ['password'], password: { user: { name, domain, password } } },
      scope: { project: { name: project, domain } },
    }
    const answer = await this.#http.send('POST', `${ROOT}/auth/tokens`, { json: { auth } })
    const { token } = JSON.parse(await this.#http.text(answer)) as { token: { user: { id: string } } }
    return { token: answer.headers.get('x-subject-token') ?? '', userId: token.user.id }
  }

  async deleteCredential(userId: string, id: string): Promise<void> {
    const [user, credential] = [userId, id].map(encodeURIComponent)
    await this.#http.send('DELETE', `${ROOT}/users/${user}/application_credentials/${credential}`)
  }

  /** An application credential of the user whose token is used. */
  async createCredential(userId: string, fields: object): Promise<{ id: string; secret: string }> {
    const path = `${ROOT}/users/${encodeURIComponent(userId)}/application_credentials`
    const json = { application_credential: fields }
    const answer = await this.#http.json<{ application_credential: { id: string; secret: string } }>(
      'POST',
      path,
      {
        json,
      },
    )
    return answer.application_credential
  }
}
