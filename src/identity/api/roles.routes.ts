import { json, noContent, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { objectOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import type { Json } from '../../kernel/json.ts'
import type { RoleRow } from '../../world/identity.ts'
import { requireLasting } from '../delegation.ts'
import { name, readBody, wrapSchema } from './bodies.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest, type IdentityRoute } from './context.ts'
import { notFound, submit } from './errors.ts'
import { assignmentSchema, pageOf, roleSchema } from './schemas.ts'
import { listOf, roleBody } from './views.ts'

export function roleRoutes(context: IdentityContext): IdentityRoute[] {
  return [...readRoutes(context), ...writeRoutes(context), ...grantRoutes(context), assignmentsRoute(context)]
}

function readRoutes({ world }: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/roles',
      operation: 'identity:list_roles',
      summary: 'List roles',
      query: queryOf(['name']),
      answers: { 200: pageOf('roles', roleSchema) },
      handle(request) {
        const wantedName = request.query.first('name')
        const rows = world.identity.roles
          .all()
          .filter(row => wantedName === undefined || row.name === wantedName)
        const bodies = rows.map(row => roleBody(request, row))
        return json(200, listOf(request, 'roles', 'roles', bodies))
      },
    },
    {
      method: 'GET',
      path: '/v3/roles/{role_id}',
      operation: 'identity:get_role',
      summary: 'Show a role',
      answers: { 200: objectOf({ role: roleSchema }) },
      handle(request) {
        const id = param(request, 'role_id')
        const row = world.identity.roles.find(id)
        if (row === undefined) throw notFound('role', id)
        return json(200, { role: roleBody(request, row) })
      },
    },
  ]
}

const createSchema = wrapSchema('role', { name: { ...name, pattern: '^[a-zA-Z0-9_.:-]+$' } }, ['name'])

function writeRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'POST',
      path: '/v3/roles',
      operation: 'identity:create_role',
      summary: 'Create a role',
      requestBody: createSchema,
      answers: { 201: objectOf({ role: roleSchema }) },
      async handle(request) {
        const role = readBody(request, createSchema).role as Json
        // The policy compares roles in lower case.
        const command = { uuid: context.newId(), name: (role.name as string).toLowerCase() }
        const answer = await submit(context, { kind: 'identity:create-role', ...command })
        return json(201, { role: roleBody(request, answer) })
      },
    },
    {
      method: 'DELETE',
      path: '/v3/roles/{role_id}',
      operation: 'identity:delete_role',
      summary: 'Delete a role',
      answers: { 204: null },
      async handle(request) {
        await submit(context, {
          kind: 'identity:delete-role',
          role: param(request, 'role_id'),
        })
        return noContent
      },
    },
  ]
}

const ROLES_OF_USER = '/v3/projects/{project_id}/users/{user_id}/roles'
const GRANT = `${ROLES_OF_USER}/{role_id}`

const parseGrant = (request: IdentityRequest) => ({
  user: param(request, 'user_id'),
  project: param(request, 'project_id'),
  role: param(request, 'role_id'),
})

function grantRoutes(context: IdentityContext): IdentityRoute[] {
  const write = (
    method: 'PUT' | 'DELETE',
    operation: string,
    kind: 'identity:grant' | 'identity:revoke-grant',
    summary: string,
  ): IdentityRoute => ({
    method,
    path: GRANT,
    operation,
    summary,
    answers: { 204: null },
    async handle(request) {
      if (kind === 'identity:grant') requireLasting(request.credentials, 'give roles')
      await submit(context, { kind, ...parseGrant(request) })
      return noContent
    },
  })
  return [
    write('PUT', 'identity:create_grant', 'identity:grant', 'Give a user a role in a project'),
    write('DELETE', 'identity:revoke_grant', 'identity:revoke-grant', 'Take a role in a project from a user'),
    {
      method: 'HEAD',
      path: GRANT,
      operation: 'identity:check_grant',
      summary: 'Check that a user has a role in a project',
      answers: { 204: null },
      handle(request) {
        const role = param(request, 'role_id')
        if (!findRoles(context, request).some(({ uuid }) => uuid === role)) throw notFound('role', role)
        return noContent
      },
    },
    {
      method: 'GET',
      path: ROLES_OF_USER,
      operation: 'identity:list_grants',
      summary: 'List the roles of a user in a project',
      answers: { 200: pageOf('roles', roleSchema) },
      handle(request) {
        const { user_id, project_id } = request.params
        const path = `projects/${project_id}/users/${user_id}/roles`
        const bodies = findRoles(context, request).map(row => roleBody(request, row))
        return json(200, listOf(request, 'roles', path, bodies))
      },
    },
  ]
}

function findRoles({ world }: IdentityContext, request: IdentityRequest): RoleRow[] {
  const { users, projects } = world.identity
  const [user, project] = [users.find(param(request, 'user_id')), projects.find(param(request, 'project_id'))]
  if (user === undefined) throw notFound('user', param(request, 'user_id'))
  if (project === undefined) throw notFound('project', param(request, 'project_id'))
  return world.identity.listRoles(user.id, project.id)
}

const assignmentsQuery: Schema = {
  type: 'object',
  properties: {
    'user.id': text,
    'scope.project.id': text,
    'role.id': text,
    include_names: { ...text, description: 'If present, with any value: adds names and domains.' },
  },
}

/** Role assignments as granted, without implied roles. */
function assignmentsRoute({ world }: IdentityContext): IdentityRoute {
  return {
    method: 'GET',
    path: '/v3/role_assignments',
    operation: 'identity:list_role_assignments',
    summary: 'List role assignments',
    query: assignmentsQuery,
    answers: { 200: pageOf('role_assignments', assignmentSchema) },
    handle(request) {
      const { identity } = world
      const { query } = request
      const withNames = query.first('include_names') !== undefined
      const isWanted = (filter: string, id: string) => (query.first(filter) ?? id) === id
      const renderReference = (row: { readonly uuid: string; readonly name: string }, domain = true) => ({
        id: row.uuid,
        ...(withNames ? { name: row.name, ...(domain ? { domain: DOMAIN } : {}) } : {}),
      })
      const rows = [...identity.assignments.rows()].map(({ user_id, project_id, role_id }) => ({
        user: identity.users.row(user_id),
        project: identity.projects.row(project_id),
        role: identity.roles.row(role_id),
      }))
      const bodies = rows
        .filter(({ user }) => isWanted('user.id', user.uuid))
        .filter(({ project }) => isWanted('scope.project.id', project.uuid))
        .filter(({ role }) => isWanted('role.id', role.uuid))
        .map(({ user, project, role }) => ({
          user: renderReference(user),
          scope: { project: renderReference(project) },
          role: renderReference(role, false),
          links: {
            assignment: request.addressOf(
              `/v3/projects/${project.uuid}/users/${user.uuid}/roles/${role.uuid}`,
            ),
          },
        }))
      return json(200, listOf(request, 'role_assignments', 'role_assignments', bodies))
    },
  }
}
