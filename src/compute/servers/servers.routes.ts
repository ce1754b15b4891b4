import { json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { links, listOf, objectOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import { isAdmin, requireAllowed } from '../../http/policy.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { noServer } from '../errors.ts'
import { nextLink } from '../links.ts'
import type { Features } from '../versions.ts'
import { listParameters, listServers } from './servers.list.ts'
import { type Server, Servers } from './servers.ts'
import { briefBody, briefSchema, groupsOf, serverBody, serverSchema } from './servers.view.ts'

const POLICY = 'os_compute_api:servers'

const pageSchema = (server: Schema): Schema => objectOf({ servers: listOf(server) }, { servers_links: links })

/** Servers can only be read: they are what their consumers hold. */
export function serverRoutes(context: ComputeContext): ComputeRoute[] {
  const list = (
    operation: 'index' | 'detail',
    summary: string,
    show: (request: ComputeRequest, server: Server) => object,
    schema: (features: Features) => Schema,
  ): ComputeRoute => {
    const path = operation === 'index' ? 'servers' : 'servers/detail'
    return {
      method: 'GET',
      path: `/${path}`,
      operation: `${POLICY}:${operation}`,
      summary,
      query: features => queryOf(listParameters(features), features.strictQueries),
      answers: features => ({ 200: pageSchema(schema(features)) }),
      handle(request) {
        const page = listServers(context, request, operation)
        const servers = page.servers.map(server => show(request, server))
        if (page.next === null) return json(200, { servers })
        return json(200, { servers, servers_links: [nextLink(request, `${path}?${page.next}`)] })
      },
    }
  }
  return [
    list('index', 'List servers', briefBody, () => briefSchema),
    list(
      'detail',
      'List servers with details',
      (request, server) => serverBody(context, request, server),
      serverSchema,
    ),
    showRoute(context),
    emptyRoute(
      context,
      'os-volume_attachments',
      'volumeAttachments',
      'os-volumes-attachments:index',
      'List the volumes of a server: there are none',
    ),
    emptyRoute(
      context,
      'os-instance-actions',
      'instanceActions',
      'os-instance-actions:list',
      'List the actions on a server: there are none',
    ),
  ]
}

function showRoute(context: ComputeContext): ComputeRoute {
  return {
    method: 'GET',
    path: '/servers/{server_id}',
    operation: `${POLICY}:show`,
    asksPolicy: true,
    summary: 'Show a server',
    answers: features => ({ 200: objectOf({ server: showSchema(features) }) }),
    handle(request) {
      const server = requireServer(context, request)
      const groups = request.features.serverGroupsOfServers && { server_groups: groupsOf(context, server) }
      return json(200, { server: { ...serverBody(context, request, server), ...groups } })
    },
  }
}

/** Lists that the page of a server needs. */
function emptyRoute(
  context: ComputeContext,
  path: string,
  name: string,
  operation: string,
  summary: string,
): ComputeRoute {
  return {
    method: 'GET',
    path: `/servers/{server_id}/${path}`,
    operation: `os_compute_api:${operation}`,
    asksPolicy: true,
    summary,
    answers: { 200: objectOf({ [name]: listOf(objectOf({})) }) },
    handle(request) {
      requireServer(context, request, `os_compute_api:${operation}`)
      return json(200, { [name]: [] })
    },
  }
}

function showSchema(features: Features): Schema {
  const schema = serverSchema(features) as Required<Pick<Schema, 'properties' | 'required'>>
  if (!features.serverGroupsOfServers) return schema
  return {
    ...schema,
    properties: { ...schema.properties, server_groups: listOf(text) },
    required: [...schema.required, 'server_groups'],
  }
}

/** Servers of other projects exist only for admins. */
function requireServer(
  context: ComputeContext,
  request: ComputeRequest,
  operation = `${POLICY}:show`,
): Server {
  const id = param(request, 'server_id')
  const server = new Servers(context.world).find(id)
  const { credentials } = request
  if (server === undefined) throw noServer(id)
  if (server.projectId !== credentials.projectId && !isAdmin(context, credentials)) throw noServer(id)
  requireAllowed(context, request, operation, server.projectId)
  return server
}
