import { type ApiAnswer, ApiError, json, param } from '../../http/api.ts'
import { warningHeader } from '../../http/formats/warning-header.ts'
import { requireMetadata } from '../../http/metadata-check.ts'
import { isAdmin } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import { jsonText } from '../../kernel/records.ts'
import type { ShareTypeRow } from '../../world/shares.ts'
import {
  isObject,
  makeFieldError,
  parseBoolean,
  readAction,
  readChangedText,
  readFlag,
  readJson,
  readText,
  readWrapped,
} from '../bodies.ts'
import { requireProject, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { submit, toApiError } from '../errors.ts'
import { parseDict } from '../python-dict.ts'
import * as schemas from './share-types.schemas.ts'
import { BOOLEANS, DHSS, publicName, SIZES } from './share-types.schemas.ts'
import { findDefaultType, findType, mayUseType } from './share-types.ts'
import { typeBody } from './share-types.view.ts'

export function typeRoutes(context: ShareContext): ShareRoute[] {
  return [...listRoutes(context), ...singleRoutes(context), ...specRoutes(context), ...accessRoutes(context)]
}

export function findVisibleType(
  context: ShareContext,
  request: ShareApiRequest,
  id: string,
): ShareTypeRow | undefined {
  const row = findType(context.world, id)
  const { credentials } = request
  if (row === undefined) return undefined
  return isAdmin(context, credentials) || mayUseType(context.world, row, credentials.projectId)
    ? row
    : undefined
}

function typeOr404(context: ShareContext, request: ShareApiRequest): ShareTypeRow {
  const id = param(request, 'type_id')
  const row = context.world.shares.types.find(id)
  if (row === undefined || findVisibleType(context, request, id) === undefined)
    throw toApiError({ kind: 'type-missing', type: id })
  return row
}

const renderBoth = (context: ShareContext, request: ShareApiRequest, row: ShareTypeRow) => {
  const body = typeBody(context, request, row)
  return { share_type: body, volume_type: body }
}

function listRoutes(context: ShareContext): ShareRoute[] {
  return [
    {
      method: 'GET',
      path: '/types',
      operation: 'share_type:index',
      summary: 'List share types',
      query: schemas.listQuery,
      answers: schemas.listAnswer,
      handle(request) {
        const types = listTypes(context, request).map(row => typeBody(context, request, row))
        return json(200, { share_types: types, volume_types: types })
      },
    },
    {
      method: 'GET',
      path: '/types/default',
      operation: 'share_type:default',
      summary: 'Show the default share type',
      answers: schemas.typeAnswer,
      handle(request) {
        const row = findDefaultType(context.world)
        if (row === undefined) throw new ApiError(404, 'There is no default share type.')
        return json(200, renderBoth(context, request, row))
      },
    },
    {
      method: 'POST',
      path: '/types',
      operation: 'share_type:create',
      summary: 'Create a share type',
      requestBody: schemas.createSchema,
      answers: schemas.typeAnswer,
      async handle(request) {
        const fields = createBody(request)
        const headers = warnOfSpecs(context, request, fields.extraSpecs)
        const uuid = context.newUuid()
        const answer = await submit(context, { kind: 'shares:create-type', uuid, ...fields })
        return { ...json(200, renderBoth(context, request, answer)), headers }
      },
    },
  ]
}

/** Admins see public types unless they ask for others; other users see the types they may use. */
function listTypes(context: ShareContext, request: ShareApiRequest): ShareTypeRow[] {
  const { world } = context
  const { query, credentials, features } = request
  const wantsPublic = parsePublic(query.last('is_public'))
  const specs = features.typesBySpecs ? query.last('extra_specs') : undefined
  const wanted = specs === undefined ? [] : [...parseDict('extra_specs', specs)]
  const admin = isAdmin(context, credentials)
  return world.shares.types.all().filter(row => {
    if (
      admin
        ? wantsPublic !== null && wantsPublic !== (row.is_public === 1)
        : !mayUseType(world, row, credentials.projectId)
    )
      return false
    const have = world.shares.getSpecs(row.id)
    return wanted.every(([key, value]) => have.get(key) === value)
  })
}

function parsePublic(text: string | undefined): boolean | null {
  if (text === undefined) return true
  if (['all', 'none'].includes(text.toLowerCase())) return null
  const flag = parseBoolean(text)
  if (flag === null) throw makeFieldError('is_public', text, 'It must be true, false or all.')
  return flag
}

function createBody(request: ShareApiRequest) {
  const body = readWrappedType(request)
  const name = readText(body, 'name')
  if (name === null || name.trim() === '') throw makeFieldError('name', name, 'A share type needs a name.')
  const specs = body.extra_specs
  if (!isObject(specs))
    throw makeFieldError('extra_specs', specs ?? null, `It must be an object with ${DHSS}.`)
  if (!Object.hasOwn(specs, DHSS))
    throw makeFieldError('extra_specs', specs, `The extra spec ${DHSS} is mandatory.`)
  const extraSpecs: Record<string, string> = { ...parseSpecs(specs) }
  if (!request.features.createFromSnapshotSupport && extraSpecs.snapshot_support === undefined)
    extraSpecs.snapshot_support = 'True'
  return {
    name,
    description: request.features.typeDescription ? readText(body, 'description') : null,
    extraSpecs,
    isPublic: readFlag(body, publicName(request.features), true),
  }
}

function readWrappedType(request: ShareApiRequest): Json {
  const value = readJson(request)
  const inner = isObject(value) ? (value.share_type ?? value.volume_type) : undefined
  if (!isObject(inner))
    throw new ApiError(400, 'The body must be an object with the object share_type in it.')
  return inner
}

/** Booleans are stored as Python prints them; all other values are texts. */
function parseSpecs(specs: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(specs).map(([key, value]) => {
      if (key === '' || key.length > 255)
        throw makeFieldError('extra_specs', key, 'A key has 1 to 255 characters.')
      if (BOOLEANS.includes(key)) return [key, parseBooleanSpec(key, value)]
      if (SIZES.includes(key) && !/^0*[1-9][0-9]*$/.test(jsonText(value)))
        throw makeFieldError(key, value, 'It must be a whole number of GB, at least 1.')
      if (typeof value !== 'string' || value === '' || value.length > 255)
        throw makeFieldError(key, value, 'A value is a text of 1 to 255 characters.')
      return [key, value]
    }),
  )
}

