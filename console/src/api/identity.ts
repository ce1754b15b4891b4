import { ask, askJson, Failure } from './http.ts'

export interface Project {
  readonly id: string
  readonly name: string
}

export interface SignInAnswer {
  readonly token: string
  /** Null: the token is of no project, and these could be chosen. */
  readonly project: string | null
  readonly projects: readonly Project[]
}

const TOKENS = '/identity/v3/auth/tokens'

/** A token for a name and a password, of the project that is named, or of the only one there is. */
export async function signInByPassword({
  user,
  password,
  domain,
  project,
}: {
  readonly user: string
  readonly password: string
  /** By name: that of the user and of the project. */
  readonly domain: string
  /** Empty: to be found out. */
  readonly project: string
}): Promise<SignInAnswer> {
  const byPassword = {
    methods: ['password'],
    password: { user: { name: user, domain: { name: domain }, password } },
  }
  const first = await issued(byPassword, project === '' ? null : { name: project, domain: { name: domain } })
  if (project !== '') return { token: first, project, projects: [] }
  const { projects } = await askJson<{ projects: Project[] }>('/identity/v3/auth/projects', {
    headers: { 'x-auth-token': first },
  })
  const [only, ...others] = projects
  if (only === undefined || others.length > 0) return { token: first, project: null, projects }
  const token = await issued({ methods: ['token'], token: { id: first } }, { id: only.id })
  return { token, project: only.name, projects }
}

async function issued(identity: object, project: object | null): Promise<string> {
  const scope = project === null ? {} : { scope: { project } }
  const answer = await ask(TOKENS, { method: 'POST', body: { auth: { identity, ...scope } } })
  const token = answer.headers.get('x-subject-token')
  if (token === null) throw new Failure(0, 'The server gave no token.')
  return token
}
