import { json, LIST_BODY_BYTES, noContent } from '../../http/api.ts'
import { propertyBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRequest,
  type CatalogRoute,
  catalogRoute,
  requireAllowed,
  requireNamespace,
} from '../context.ts'
import { answerOf, noPart } from '../errors.ts'
import { namespacesPath } from '../links.ts'
import { propertiesView, propertyView } from '../views.ts'

const ALL = `${namespacesPath}/{namespace}/properties`
const ONE = `${ALL}/{property}`

export function propertyRoutes(context: CatalogContext): CatalogRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: CatalogContext): CatalogRoute[] {
  const { world, sequencer } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ALL,
      operation: 'get_metadef_properties',
      takesNoBody: true,
      handle(request) {
        const { id } = requireNamespace(context, request, 'get_metadef_properties')
        return json(200, { properties: propertiesView(world.catalog.properties.list(id)) })
      },
    }),
    catalogRoute({
      method: 'POST',
      path: ALL,
      operation: 'add_metadef_property',
      bodyLimit: LIST_BODY_BYTES,
      async handle(request) {
        const property = propertyBody(request.body)
        const { namespace } = requireNamespace(context, request, 'add_metadef_property')
        const answer = answerOf(
          await sequencer.submit({ kind: 'catalog:create-property', namespace, property }),
        )
        return json(201, propertyView(answer))
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: ALL,
      operation: 'delete_metadef_namespace',
      async handle(request) {
        const { namespace } = requireNamespace(context, request, 'delete_metadef_namespace')
        const what = 'properties'
        answerOf(await sequencer.submit({ kind: 'catalog:clear-namespace', namespace, what }))
        return noContent
      },
    }),
  ]
}

function singleRoutes(context: CatalogContext): CatalogRoute[] {
  const { sequencer } = context
  const getName = ({ params }: CatalogRequest) => params.property as string
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_property',
      handle: request => json(200, showProperty(context, request, getName(request))),
    }),
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_property',
      bodyLimit: LIST_BODY_BYTES,
      async handle(request) {
        const property = propertyBody(request.body)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_property')
        const answer = answerOf(
          await sequencer.submit({
            kind: 'catalog:update-property',
            namespace,
            name: getName(request),
            property,
          }),
        )
        return json(200, propertyView(answer))
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: ONE,
      operation: 'remove_metadef_property',
      async handle(request) {
        const { namespace } = requireNamespace(context, request, 'remove_metadef_property')
        const name = getName(request)
        answerOf(await sequencer.submit({ kind: 'catalog:delete-property', namespace, name }))
        return noContent
      },
    }),
  ]
}

/** With a resource type, the path has the prefixed name; the answer has the plain one. */
function showProperty(context: CatalogContext, request: CatalogRequest, asked: string): unknown {
  const { catalog } = context.world
  const row = requireNamespace(context, request, 'get_metadef_property')
  const resourceType = request.query.last('resource_type') ?? ''
  let name = asked
  if (resourceType !== '') {
    requireAllowed(context, request, 'get_metadef_resource_type', row)
    const prefix = catalog.findAssociation(row.id, resourceType)?.prefix ?? ''
    if (prefix === '' || !asked.startsWith(prefix)) throw noPart('property', asked, row.namespace)
    name = asked.slice(prefix.length)
  }
  const property = catalog.properties.find(row.id, name)
  if (property === undefined) throw noPart('property', asked, row.namespace)
  return propertyView(property)
}
