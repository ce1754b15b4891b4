import { json, noContent } from '../../http/api.ts'
import { listOf, objectOf } from '../../http/formats/schema-forms.ts'
import { associationBody } from '../bodies.ts'
import {
  type CatalogContext,
  type CatalogRoute,
  catalogRoute,
  requireAllowed,
  requireNamespace,
} from '../context.ts'
import { submit } from '../errors.ts'
import { namespacesPath } from '../links.ts'
import { associationAnswer, resourceTypeAnswer } from '../schemas/answer.schemas.ts'
import { associationRequest } from '../schemas/request.schemas.ts'
import { associationView, resourceTypeView } from '../views.ts'
import { listAssociations } from '../whole.ts'

const OF_NAMESPACE = `${namespacesPath}/{namespace}/resource_types`

export function resourceTypeRoutes(context: CatalogContext): CatalogRoute[] {
  const { world } = context
  return [
    catalogRoute({
      method: 'GET',
      path: '/v2/metadefs/resource_types',
      operation: 'list_metadef_resource_types',
      takesNoBody: true,
      summary: 'List resource types',
      answers: { 200: objectOf({ resource_types: listOf(resourceTypeAnswer) }) },
      handle(request) {
        requireAllowed(context, request, 'list_metadef_resource_types')
        return json(200, { resource_types: world.catalog.resourceTypes.all().map(resourceTypeView) })
      },
    }),
    catalogRoute({
      method: 'GET',
      path: OF_NAMESPACE,
      operation: 'list_metadef_resource_types',
      takesNoBody: true,
      summary: 'List the resource types of a namespace',
      answers: { 200: objectOf({ resource_type_associations: listOf(associationAnswer) }) },
      handle(request) {
        const row = requireNamespace(context, request, 'list_metadef_resource_types')
        const associations = listAssociations(world.catalog, row)
        return json(200, { resource_type_associations: associations.map(associationView) })
      },
    }),
    catalogRoute({
      method: 'POST',
      path: OF_NAMESPACE,
      operation: 'add_metadef_resource_type_association',
      summary: 'Associate a namespace with a resource type',
      requestBody: associationRequest,
      answers: { 201: associationAnswer },
      async handle(request) {
        const association = associationBody(request.body)
        const { namespace } = requireNamespace(context, request, 'add_metadef_resource_type_association')
        const answer = await submit(context, { kind: 'catalog:associate', namespace, association })
        return json(201, associationView(answer))
      },
    }),
    catalogRoute({
      method: 'DELETE',
      path: `${OF_NAMESPACE}/{resource_type}`,
      operation: 'remove_metadef_resource_type_association',
      takesNoBody: true,
      summary: 'Dissociate a namespace from a resource type',
      answers: { 204: null },
      async handle(request) {
        const { namespace } = requireNamespace(context, request, 'remove_metadef_resource_type_association')
        const name = request.params.resource_type as string
        await submit(context, { kind: 'catalog:dissociate', namespace, name })
        return noContent
      },
    }),
  ]
}
