import { ApiError, json, LIST_BODY_BYTES } from '../../http/api.ts'
import { objectOf } from '../../http/formats/schema-forms.ts'
import type { TagRow } from '../../world/catalog.ts'
import { tagBody, tagsBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRequest,
  type CatalogRoute,
  catalogRoute,
  requireAllowed,
  requireNamespace,
  requireVisibleNamespace,
} from '../context.ts'
import { noPart, submit } from '../errors.ts'
import { type PageRules, pageQuery, readPage, slicePage } from '../paging.ts'
import { allPath, deleteAllRoute, deleteOneRoute, onePath } from '../parts.routes.ts'
import { tagAnswer, tagNamesAnswer } from '../schemas/answer.schemas.ts'
import { findNameFault } from '../schemas/faults.schemas.ts'
import { tagRequest, tagsRequest } from '../schemas/request.schemas.ts'
import { listedTagView, tagView } from '../views.ts'

const ALL = allPath('tag')
const ONE = onePath('tag')

const PAGES: PageRules<TagRow> = {
  sortKeys: {
    id: row => row.id,
    name: row => row.name,
    created_at: row => row.created_at,
    updated_at: row => row.updated_at,
  },
  limitDefault: null,
  limitMin: 0,
}

export function tagRoutes(context: CatalogContext): CatalogRoute[] {
  return [...listRoutes(context), ...readRoutes(context), ...writeRoutes(context)]
}

function listRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    catalogRoute({
      method: 'GET',
      path: ALL,
      operation: 'get_metadef_tags',
      summary: 'List tags of a namespace',
      query: pageQuery(PAGES),
      answers: { 200: objectOf({ tags: tagNamesAnswer }) },
      handle: request => json(200, listTags(context, request)),
    }),
    catalogRoute({
      method: 'POST',
      path: ALL,
      operation: 'add_metadef_tags',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Replace all tags of a namespace, or add to them',
      requestBody: tagsRequest,
      answers: { 201: objectOf({ tags: tagNamesAnswer }) },
      async handle(request) {
        const names = tagsBody(request.body)
        const { namespace } = requireNamespace(context, request, 'add_metadef_tags')
        const append = isTrue(request.headers['x-openstack-append'])
        await submit(context, { kind: 'catalog:set-tags', namespace, names, append })
        return json(201, { tags: names.map(name => ({ name })) })
      },
    }),
    deleteAllRoute(context, 'tag', 'delete_metadef_tags'),
  ]
}

const getName = ({ params }: CatalogRequest): string => params.tag as string

function readRoutes(context: CatalogContext): CatalogRoute[] {
  const { world } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_tag',
      takesNoBody: true,
      summary: 'Show a tag of a namespace',
      answers: { 200: tagAnswer },
      handle(request) {
        const { id, namespace } = requireNamespace(context, request, 'get_metadef_tag')
        const row = world.catalog.tags.find(id, getName(request))
        if (row === undefined) throw noPart('tag', getName(request), namespace)
        return json(200, tagView(row))
      },
    }),
    catalogRoute({
      method: 'POST',
      path: ONE,
      operation: 'add_metadef_tag',
      takesNoBody: true,
      summary: 'Create a tag in a namespace',
      answers: { 201: tagAnswer },
      async handle(request) {
        const name = getName(request)
        const row = requireVisibleNamespace(context, request, request.params.namespace as string)
        const fault = findNameFault('tag', name)
        if (fault !== null) throw new ApiError(400, fault)
        requireAllowed(context, request, 'add_metadef_tag', row)
        const { namespace } = row
        const answer = await submit(context, { kind: 'catalog:create-tag', namespace, name })
        return json(201, tagView(answer))
      },
    }),
  ]
}

function writeRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_tag',
      summary: 'Rename a tag of a namespace',
      requestBody: tagRequest,
      answers: { 200: tagAnswer },
      async handle(request) {
        const to = tagBody(request.body)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_tag')
        const name = getName(request)
        const answer = await submit(context, { kind: 'catalog:rename-tag', namespace, name, to })
        return json(200, tagView(answer))
      },
    }),
    deleteOneRoute(context, 'tag', {
      operation: 'delete_metadef_tag',
      takesNoBody: true,
      summary: 'Delete a tag of a namespace',
    }),
  ]
}

function listTags(context: CatalogContext, request: CatalogRequest): unknown {
  const { tags } = context.world.catalog
  const page = readPage(request.query, PAGES)
  const { id, namespace } = requireNamespace(context, request, 'get_metadef_tags')
  const marker = page.marker === null ? null : tags.find(id, page.marker)
  if (marker === undefined) throw noPart('tag', page.marker as string, namespace)
  return { tags: slicePage(tags.list(id), page, marker).items.map(listedTagView) }
}

const TRUE_WORDS = new Set(['1', 't', 'true', 'on', 'y', 'yes'])

/** Parses a boolean as OpenStack does: a few words are true, everything else is false. */
function isTrue(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && TRUE_WORDS.has(header.trim().toLowerCase())
}
