import type { Project } from '../../../src/wire/openstack-identity.ts'
import { ask, askJson, Failure } from './http.ts'

type SignInAnswer =
  | { readonly kind: 'entered'; readonly token: string }
  /** The token has no project; choose one of these. */
  | { readonly kind: 'which'; readonly token: string; readonly projects: readonly Project[] }

const TOKENS = '/identity/v3/auth/tokens'

/** A token for a name and a password, for the named project, or for the only one. */
export async function signInByPassword({
  user,
  password,
  domain,
  project,
}: {
  readonly user: string
  readonly password: string
  /** Of the user, by name. */
  readonly domain: string
  /** Its name or its id, in any domain. Empty: look it up. */
  readonly project: string
}): Promise<SignInAnswer> {
  const who = { name: user, domain: { name: domain }, password }
  const token = await issued({ methods: ['password'], password: { user: who } }, 'unscoped')
  const all = await askJson<{ projects: Project[] }>('/identity/v3/auth/projects', {
    headers: { 'x-auth-token': token },
  })
  if (all.projects.length === 0) throw new Failure(403, `${user} is in no project, and may do nothing here.`)
  const projects = all.projects.filter(({ id, name }) => project === '' || project === name || project === id)
  const [only, ...others] = projects
  if (only === undefined) throw new Failure(403, `${user} is in no project ${project}.`)
  if (others.length > 0) return { kind: 'which', token, projects }
  return { kind: 'entered', token: await enterProject(token, only.id) }
}

/** The same user's token of a project. */
export const enterProject = (token: string, project: string): Promise<string> =>
  issued({ methods: ['token'], token: { id: token } }, { project: { id: project } })

/** Revokes the token on the server. */
export const revokeToken = (token: string): Promise<unknown> =>
  ask(TOKENS, { method: 'DELETE', headers: { 'x-auth-token': token, 'x-subject-token': token } })

async function issued(identity: object, scope: object | 'unscoped'): Promise<string> {
  const answer = await ask(TOKENS, { method: 'POST', body: { auth: { identity, scope } } })
  const token = answer.headers.get('x-subject-token')
  if (token === null) throw new Failure(0, 'The server gave no token.')
  return token
}
