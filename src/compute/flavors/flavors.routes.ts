import { ApiError, json, param } from '../../http/api.ts'
import { queryOf } from '../../http/formats/schema-forms.ts'
import { requireMetadata } from '../../http/metadata-check.ts'
import { requireAllowed } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import { jsonText } from '../../kernel/records.ts'
import { listFlavorWarnings } from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-instance-type.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { readAction, readBody } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { noFlavor, submit, toApiError } from '../errors.ts'
import { nextLink } from '../links.ts'
import { findHeldFlavor } from '../servers/held-flavor.ts'
import { addWarnings, asNotes } from '../warnings.ts'
import { makeFlavorView } from './flavor-of-row.ts'
import { parseCreate, updateBody } from './flavors.body.ts'
import { findVisible, listFlavors, PARAMETERS } from './flavors.list.ts'
import {
  accessActions,
  accessAnswerSchema,
  briefFlavorSchema,
  createSchemaFor,
  flavorAnswerSchema,
  flavorSchema,
  flavorsAnswerSchema,
  oneSpecAnswerSchema,
  oneSpecSchema,
  specsAnswerSchema,
  specsSchema,
  updateSchema,
} from './flavors.schemas.ts'
import { listProjects } from './flavors.ts'
import { briefBody, flavorBody } from './flavors.view.ts'
import { findFaults } from './known-specs.ts'

const SPECS = 'os_compute_api:os-flavor-extra-specs'
const ACCESS = 'os_compute_api:os-flavor-access'

export function flavorRoutes(context: ComputeContext): ComputeRoute[] {
  return [...listRoutes(context), ...singleRoutes(context), ...specRoutes(context), ...accessRoutes(context)]
}

function visibleOr404(context: ComputeContext, request: ComputeRequest): FlavorRow {
  const id = param(request, 'flavor_id')
  const row = findVisible(context, request, id)
  if (row === undefined) throw noFlavor(id)
  return row
}

function listRoutes(context: ComputeContext): ComputeRoute[] {
  const list = (
    path: string,
    show: (request: ComputeRequest, row: FlavorRow) => unknown,
    description: Pick<ComputeRoute, 'summary' | 'answers'>,
  ): ComputeRoute => ({
    method: 'GET',
    path: `/${path}`,
    operation: 'os_compute_api:flavors',
    ...description,
    query: features => queryOf(PARAMETERS, features.strictQueries),
    handle(request) {
      const { rows, next } = listFlavors(context, request, path)
      const flavors = rows.map(row => show(request, row))
      return json(200, next === null ? { flavors } : { flavors, flavors_links: [nextLink(request, next)] })
    },
  })
  return [
    list('flavors', briefBody, {
      summary: 'List flavors',
      answers: features => ({ 200: flavorsAnswerSchema(briefFlavorSchema(features)) }),
    }),
    list('flavors/detail', (request, row) => flavorBody(context, request, row), {
      summary: 'List flavors with details',
      answers: features => ({ 200: flavorsAnswerSchema(flavorSchema(features)) }),
    }),
    {
      method: 'POST',
      path: '/flavors',
      operation: 'os_compute_api:os-flavor-manage:create',
      summary: 'Create a flavor',
      requestBody: createSchemaFor,
      answers: features => ({ 200: flavorAnswerSchema(features) }),
      async handle(request) {
        const fields = parseCreate(request, context.newUuid)
        const answer = await submit(context, { kind: 'compute:create-flavor', fields })
        return json(200, { flavor: flavorBody(context, request, answer, new Map()) })
      },
    },
  ]
}

function singleRoutes(context: ComputeContext): ComputeRoute[] {
  const path = '/flavors/{flavor_id}'
  return [
    {
      method: 'GET',
      path,
      operation: 'os_compute_api:flavors',
      summary: 'Show a flavor',
      answers: features => ({ 200: flavorAnswerSchema(features) }),
      handle(request) {
        const id = param(request, 'flavor_id')
        const row = findVisible(context, request, id) ?? findHeldFlavor(id)
        if (row === null) throw noFlavor(id)
        return json(200, { flavor: flavorBody(context, request, row) })
      },
    },
    {
      method: 'PUT',
      path,
      operation: 'os_compute_api:os-flavor-manage:update',
      since: 'flavorDescription',
      summary: 'Change the description of a flavor',
      requestBody: updateSchema,
      answers: features => ({ 200: flavorAnswerSchema(features) }),
      async handle(request) {
        const fields = updateBody(request)
        const flavor = param(request, 'flavor_id')
        const answer = await submit(context, { kind: 'compute:update-flavor', flavor, fields })
        return json(200, { flavor: flavorBody(context, request, answer) })
      },
    },
    {
      method: 'DELETE',
      path,
      operation: 'os_compute_api:os-flavor-manage:delete',
      summary: 'Delete a flavor',
      answers: { 202: null },
      async handle(request) {
        const flavor = param(request, 'flavor_id')
        await submit(context, { kind: 'compute:delete-flavor', flavor })
        return { status: 202 }
      },
    },
  ]
}