function parseBooleanSpec(key: string, value: unknown): string {
  const flag = parseBoolean(typeof value === 'string' ? value.replace(/^<is>\s*/, '') : value)
  if (flag === null || !['boolean', 'string'].includes(typeof value))
    throw makeFieldError(key, value, 'It must be true or false.')
  if (typeof value === 'string' && key !== DHSS) return value
  return flag ? 'True' : 'False'
}

function singleRoutes(context: ShareContext): ShareRoute[] {
  const path = '/types/{type_id}'
  return [
    {
      method: 'GET',
      path,
      operation: 'share_type:show',
      summary: 'Show a share type',
      answers: schemas.typeAnswer,
      handle: request => json(200, renderBoth(context, request, typeOr404(context, request))),
    },
    {
      method: 'PUT',
      path,
      operation: 'share_type:update',
      summary: 'Change the name, the description or the visibility of a share type',
      requestBody: schemas.updateSchema,
      answers: schemas.typeAnswer,
      since: 'typeUpdate',
      async handle(request) {
        const body = readWrapped(request, 'share_type', 400)
        const name = readText(body, 'name') ?? undefined
        if (name !== undefined && name.trim() === '')
          throw makeFieldError('name', name, 'A share type needs a name.')
        const isPublic = Object.hasOwn(body, publicName(request.features))
          ? readFlag(body, publicName(request.features), true)
          : undefined
        const description = readChangedText(body, 'description')
        if (name === undefined && isPublic === undefined && description === undefined)
          throw new ApiError(400, 'There is nothing to change: give a name, a description or the visibility.')
        const type = typeOr404(context, request).uuid
        const answer = await submit(context, {
          kind: 'shares:update-type',
          type,
          name,
          description,
          isPublic,
        })
        return json(200, renderBoth(context, request, answer))
      },
    },
    {
      method: 'DELETE',
      path,
      operation: 'share_type:delete',
      summary: 'Delete a share type',
      answers: { 202: null },
      async handle(request) {
        const type = param(request, 'type_id')
        await submit(context, { kind: 'shares:delete-type', type })
        return { status: 202 }
      },
    },
  ]
}

