import { ApiError, json, LIST_BODY_BYTES, noContent } from '../../http/api.ts'
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
import { answerOf, noPart } from '../errors.ts'
import { namespacesPath } from '../links.ts'
import { type PageRules, readPage, slicePage } from '../paging.ts'
import { findNameFault } from '../schemas/faults.schemas.ts'
import { listedTagView, tagView } from '../views.ts'

const ALL = `${namespacesPath}/{namespace}/tags`
const ONE = `${ALL}/{tag}`

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
  const { sequencer } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ALL,
      operation: 'get_metadef_tags',
      handle: request => json(200, listTags(context, request)),
    }),
    catalogRoute({
      method: 'POST',
      path: ALL,
      operation: 'add_metadef_tags',
      bodyLimit: LIST_BODY_BYTES,
      async handle(request) {
        const names = tagsBody(request.body)
        const { namespace } = requireNamespace(context, request, 'add_metadef_tags')
        const append = isTrue(request.headers['x-openstack-append'])
        answerOf(await sequencer.submit({ kind: 'catalog:set-tags', namespace, names, append }))
        return json(201, { tags: names.map(name => ({ name })) })
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: ALL,
      operation: 'delete_metadef_tags',
      async handle(request) {
        const row = requireNamespace(context, request, 'delete_metadef_namespace')
        requireAllowed(context, request, 'delete_metadef_tags', row)
        const { namespace } = row
        const what = 'tags'
        answerOf(await sequencer.submit({ kind: 'catalog:clear-namespace', namespace, what }))
        return noContent
      },
    }),
  ]
}

const getName = ({ params }: CatalogRequest): string => params.tag as string

function readRoutes(context: CatalogContext): CatalogRoute[] {
  const { world, sequencer } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_tag',
      takesNoBody: true,
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
      async handle(request) {
        const name = getName(request)
        const row = requireVisibleNamespace(context, request, request.params.namespace as string)
        const fault = findNameFault('tag', name)
        if (fault !== null) throw new ApiError(400, fault)
        requireAllowed(context, request, 'add_metadef_tag', row)
        const { namespace } = row
        const answer = answerOf(await sequencer.submit({ kind: 'catalog:create-tag', namespace, name }))
        return json(201, tagView(answer))
      },
    }),
  ]
}

function writeRoutes(context: CatalogContext): CatalogRoute[] {
  const { sequencer } = context
  return [
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_tag',
      async handle(request) {
        const to = tagBody(request.body)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_tag')
        const name = getName(request)
        const answer = answerOf(await sequencer.submit({ kind: 'catalog:rename-tag', namespace, name, to }))
        return json(200, tagView(answer))
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: ONE,
      operation: 'delete_metadef_tag',
      takesNoBody: true,
      async handle(request) {
        const { namespace } = requireNamespace(context, request, 'delete_metadef_tag')
        const name = getName(request)
        answerOf(await sequencer.submit({ kind: 'catalog:delete-tag', namespace, name }))
        return noContent
      },
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
