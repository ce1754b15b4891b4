import type { CredentialRow, ProjectRow, RoleRow, UserRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import type { TokenFacts } from '../builtin/tokens.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest } from './context.ts'

/** Times as Keystone writes them. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')

const selfLink = ({ addressOf }: IdentityRequest, path: string) => ({ self: addressOf(`/v3/${path}`) })

export const userBody = (request: IdentityRequest, row: UserRow) => ({
  id: row.uuid,
  name: row.name,
  domain_id: DOMAIN.id,
  enabled: row.is_enabled === 1,
  password_expires_at: null,
  options: {},
  ...(row.default_project === null ? {} : { default_project_id: row.default_project }),
  ...(row.description === null ? {} : { description: row.description }),
  ...(row.email === null ? {} : { email: row.email }),
  links: selfLink(request, `users/${row.uuid}`),
})

export const projectBody = (request: IdentityRequest, row: ProjectRow) => ({
  id: row.uuid,
  name: row.name,
  domain_id: DOMAIN.id,
  parent_id: DOMAIN.id,
  description: row.description,
  enabled: row.is_enabled === 1,
  is_domain: false,
  tags: [],
  options: {},
  links: selfLink(request, `projects/${row.uuid}`),
})

export const roleBody = (request: IdentityRequest, row: RoleRow) => ({
  id: row.uuid,
  name: row.name,
  domain_id: null,
  description: null,
  options: {},
  links: selfLink(request, `roles/${row.uuid}`),
})

export const domainBody = (request: IdentityRequest) => ({
  ...DOMAIN,
  description: 'The only domain.',
  enabled: true,
  tags: [],
  options: {},
  links: selfLink(request, `domains/${DOMAIN.id}`),
})

export function credentialBody(world: World, request: IdentityRequest, row: CredentialRow) {
  const { identity } = world
  const user = identity.users.row(row.user_id).uuid
  return {
    id: row.uuid,
    name: row.name,
    description: row.description,
    project_id: identity.projects.row(row.project_id).uuid,
    user_id: user,
    roles: (JSON.parse(row.roles) as string[]).map(name => ({
      id: identity.findRoleByName(name)?.uuid ?? name,
      name,
    })),
    expires_at: row.expires_at === null ? null : timeOf(row.expires_at).slice(0, -1),
    unrestricted: row.is_unrestricted === 1,
    access_rules: [],
    system: null,
    links: selfLink(request, `users/${user}/application_credentials/${row.uuid}`),
  }
}

/** A list with the links that clients look for; all of it is on one page. */
export const listOf = (request: IdentityRequest, name: string, path: string, items: readonly unknown[]) => ({
  [name]: items,
  links: { next: null, previous: null, self: request.addressOf(`/v3/${path}`) },
})

const INTERFACES = ['public', 'internal', 'admin'] as const
const REGION = 'RegionOne'

/** Every service of this server. The address is the one that the caller used, unless the configuration has another. */
export function catalogBody({ services, publicUrl }: IdentityContext, request: IdentityRequest) {
  const base = publicUrl ?? request.addressOf('/').slice(0, -(request.mount.length + 1))
  return services.map(({ type, name, path }) => ({
    id: type,
    type,
    name,
    endpoints: INTERFACES.map(one => ({
      id: `${type}-${one}`,
      interface: one,
      region: REGION,
      region_id: REGION,
      url: `${base}${path}`,
    })),
  }))
}

/** The token document, as Keystone has it. */
export function tokenBody(context: IdentityContext, request: IdentityRequest, meaning: TokenFacts) {
  const { row, user, project, roles, credential } = meaning
  return {
    token: {
      methods: row.methods.split(' '),
      user: { id: user.uuid, name: user.name, domain: DOMAIN, password_expires_at: null },
      audit_ids: row.audit_ids.split(' ').slice(0, 2),
      issued_at: timeOf(row.issued_at),
      expires_at: timeOf(row.expires_at),
      ...(project === null
        ? {}
        : {
            project: { id: project.uuid, name: project.name, domain: DOMAIN },
            is_domain: false,
            roles: roles.map(({ uuid, name }) => ({ id: uuid, name })),
            ...(request.query.first('nocatalog') === undefined
              ? { catalog: catalogBody(context, request) }
              : {}),
          }),
      ...(credential === null
        ? {}
        : {
            application_credential: {
              id: credential.uuid,
              name: credential.name,
              restricted: credential.is_unrestricted === 0,
            },
          }),
    },
  }
}