function specRoutes(context: ShareContext): ShareRoute[] {
  const all = '/types/{type_id}/extra_specs'
  const one = `${all}/{key}`
  const specsOf = (request: ShareApiRequest) => context.world.shares.getSpecs(typeOr404(context, request).id)
  return [
    {
      method: 'GET',
      path: all,
      operation: 'share_types_extra_spec:index',
      summary: 'List the extra specs of a share type',
      answers: schemas.specsAnswer,
      handle: request => json(200, { extra_specs: Object.fromEntries(specsOf(request)) }),
    },
    {
      method: 'POST',
      path: all,
      operation: 'share_types_extra_spec:create',
      summary: 'Set extra specs of a share type',
      ...schemas.setSpecs,
      async handle(request) {
        const extra_specs = readWrapped(request, 'extra_specs', 400)
        return setSpecs(context, request, extra_specs, { extra_specs })
      },
    },
    {
      method: 'GET',
      path: one,
      operation: 'share_types_extra_spec:show',
      summary: 'Show an extra spec of a share type',
      answers: schemas.specAnswer,
      handle(request) {
        const key = param(request, 'key')
        const value = specsOf(request).get(key)
        if (value === undefined)
          throw toApiError({ kind: 'type-spec-missing', type: param(request, 'type_id'), key })
        return json(200, { [key]: value })
      },
    },
    {
      method: 'PUT',
      path: one,
      operation: 'share_types_extra_spec:update',
      summary: 'Set an extra spec of a share type',
      ...schemas.setSpec,
      async handle(request) {
        const body = readJson(request)
        const key = param(request, 'key')
        if (!isObject(body) || !Object.hasOwn(body, key) || Object.keys(body).length !== 1)
          throw new ApiError(400, `The body must have the key of the address, which is ${key}, and no other.`)
        return setSpecs(context, request, body, body)
      },
    },
    {
      method: 'DELETE',
      path: one,
      operation: 'share_types_extra_spec:delete',
      summary: 'Delete an extra spec of a share type',
      answers: { 202: null },
      async handle(request) {
        const type = typeOr404(context, request).uuid
        const key = param(request, 'key')
        if (key === DHSS) throw new ApiError(403, `The extra spec ${DHSS} is mandatory and cannot be unset.`)
        await submit(context, { kind: 'shares:delete-type-spec', type, key })
        return { status: 202 }
      },
    },
  ]
}

async function setSpecs(
  context: ShareContext,
  request: ShareApiRequest,
  given: Json,
  answer: Json,
): Promise<ApiAnswer> {
  const specs = parseSpecs(given)
  const { uuid: type, id } = typeOr404(context, request)
  const headers = warnOfSpecs(context, request, specs, context.world.shares.getSpecs(id))
  await submit(context, { kind: 'shares:set-type-specs', type, specs })
  return { ...json(200, answer), headers }
}

/** Values that the definitions of the catalog do not allow: a header and a line in the log. */
function warnOfSpecs(
  { checkMetadata, log }: ShareContext,
  { requestId }: ShareApiRequest,
  specs: Readonly<Record<string, string>>,
  kept?: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const texts = requireMetadata(checkMetadata, 'OS::Manila::ShareType', specs, kept)
  for (const text of texts) log.warn('metadata accepted with a warning', { request_id: requestId, text })
  return warningHeader(texts)
}

function accessRoutes(context: ShareContext): ShareRoute[] {
  const list = (name: string, gate: Pick<ShareRoute, 'since' | 'until'>): ShareRoute => ({
    method: 'GET',
    path: `/types/{type_id}/${name}`,
    operation: 'share_type:list_project_access',
    summary: 'List the projects that may use a share type',
    answers: schemas.accessAnswer,
    ...gate,
    handle(request) {
      const row = typeOr404(context, request)
      if (row.is_public === 1)
        throw new ApiError(404, `Share type ${row.uuid} is public: every project has access to it.`)
      const projects = context.world.shares.typeAccess.list(row.id)
      return json(200, {
        share_type_access: projects.map(({ project_id }) => ({ share_type_id: row.uuid, project_id })),
      })
    },
  })
  return [
    list('share_type_access', { since: 'coreNames' }),
    list('os-share-type-access', { until: 'coreNames' }),
    {
      method: 'POST',
      path: '/types/{type_id}/action',
      operation: 'share_type:add_project_access',
      summary: 'Add or remove the access of a project to a share type',
      actions: () => schemas.typeActions,
      answers: { 202: null },
      async handle(request) {
        const [action, value] = readAction(request)
        const allow = action === 'addProjectAccess'
        if (!allow && action !== 'removeProjectAccess')
          throw new ApiError(400, `There is no such action: ${action}`)
        const project = isObject(value) ? readText(value, 'project') : null
        if (project === null || project === '')
          throw makeFieldError('project', project, 'It must name a project.')
        const type = typeOr404(context, request).uuid
        // Access of a deleted project can still be removed.
        if (allow) requireProject(context, project)
        await submit(context, {
          kind: 'shares:change-type-access',
          type,
          project,
          allow,
        })
        return { status: 202 }
      },
    },
  ]
}
