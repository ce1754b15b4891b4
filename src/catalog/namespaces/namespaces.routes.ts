import { ApiError, json, noContent } from '../../http/api.ts'
import { oneOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import type { Query } from '../../http/request/query.ts'
import type { NamespaceRow } from '../../world/catalog.ts'
import type { World } from '../../world/world.ts'
import { type NamespaceBody, namespaceBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRequest,
  type CatalogRoute,
  canSee,
  catalogRoute,
  requireAllowed,
  requireNamespace,
  requireVisibleNamespace,
} from '../context.ts'
import { submit } from '../errors.ts'
import type { NamespaceFields } from '../fields.ts'
import { namespaceLink, namespacesPath, pageLinks, schemaLink } from '../links.ts'
import { type PageRules, pageQuery, readPage, slicePage } from '../paging.ts'
import { listedNamespaceAnswer, namespaceAnswer, pageOf, wholeAnswer } from '../schemas/answer.schemas.ts'
import { namespaceRequest } from '../schemas/request.schemas.ts'
import { listedNamespaceView, namespaceView, wholeView } from '../views.ts'
import { collectWhole, listAssociations } from '../whole.ts'

const ONE = `${namespacesPath}/{namespace}`

const PAGES: PageRules<NamespaceRow> = {
  sortKeys: {
    id: row => row.id,
    namespace: row => row.namespace,
    display_name: row => row.display_name,
    description: row => row.description,
    visibility: row => row.visibility,
    protected: row => row.protected,
    owner: row => row.owner,
    created_at: row => row.created_at,
    updated_at: row => row.updated_at,
  },
  limitDefault: 25,
  limitMin: 0,
}

const filters = {
  visibility: oneOf('', 'public', 'private'),
  resource_types: {
    ...text,
    description: 'Names of resource types, separated by commas; a namespace needs one of them.',
  },
}

export function namespaceRoutes(context: CatalogContext): CatalogRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    catalogRoute({
      method: 'GET',
      path: namespacesPath,
      operation: 'get_metadef_namespaces',
      summary: 'List namespaces',
      query: pageQuery(PAGES, filters),
      answers: { 200: pageOf('namespaces', listedNamespaceAnswer) },
      handle: request => json(200, listNamespaces(context, request)),
    }),
    catalogRoute({
      method: 'POST',
      path: namespacesPath,
      operation: 'add_metadef_namespace',
      bodyLimit: 'max_body_bytes',
      summary: 'Create a namespace with its contents',
      requestBody: namespaceRequest,
      answers: { 201: wholeAnswer },
      async handle(request) {
        const body = namespaceBody(request.body)
        requireContentAllowed(context, request, body)
        const fields = fillDefaults(body, request)
        const { content } = body
        const answer = await submit(context, { kind: 'catalog:create-namespace', fields, content })
        return { ...json(201, wholeView(answer)), location: namespaceLink(fields.namespace) }
      },
    }),
  ]
}

function singleRoutes(context: CatalogContext): CatalogRoute[] {
  const { world } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_namespace',
      takesNoBody: true,
      summary: 'Show a namespace with its contents',
      query: queryOf(['resource_type']),
      answers: { 200: wholeAnswer },
      handle(request) {
        const row = requireNamespace(context, request, 'get_metadef_namespace')
        for (const operation of READS_INSIDE) requireAllowed(context, request, operation, row)
        return json(200, wholeView(collectWhole(world.catalog, row), request.query.last('resource_type')))
      },
    }),
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_namespace',
      summary: 'Replace the attributes of a namespace',
      requestBody: namespaceRequest,
      answers: { 200: namespaceAnswer },
      async handle(request) {
        const body = namespaceBody(request.body)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_namespace')
        const fields = fillDefaults(body, request)
        const answer = await submit(context, { kind: 'catalog:update-namespace', namespace, fields })
        return json(200, namespaceView(answer))
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: ONE,
      operation: 'delete_metadef_namespace',
      takesNoBody: true,
      summary: 'Delete a namespace with its contents',
      answers: { 204: null },
      async handle(request) {
        const { namespace } = requireNamespace(context, request, 'delete_metadef_namespace')
        await submit(context, { kind: 'catalog:delete-namespace', namespace })
        return noContent
      },
    }),
  ]
}

/** Operations that reading a namespace with its contents needs. */
const READS_INSIDE = [
  'list_metadef_resource_types',
  'get_metadef_objects',
  'get_metadef_properties',
  'get_metadef_tags',
]

/** Content in a namespace body needs the same rights as on its own. */
function requireContentAllowed(context: CatalogContext, request: CatalogRequest, body: NamespaceBody): void {
  const { associations, objects, properties, tags } = body.content
  requireAllowed(context, request, 'add_metadef_namespace')
  if (associations.length > 0) requireAllowed(context, request, 'add_metadef_resource_type_association')
  if (objects.length > 0) requireAllowed(context, request, 'add_metadef_object')
  if (properties.length > 0) requireAllowed(context, request, 'add_metadef_property')
  if (tags.length > 0) requireAllowed(context, request, 'add_metadef_tag')
}

/** Absent fields get their defaults, in an update too. */
function fillDefaults(
  { namespace, attributes }: NamespaceBody,
  { credentials }: CatalogRequest,
): NamespaceFields {
  const owner = attributes.owner ?? credentials.projectId
  if (owner === null)
    throw new ApiError(400, 'The body must name an owner, because the token has no project.')
  return {
    namespace,
    display_name: attributes.display_name ?? null,
    description: attributes.description ?? null,
    visibility: attributes.visibility ?? 'private',
    protected: attributes.protected ?? false,
    owner,
  }
}

function listNamespaces(context: CatalogContext, request: CatalogRequest): unknown {
  const { catalog } = context.world
  const { query } = request
  const page = readPage(query, PAGES)
  const isWanted = readFilters(context.world, query)
  requireAllowed(context, request, 'get_metadef_namespaces')
  requireAllowed(context, request, 'list_metadef_resource_types')
  const marker = page.marker === null ? null : requireVisibleNamespace(context, request, page.marker)
  const rows = catalog.namespaces.all().filter(row => canSee(context, request, row) && isWanted(row))
  const { items, last } = slicePage(rows, page, marker)
  return {
    namespaces: items.map(row => listedNamespaceView(row, listAssociations(catalog, row))),
    ...pageLinks(namespacesPath, query.lastValues(), last?.namespace ?? null),
    schema: schemaLink('namespaces'),
  }
}

function readFilters({ catalog }: World, query: Query): (row: NamespaceRow) => boolean {
  const visibility = query.last('visibility') ?? ''
  if (!['', 'public', 'private'].includes(visibility))
    throw new ApiError(400, `Invalid visibility value: ${visibility}`)
  const types = query.last('resource_types')?.split(',')
  return row =>
    (visibility === '' || row.visibility === visibility) &&
    (types === undefined || types.some(type => catalog.findAssociation(row.id, type) !== undefined))
}
