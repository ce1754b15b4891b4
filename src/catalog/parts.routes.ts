import { noContent, param } from '../http/api.ts'
import {
  type CatalogContext,
  type CatalogRoute,
  catalogRoute,
  requireAllowed,
  requireNamespace,
} from './context.ts'
import { submit } from './errors.ts'
import { namespacesPath } from './links.ts'

/** The shared part of the routes of properties, objects and tags. */
const PARTS = { property: 'properties', object: 'objects', tag: 'tags' } as const
type Part = keyof typeof PARTS

export const allPath = (part: Part): string => `${namespacesPath}/{namespace}/${PARTS[part]}`
export const onePath = (part: Part): string => `${allPath(part)}/{${part}}`

export const deleteAllRoute = (
  context: CatalogContext,
  part: Part,
  operation = 'delete_metadef_namespace',
): CatalogRoute =>
  catalogRoute({
    method: 'DELETE',
    path: allPath(part),
    operation,
    summary: `Delete all ${PARTS[part]} of a namespace`,
    answers: { 204: null },
    async handle(request) {
      const row = requireNamespace(context, request, 'delete_metadef_namespace')
      requireAllowed(context, request, operation, row)
      const { namespace } = row
      await submit(context, { kind: 'catalog:clear-namespace', namespace, what: PARTS[part] })
      return noContent
    },
  })

export const deleteOneRoute = (
  context: CatalogContext,
  part: Part,
  route: Pick<CatalogRoute, 'takesNoBody' | 'summary'> & { readonly operation: string },
): CatalogRoute =>
  catalogRoute({
    ...route,
    method: 'DELETE',
    path: onePath(part),
    answers: { 204: null },
    async handle(request) {
      const { namespace } = requireNamespace(context, request, route.operation)
      const name = param(request, part)
      await submit(context, { kind: `catalog:delete-${part}`, namespace, name })
      return noContent
    },
  })
