import { json, noContent, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { objectOf, queryOf } from '../../http/formats/schema-forms.ts'
import type { Json } from '../../kernel/json.ts'
import type { ProjectRow } from '../../world/identity.ts'
import type { ProjectFields } from '../rules/projects.ts'
import { name, readBody, renameFields, text, wrapSchema, yesOrNo } from './bodies.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest, type IdentityRoute } from './context.ts'
import { notFound, submit } from './errors.ts'
import { domainSchema, pageOf, projectSchema } from './schemas.ts'
import { domainBody, listOf, projectBody } from './views.ts'

const ONE = '/v3/projects/{project_id}'

const properties: Readonly<Record<string, Schema>> = {
  name,
  description: text,
  enabled: yesOrNo,
  domain_id: { type: ['string', 'null'], enum: [DOMAIN.id, null] },
  parent_id: { type: ['string', 'null'], enum: [DOMAIN.id, null] },
  is_domain: { type: 'boolean', enum: [false] },
}
const createSchema = wrapSchema('project', properties, ['name'])
const updateSchema = wrapSchema('project', properties)
const NAMES = { name: 'name', description: 'description', enabled: 'is_enabled' }

const oneProject = objectOf({ project: projectSchema })

export function projectRoutes(context: IdentityContext): IdentityRoute[] {
  return [...readRoutes(context), ...writeRoutes(context), ...domainRoutes()]
}

function projectOr404({ world }: IdentityContext, request: IdentityRequest): ProjectRow {
  const id = param(request, 'project_id')
  const row = world.identity.projects.find(id)
  if (row === undefined) throw notFound('project', id)
  return row
}

function readRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/projects',
      operation: 'identity:list_projects',
      summary: 'List projects',
      query: queryOf(['name', 'domain_id']),
      answers: { 200: pageOf('projects', projectSchema) },
      handle(request) {
        const wantedName = request.query.first('name')
        const isElsewhere = (request.query.first('domain_id') ?? DOMAIN.id) !== DOMAIN.id
        const rows = isElsewhere
          ? []
          : context.world.identity.projects
              .all()
              .filter(row => wantedName === undefined || row.name === wantedName)
        const bodies = rows.map(row => projectBody(request, row))
        return json(200, listOf(request, 'projects', 'projects', bodies))
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'identity:get_project',
      summary: 'Show a project',
      answers: { 200: oneProject },
      target: request => ({
        project_id: request.credentials.projectId,
        'target.project.id': param(request, 'project_id'),
      }),
      handle: request => json(200, { project: projectBody(request, projectOr404(context, request)) }),
    },
  ]
}

function parseFields(request: IdentityRequest, schema: Schema): Partial<ProjectFields> {
  return renameFields(readBody(request, schema).project as Json, NAMES) as Partial<ProjectFields>
}

function writeRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'POST',
      path: '/v3/projects',
      operation: 'identity:create_project',
      summary: 'Create a project',
      requestBody: createSchema,
      answers: { 201: oneProject },
      async handle(request) {
        const fields = {
          description: '',
          is_enabled: 1,
          ...parseFields(request, createSchema),
        } as ProjectFields
        const command = { uuid: context.newId(), fields }
        const answer = await submit(context, { kind: 'identity:create-project', ...command })
        return json(201, { project: projectBody(request, answer) })
      },
    },
    {
      method: 'PATCH',
      path: ONE,
      operation: 'identity:update_project',
      summary: 'Change a project',
      requestBody: updateSchema,
      answers: { 200: oneProject },
      async handle(request) {
        const fields = parseFields(request, updateSchema)
        const project = param(request, 'project_id')
        const answer = await submit(context, { kind: 'identity:update-project', project, fields })
        return json(200, { project: projectBody(request, answer) })
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: 'identity:delete_project',
      summary: 'Delete a project',
      answers: { 204: null },
      async handle(request) {
        const project = param(request, 'project_id')
        await submit(context, { kind: 'identity:delete-project', project })
        return noContent
      },
    },
  ]
}

/** Clients look up the domain before anything in it. */
function domainRoutes(): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/domains',
      operation: 'identity:get_domain',
      summary: 'List domains',
      query: queryOf(['name']),
      answers: { 200: pageOf('domains', domainSchema) },
      handle(request) {
        const wantedName = request.query.first('name')
        const isWanted = wantedName === undefined || wantedName.toLowerCase() === DOMAIN.name.toLowerCase()
        return json(200, listOf(request, 'domains', 'domains', isWanted ? [domainBody(request)] : []))
      },
    },
    {
      method: 'GET',
      path: '/v3/domains/{domain_id}',
      operation: 'identity:get_domain',
      summary: 'Show a domain',
      answers: { 200: objectOf({ domain: domainSchema }) },
      handle(request) {
        const id = param(request, 'domain_id')
        if (id !== DOMAIN.id) throw notFound('domain', id)
        return json(200, { domain: domainBody(request) })
      },
    },
  ]
}