function specRoutes(context: ComputeContext): ComputeRoute[] {
  const all = '/flavors/{flavor_id}/os-extra_specs'
  const one = `${all}/{key}`
  const specsOf = (request: ComputeRequest) =>
    context.world.compute.getExtraSpecs(visibleOr404(context, request).id)
  return [
    {
      method: 'GET',
      path: all,
      operation: `${SPECS}:index`,
      summary: 'List the extra specs of a flavor',
      answers: { 200: specsAnswerSchema },
      handle: request => json(200, { extra_specs: Object.fromEntries(specsOf(request)) }),
    },
    {
      method: 'POST',
      path: all,
      operation: `${SPECS}:create`,
      summary: 'Set extra specs of a flavor',
      requestBody: specsSchema,
      answers: { 200: specsAnswerSchema },
      handle(request) {
        const body = readBody(request, specsSchema)
        return setSpecs(context, request, body.extra_specs as Json, body)
      },
    },
    {
      method: 'GET',
      path: one,
      operation: `${SPECS}:show`,
      summary: 'Show an extra spec of a flavor',
      answers: { 200: oneSpecAnswerSchema },
      handle(request) {
        const key = param(request, 'key')
        const value = specsOf(request).get(key)
        if (value === undefined) throw makeSpecError(request, key)
        return json(200, { [key]: value })
      },
    },
    {
      method: 'PUT',
      path: one,
      operation: `${SPECS}:update`,
      summary: 'Set an extra spec of a flavor',
      requestBody: oneSpecSchema,
      answers: { 200: oneSpecAnswerSchema },
      handle(request) {
        const body = readBody(request, oneSpecSchema)
        const key = param(request, 'key')
        if (!Object.hasOwn(body, key))
          throw new ApiError(400, `The body must have the key of the address, which is ${key}.`)
        return setSpecs(context, request, body, body)
      },
    },
    {
      method: 'DELETE',
      path: one,
      operation: `${SPECS}:delete`,
      summary: 'Delete an extra spec of a flavor',
      answers: { 200: null },
      async handle(request) {
        const [flavor, key] = [param(request, 'flavor_id'), param(request, 'key')]
        await submit(context, { kind: 'compute:delete-extra-spec', flavor, key })
        return { status: 200 }
      },
    },
  ]
}

const makeSpecError = (request: ComputeRequest, key: string): ApiError =>
  toApiError({ kind: 'extra-spec-missing', flavor: param(request, 'flavor_id'), key })

/** Echoes what was sent; numbers are stored as texts. */
async function setSpecs(context: ComputeContext, request: ComputeRequest, given: Json, echo: Json) {
  const specs = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, jsonText(value)]))
  const faults = findFaults(specs, context.world.traits)
  const [fault] = faults
  if (request.features.checkedExtraSpecs && fault !== undefined) throw new ApiError(400, fault.fault)
  const flavor = param(request, 'flavor_id')
  const before = context.world.compute.flavors.find(flavor)
  const kept = before === undefined ? undefined : context.world.compute.getExtraSpecs(before.id)
  const doubtful = requireMetadata(context.checkMetadata, 'OS::Nova::Flavor', specs, kept)
  const answer = await submit(context, { kind: 'compute:set-extra-specs', flavor, specs })
  const row = context.world.compute.flavors.find(flavor)
  const notes = [
    ...(row === undefined ? [] : listFlavorWarnings(makeFlavorView(context.world, row, answer))),
    ...asNotes(doubtful),
    ...faults.map(one => ({
      code: 'spec.unreadable',
      facts: one,
      text: `${one.fault} It was accepted; the compute API refuses it from version 2.86 on.`,
    })),
  ]
  return addWarnings(context, request, json(200, echo), notes)
}

function accessRoutes(context: ComputeContext): ComputeRoute[] {
  const { world } = context
  return [
    {
      method: 'GET',
      path: '/flavors/{flavor_id}/os-flavor-access',
      operation: ACCESS,
      summary: 'List the projects that may use a flavor',
      answers: { 200: accessAnswerSchema },
      handle(request) {
        const row = visibleOr404(context, request)
        if (row.is_public === 1)
          throw new ApiError(404, `Flavor ${row.flavorid} is public: every project has access to it.`)
        return answerAccess(row.flavorid, listProjects(world, row))
      },
    },
    {
      method: 'POST',
      path: '/flavors/{flavor_id}/action',
      operation: `${ACCESS}:add_tenant_access`,
      asksPolicy: true,
      summary: 'Give a project access to a flavor, or remove it',
      actions: () => accessActions,
      answers: { 200: accessAnswerSchema },
      handle: request => changeAccess(context, request),
    },
  ]
}

const answerAccess = (flavor_id: string, projects: readonly string[]) =>
  json(200, { flavor_access: projects.map(tenant_id => ({ flavor_id, tenant_id })) })

async function changeAccess(context: ComputeContext, request: ComputeRequest) {
  const action = readAction(request, accessActions) as keyof typeof accessActions
  const isAdding = action === 'addTenantAccess'
  requireAllowed(context, request, `${ACCESS}:${isAdding ? 'add' : 'remove'}_tenant_access`)
  const body = readBody(request, accessActions[action])
  const project = (body[action] as Json).tenant as string
  // Access of a deleted project can still be removed.
  if (isAdding && context.isProject?.(project) === false)
    throw new ApiError(400, `Project ID ${project} is not a valid project.`)
  const flavor = param(request, 'flavor_id')
  const mayBePublic = !request.features.accessNeedsPrivate
  const projects = isAdding
    ? await submit(context, { kind: 'compute:add-flavor-access', flavor, project, mayBePublic })
    : await submit(context, { kind: 'compute:remove-flavor-access', flavor, project })
  return answerAccess(flavor, projects)
}
