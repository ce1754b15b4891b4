import { json, LIST_BODY_BYTES } from '../../http/api.ts'
import type { ObjectRow } from '../../world/catalog.ts'
import { objectBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRequest,
  type CatalogRoute,
  catalogRoute,
  requireNamespace,
} from '../context.ts'
import { noPart, submit } from '../errors.ts'
import { objectsLink, pageLinks, schemaLink } from '../links.ts'
import { type PageRules, pageQuery, readPage, slicePage } from '../paging.ts'
import { allPath, deleteAllRoute, deleteOneRoute, onePath } from '../parts.routes.ts'
import { objectAnswer, pageOf, placedObjectAnswer } from '../schemas/answer.schemas.ts'
import { objectRequest } from '../schemas/request.schemas.ts'
import { objectView, placedObjectView } from '../views.ts'

const ALL = allPath('object')
const ONE = onePath('object')

const PAGES: PageRules<ObjectRow> = {
  sortKeys: {
    id: row => row.id,
    name: row => row.name,
    description: row => row.description,
    created_at: row => row.created_at,
    updated_at: row => row.updated_at,
  },
  limitDefault: null,
  limitMin: 1,
}

export function objectRoutes(context: CatalogContext): CatalogRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    catalogRoute({
      method: 'GET',
      path: ALL,
      operation: 'get_metadef_objects',
      summary: 'List objects of a namespace',
      query: pageQuery(PAGES),
      answers: { 200: pageOf('objects', placedObjectAnswer) },
      handle: request => json(200, listObjects(context, request)),
    }),
    catalogRoute({
      method: 'POST',
      path: ALL,
      operation: 'add_metadef_object',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Create an object in a namespace',
      requestBody: objectRequest,
      answers: { 201: objectAnswer },
      async handle(request) {
        const object = objectBody(request.body, request.params.namespace as string)
        const { namespace } = requireNamespace(context, request, 'add_metadef_object')
        const answer = await submit(context, { kind: 'catalog:create-object', namespace, object })
        return json(201, objectView(namespace, answer))
      },
    }),
    deleteAllRoute(context, 'object'),
  ]
}

function singleRoutes(context: CatalogContext): CatalogRoute[] {
  const { world } = context
  const getName = ({ params }: CatalogRequest) => params.object as string
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_object',
      takesNoBody: true,
      summary: 'Show an object of a namespace',
      answers: { 200: placedObjectAnswer },
      handle(request) {
        const { id, namespace } = requireNamespace(context, request, 'get_metadef_object')
        const row = world.catalog.objects.find(id, getName(request))
        if (row === undefined) throw noPart('object', getName(request), namespace)
        return json(200, placedObjectView(namespace, row))
      },
    }),
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_object',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Replace an object of a namespace',
      requestBody: objectRequest,
      answers: { 200: objectAnswer },
      async handle(request) {
        const object = objectBody(request.body, request.params.namespace as string)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_object')
        const answer = await submit(context, {
          kind: 'catalog:update-object',
          namespace,
          name: getName(request),
          object,
        })
        return json(200, objectView(namespace, answer))
      },
    }),
    deleteOneRoute(context, 'object', {
      operation: 'delete_metadef_object',
      takesNoBody: true,
      summary: 'Delete an object of a namespace',
    }),
  ]
}

function listObjects(context: CatalogContext, request: CatalogRequest): unknown {
  const { objects } = context.world.catalog
  const page = readPage(request.query, PAGES)
  const { id, namespace } = requireNamespace(context, request, 'get_metadef_objects')
  const marker = page.marker === null ? null : objects.find(id, page.marker)
  if (marker === undefined) throw noPart('object', page.marker as string, namespace)
  const { items, last } = slicePage(objects.list(id), page, marker)
  return {
    objects: items.map(row => placedObjectView(namespace, row)),
    ...pageLinks(objectsLink(namespace), request.query.lastValues(), last?.name ?? null),
    schema: schemaLink('objects'),
  }
}
