import { ApiError, type DescribedRoute, json, noContent } from '../../http/api.ts'
import { parseJsonBody, requireValidJson } from '../../http/formats/json-body.ts'
import { ownedConflict, type PlacementContext, param } from '../context.ts'
import type { ForeignOwned } from '../owned.ts'
import type { Features } from '../versions.ts'
import { classAnswerSchema, classesAnswerSchema, resourceClassSchema } from './classes.schemas.ts'
import type { DeleteRefusal, RenameRefusal } from './classes.ts'

const ALL = '/resource_classes'
const ONE = '/resource_classes/{name}'

export function classRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [...readRoutes(context), ...writeRoutes(context)]
}

function readRoutes({ world, clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: ALL,
      operation: 'placement:resource_classes:list',
      since: 'resourceClasses',
      givesJson: true,
      summary: 'List resource classes',
      answers: { 200: classesAnswerSchema },
      handle({ mount }) {
        const rows = [...world.classes.listInOrder()]
        const modified = rows.reduce((latest, row) => Math.max(latest, row.updated_at), 0)
        return json(
          200,
          { resource_classes: rows.map(row => renderClass(row.name, mount)) },
          modified || clock.nowMs(),
        )
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'placement:resource_classes:show',
      since: 'resourceClasses',
      givesJson: true,
      summary: 'Show a resource class',
      answers: { 200: classAnswerSchema },
      handle({ params, mount }) {
        const name = param(params, 'name')
        const id = world.classes.id(name)
        if (id === undefined) throw makeNotFound(name)
        return json(200, renderClass(name, mount), world.classes.row(id).updated_at)
      },
    },
  ]
}

function writeRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  const { world, sequencer } = context
  return [
    {
      method: 'POST',
      path: ALL,
      operation: 'placement:resource_classes:create',
      since: 'resourceClasses',
      takesJson: true,
      summary: 'Create a resource class',
      requestBody: resourceClassSchema,
      answers: { 201: null },
      async handle({ body }) {
        const { name } = parseJsonBody(body, resourceClassSchema) as { name: string }
        const outcome = await sequencer.submit({ kind: 'placement:create-class', name })
        if (!outcome.ok)
          throw outcome.refusal.kind === 'owned'
            ? ownedConflict(outcome.refusal)
            : new ApiError(409, `Conflicting resource class already exists: ${name}`)
        return { status: 201, location: `/resource_classes/${name}` }
      },
    },
    ...putRoutes(context),
    {
      method: 'DELETE',
      path: ONE,
      operation: 'placement:resource_classes:delete',
      since: 'resourceClasses',
      summary: 'Delete a resource class',
      answers: { 204: null },
      async handle({ params }) {
        const name = param(params, 'name')
        if (world.classes.id(name) === undefined) throw makeNotFound(name)
        const outcome = await sequencer.submit({ kind: 'placement:delete-class', name })
        if (!outcome.ok) throw deleteRefused(outcome.refusal)
        return noContent
      },
    },
  ]
}

/** Up to version 1.6 a PUT renames a class, from 1.7 on it creates one. */
function putRoutes({ sequencer }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'PUT',
      path: ONE,
      operation: 'placement:resource_classes:update',
      since: 'resourceClasses',
      until: 'bodilessClassPut',
      takesJson: true,
      summary: 'Rename a resource class',
      requestBody: resourceClassSchema,
      answers: { 200: classAnswerSchema },
      async handle({ params, body, mount }) {
        const name = param(params, 'name')
        const { name: newName } = parseJsonBody(body, resourceClassSchema) as { name: string }
        const outcome = await sequencer.submit({ kind: 'placement:rename-class', name, newName })
        if (!outcome.ok) throw renameRefused(outcome.refusal)
        return json(200, renderClass(newName, mount))
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: 'placement:resource_classes:update',
      since: 'bodilessClassPut',
      summary: 'Create a resource class, or rename it before version 1.7',
      answers: { 201: null, 204: null },
      async handle({ params }) {
        const name = param(params, 'name')
        requireValidJson({ name }, resourceClassSchema)
        const outcome = await sequencer.submit({ kind: 'placement:ensure-class', name })
        if (!outcome.ok) throw ownedConflict(outcome.refusal)
        return { status: outcome.answer.created ? 201 : 204, location: `/resource_classes/${name}` }
      },
    },
  ]
}

function renderClass(name: string, mount: string): Record<string, unknown> {
  return { name, links: [{ rel: 'self', href: `${mount}/resource_classes/${name}` }] }
}

function makeNotFound(name: string): ApiError {
  return new ApiError(404, `No such resource class ${name}.`)
}

function renameRefused(refusal: RenameRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'class-missing':
      return makeNotFound(refusal.name)
    case 'class-standard':
      return new ApiError(400, `Cannot update standard resource class ${refusal.name}`)
    case 'class-exists':
      return new ApiError(409, `Resource class already exists: ${refusal.name}`)
    default:
      return refusal satisfies never
  }
}

function deleteRefused(refusal: DeleteRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'class-standard':
      return new ApiError(
        400,
        `Error in delete resource class: Cannot delete standard resource class ${refusal.name}.`,
      )
    case 'class-in-use':
      return new ApiError(
        409,
        `Error in delete resource class: Cannot delete resource class ${refusal.name}. ` +
          'Class is in use in inventory.',
      )
    case 'class-missing':
      return makeNotFound(refusal.name)
    default:
      return refusal satisfies never
  }
}
