import { ApiError, json, noContent, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, objectOf, queryOf, text, whole } from '../../http/formats/schema-forms.ts'
import { isAdmin, requireAllowed } from '../../http/policy.ts'
import type { ConsumerSlot } from '../../kernel/ids.ts'
import type { Json } from '../../kernel/json.ts'
import { GROUP_POLICIES } from '../../scheduling/hosts/request-view.ts'
import type { GroupRow } from '../../world/compute.ts'
import {
  digits,
  parseLimit,
  parseName,
  parseWhole,
  readBody,
  readQuery,
  shortText,
  wrapSchema,
} from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { noGroup, submit } from '../errors.ts'
import type { Features } from '../versions.ts'

const POLICY = 'os_compute_api:os-server-groups'
const ONE = '/os-server-groups/{group_id}'

const group = (properties: Readonly<Record<string, Schema>>): Schema =>
  wrapSchema('server_group', {
    type: 'object',
    properties: { name: shortText, ...properties },
    required: ['name', ...Object.keys(properties).filter(name => name !== 'rules')],
    additionalProperties: false,
  })

const policies = (known: readonly string[]): Schema => ({
  type: 'array',
  items: { type: 'string', enum: known },
  minItems: 1,
  maxItems: 1,
})

const HARD = ['anti-affinity', 'affinity']
const hardSchema = group({ policies: policies(HARD) })
const softSchema = group({ policies: policies(GROUP_POLICIES) })
const ruledSchema = group({
  policy: { type: 'string', enum: GROUP_POLICIES },
  rules: {
    type: 'object',
    properties: { max_server_per_host: digits },
    additionalProperties: false,
  },
})

const createSchemaFor = ({ groupRules, softPolicies }: Features): Schema =>
  groupRules ? ruledSchema : softPolicies ? softSchema : hardSchema

const PARAMETERS = ['all_projects', 'limit', 'offset'] as const

const groupSchema = (features: Features): Schema =>
  objectOf({
    id: text,
    name: text,
    ...(features.groupRules
      ? { policy: text, rules: objectOf({}, { max_server_per_host: whole }) }
      : { policies: listOf(text), metadata: objectOf({}) }),
    members: listOf(text),
    ...(features.groupOwner && { project_id: text, user_id: text }),
  })

export function groupRoutes(context: ComputeContext): ComputeRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: '/os-server-groups',
      operation: `${POLICY}:index`,
      summary: 'List server groups',
      query: features => queryOf(PARAMETERS, features.strictQueries),
      answers: features => ({ 200: objectOf({ server_groups: listOf(groupSchema(features)) }) }),
      handle: request =>
        json(200, {
          server_groups: listGroups(context, request).map(row => groupBody(context, request, row)),
        }),
    },
    {
      method: 'POST',
      path: '/os-server-groups',
      operation: `${POLICY}:create`,
      summary: 'Create a server group',
      requestBody: createSchemaFor,
      answers: features => ({ 200: objectOf({ server_group: groupSchema(features) }) }),
      async handle(request) {
        const { projectId, userId } = request.credentials
        if (projectId === null)
          throw new ApiError(400, 'A server group belongs to a project; the token has none.')
        const fields = {
          uuid: context.newUuid(),
          ...createBody(request),
          project_id: projectId,
          user_id: userId,
        }
        const answer = await submit(context, {
          kind: 'compute:create-group',
          fields,
          perProjectMax: context.groupsPerProjectMax,
        })
        return json(200, { server_group: groupBody(context, request, answer) })
      },
    },
  ]
}

function listGroups(context: ComputeContext, request: ComputeRequest): GroupRow[] {
  const { query, features, credentials } = request
  const rules = { isStrict: features.strictQueries }
  const asked = readQuery(query, PARAMETERS, rules)
  const limit = parseLimit(asked.limit)
  const { offset = '0' } = asked
  if (!/^\d+$/.test(offset)) throw new ApiError(400, `The offset must be a whole number, not '${offset}'.`)
  const ofAll = asked.all_projects !== undefined && isAdmin(context, credentials)
  if (ofAll) requireAllowed(context, request, `${POLICY}:index:all_projects`)
  const all = context.world.compute.groups.all()
  const seen = ofAll ? all : all.filter(row => row.project_id === credentials.projectId)
  return seen.slice(Number(offset), Number(offset) + limit)
}

function createBody(request: ComputeRequest) {
  const { groupRules } = request.features
  const fields = readBody(request, createSchemaFor(request.features)).server_group as Json
  const name = parseName('name', fields.name)
  if (!groupRules)
    return { name, policy: (fields.policies as string[])[0] as string, max_server_per_host: null }
  const policy = fields.policy as string
  const rules = (fields.rules ?? {}) as Json
  if (policy !== 'anti-affinity' && Object.keys(rules).length > 0)
    throw new ApiError(400, 'Only the policy anti-affinity has rules.')
  const most = rules.max_server_per_host
  return {
    name,
    policy,
    max_server_per_host: most === undefined ? null : parseWhole('max_server_per_host', most, 1),
  }
}

function singleRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: ONE,
      operation: `${POLICY}:show`,
      asksPolicy: true,
      summary: 'Show a server group',
      answers: features => ({ 200: objectOf({ server_group: groupSchema(features) }) }),
      handle(request) {
        const row = requireGroup(context, request, `${POLICY}:show`)
        return json(200, { server_group: groupBody(context, request, row) })
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: `${POLICY}:delete`,
      asksPolicy: true,
      summary: 'Delete a server group',
      answers: { 204: null },
      async handle(request) {
        const { uuid } = requireGroup(context, request, `${POLICY}:delete`)
        await submit(context, { kind: 'compute:delete-group', group: uuid })
        return noContent
      },
    },
  ]
}

/** Groups of other projects are visible to admins only; for others they do not exist. */
function requireGroup(context: ComputeContext, request: ComputeRequest, operation: string): GroupRow {
  const uuid = param(request, 'group_id')
  const row = context.world.compute.groups.find(uuid)
  const { credentials } = request
  const isTheirs = row?.project_id === credentials.projectId
  if (row === undefined || (!isTheirs && !isAdmin(context, credentials))) throw noGroup(uuid)
  requireAllowed(context, request, operation, row.project_id)
  return row
}

function groupBody({ world }: ComputeContext, { features }: ComputeRequest, row: GroupRow) {
  const members = world.compute
    .listMembers(row.id)
    .map(({ consumer_id }) => world.consumers.row(consumer_id as ConsumerSlot).uuid)
  const most = row.max_server_per_host
  return {
    id: row.uuid,
    name: row.name,
    ...(features.groupRules
      ? { policy: row.policy, rules: most === null ? {} : { max_server_per_host: most } }
      : { policies: [row.policy], metadata: {} }),
    members,
    ...(features.groupOwner ? { project_id: row.project_id, user_id: row.user_id } : {}),
  }
}
