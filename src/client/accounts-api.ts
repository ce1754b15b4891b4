import {
  type Accounts,
  type OperationRoles,
  type PolicyInForce,
  USER_CREDENTIALS_MAX,
  USER_TOKENS_MAX,
  type UserCredential,
  type UserCredentials,
  type UserToken,
  type UserTokens,
} from '../wire/accounts.ts'
import {
  type ListedProject,
  PROJECTS_MAX,
  type ProjectFacts,
  type ProjectList,
  type ProjectServers,
} from '../wire/projects.ts'
import type { HttpClient } from './http.ts'

/** What /v1 says of users and projects, beyond the identity API. */
export class AccountsApi {
  readonly #http: HttpClient

  constructor(http: HttpClient) {
    this.#http = http
  }

  accounts(): Promise<Accounts> {
    return this.#http.json('GET', '/v1/accounts')
  }

  policy(): Promise<PolicyInForce> {
    return this.#http.json('GET', '/v1/policy')
  }

  operationRoles(operation: string): Promise<OperationRoles> {
    return this.#http.json('GET', `/v1/policy/${encodeURIComponent(operation)}`)
  }

  /** All that are valid now, of one user or of all. */
  async userTokens(user: string | null): Promise<UserToken[]> {
    const all: UserToken[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query = pageQuery(user, after, USER_TOKENS_MAX)
      const page: UserTokens = await this.#http.json('GET', '/v1/user-tokens', { query })
      all.push(...page.tokens)
      after = page.next
    }
    return all
  }

  revokeUserToken(id: string): Promise<{ id: string }> {
    return this.#http.json('DELETE', `/v1/user-tokens/${encodeURIComponent(id)}`)
  }

  revokeUserTokens(user: string): Promise<{ user: string; user_name: string; issued_until: string }> {
    return this.#http.json('POST', '/v1/user-tokens/revoke', { json: { user } })
  }

  /** Of one user or of all. */
  async userCredentials(user: string | null): Promise<UserCredential[]> {
    const all: UserCredential[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query = pageQuery(user, after, USER_CREDENTIALS_MAX)
      const page: UserCredentials = await this.#http.json('GET', '/v1/user-credentials', { query })
      all.push(...page.credentials)
      after = page.next === null ? null : String(page.next)
    }
    return all
  }

  async projects(): Promise<ListedProject[]> {
    const all: ListedProject[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query = pageQuery(null, after, PROJECTS_MAX)
      const page: ProjectList = await this.#http.json('GET', '/v1/projects', { query })
      all.push(...page.projects)
      after = page.next
    }
    return all
  }

  project(project: string): Promise<ProjectFacts> {
    return this.#http.json('GET', `/v1/projects/${encodeURIComponent(project)}`)
  }

  projectServers(project: string, query: string): Promise<ProjectServers> {
    return this.#http.json('GET', `/v1/projects/${encodeURIComponent(project)}/servers`, { query })
  }
}

function pageQuery(user: string | null, after: string, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) })
  if (user !== null) query.set('user', user)
  if (after !== '') query.set('after', after)
  return query.toString()
}
