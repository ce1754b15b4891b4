import { json, LIST_BODY_BYTES } from '../../http/api.ts'
import { objectOf, queryOf } from '../../http/formats/schema-forms.ts'
import { propertyBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRequest,
  type CatalogRoute,
  catalogRoute,
  requireAllowed,
  requireNamespace,
} from '../context.ts'
import { noPart, submit } from '../errors.ts'
import { allPath, deleteAllRoute, deleteOneRoute, onePath } from '../parts.routes.ts'
import { propertiesAnswer, propertyAnswer } from '../schemas/answer.schemas.ts'
import { propertyRequest } from '../schemas/request.schemas.ts'
import { propertiesView, propertyView } from '../views.ts'

const ALL = allPath('property')
const ONE = onePath('property')

export function propertyRoutes(context: CatalogContext): CatalogRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: CatalogContext): CatalogRoute[] {
  const { world } = context
  return [
    catalogRoute({
      method: 'GET',
      path: ALL,
      operation: 'get_metadef_properties',
      takesNoBody: true,
      summary: 'List properties of a namespace',
      answers: { 200: objectOf({ properties: propertiesAnswer }) },
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
      summary: 'Create a property in a namespace',
      requestBody: propertyRequest,
      answers: { 201: propertyAnswer },
      async handle(request) {
        const property = propertyBody(request.body)
        const { namespace } = requireNamespace(context, request, 'add_metadef_property')
        const answer = await submit(context, { kind: 'catalog:create-property', namespace, property })
        return json(201, propertyView(answer))
      },
    }),
    deleteAllRoute(context, 'property'),
  ]
}

function singleRoutes(context: CatalogContext): CatalogRoute[] {
  const getName = ({ params }: CatalogRequest) => params.property as string
  return [
    catalogRoute({
      method: 'GET',
      path: ONE,
      operation: 'get_metadef_property',
      summary: 'Show a property of a namespace',
      query: queryOf(['resource_type']),
      answers: { 200: propertyAnswer },
      handle: request => json(200, showProperty(context, request, getName(request))),
    }),
    catalogRoute({
      method: 'PUT',
      path: ONE,
      operation: 'modify_metadef_property',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Replace a property of a namespace',
      requestBody: propertyRequest,
      answers: { 200: propertyAnswer },
      async handle(request) {
        const property = propertyBody(request.body)
        const { namespace } = requireNamespace(context, request, 'modify_metadef_property')
        const answer = await submit(context, {
          kind: 'catalog:update-property',
          namespace,
          name: getName(request),
          property,
        })
        return json(200, propertyView(answer))
      },
    }),
    deleteOneRoute(context, 'property', {
      operation: 'remove_metadef_property',
      summary: 'Delete a property of a namespace',
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
