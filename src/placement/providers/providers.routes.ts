import { type ApiAnswer, ApiError, type Body, type DescribedRoute, noContent } from '../../http/api.ts'
import { parseJsonBody, validateQuery } from '../../http/formats/json-body.ts'
import type { Query } from '../../http/request/query.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import type { World } from '../../world/world.ts'
import { noProvider, ownedConflict, type PlacementContext, param, providerOr404 } from '../context.ts'
import type { ForeignOwned } from '../owned.ts'
import { parseMemberOf, parseResources, parseTraits } from '../query-parts.ts'
import type { Features } from '../versions.ts'
import { filterProviders, type ProviderFilters } from './provider-filters.ts'
import {
  providerAnswerSchema,
  providerCreateSchema,
  providersAnswerSchema,
  providersQuerySchema,
  providerUpdateSchema,
} from './providers.schemas.ts'
import {
  type CreateProviderRefusal,
  type DeleteProviderRefusal,
  type ProviderView,
  type UpdateProviderRefusal,
  viewProvider,
} from './providers.ts'

const DUPLICATE_NAME = 'placement.duplicate_name'

export function providerRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes({ world, sequencer, clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: '/resource_providers',
      operation: 'placement:resource_providers:list',
      givesJson: true,
      summary: 'List resource providers',
      query: providersQuerySchema,
      answers: features => ({ 200: providersAnswerSchema(features) }),
      handle({ query, features, mount }) {
        validateQuery(query, providersQuerySchema(features))
        const found = filterProviders(world, parseFilters(query, features))
        if (found.kind === 'refused') throw unknownName(found)
        const { body, modified } = listBody(world, found.providers, features, mount)
        return { status: 200, body, lastModifiedMs: modified || clock.nowMs() }
      },
    },
    {
      method: 'POST',
      path: '/resource_providers',
      operation: 'placement:resource_providers:create',
      takesJson: true,
      summary: 'Create a resource provider',
      requestBody: providerCreateSchema,
      answers: features =>
        features.providerCreateBody ? { 200: providerAnswerSchema(features) } : { 201: null },
      async handle({ body, features, mount }) {
        const asked = parseJsonBody(body, providerCreateSchema(features)) as ProviderBody
        const uuid = asked.uuid ? (normalizeUuid(asked.uuid) as string) : crypto.randomUUID()
        const parent = asked.parent_provider_uuid ?? null
        const outcome = await sequencer.submit({
          kind: 'placement:create-provider',
          uuid,
          name: asked.name,
          parent,
        })
        if (!outcome.ok) throw createRefused(outcome.refusal, asked.name, uuid)
        const location = `/resource_providers/${uuid}`
        if (!features.providerCreateBody) return { status: 201, location }
        return { ...renderProvider(outcome.answer, features, mount), location }
      },
    },
  ]
}

function singleRoutes({ world, sequencer }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: '/resource_providers/{uuid}',
      operation: 'placement:resource_providers:show',
      givesJson: true,
      summary: 'Show a resource provider',
      answers: features => ({ 200: providerAnswerSchema(features) }),
      handle({ params, features, mount }) {
        const slot = providerOr404(world, param(params, 'uuid'))
        return renderProvider(viewProvider(world, slot), features, mount)
      },
    },
    {
      method: 'PUT',
      path: '/resource_providers/{uuid}',
      operation: 'placement:resource_providers:update',
      takesJson: true,
      summary: 'Update a resource provider',
      requestBody: providerUpdateSchema,
      answers: features => ({ 200: providerAnswerSchema(features) }),
      async handle({ params, body, features, mount }) {
        const provider = param(params, 'uuid')
        providerOr404(world, provider)
        const asked = parseJsonBody(body, providerUpdateSchema(features)) as ProviderBody
        const outcome = await sequencer.submit({
          kind: 'placement:update-provider',
          provider,
          name: asked.name,
          parent: asked.parent_provider_uuid,
          mayReparent: features.reparenting,
        })
        if (!outcome.ok) throw updateRefused(outcome.refusal, provider)
        return renderProvider(outcome.answer, features, mount)
      },
    },
    {
      method: 'DELETE',
      path: '/resource_providers/{uuid}',
      operation: 'placement:resource_providers:delete',
      summary: 'Delete a resource provider',
      answers: { 204: null },
      async handle({ params }) {
        const provider = param(params, 'uuid')
        const outcome = await sequencer.submit({ kind: 'placement:delete-provider', provider })
        if (!outcome.ok) throw deleteRefused(outcome.refusal)
        return noContent
      },
    },
  ]
}

interface ProviderBody {
  readonly name: string
  readonly uuid?: string
  readonly parent_provider_uuid?: string | null
}

function renderProvider(view: ProviderView, features: Features, mount: string): ApiAnswer {
  return {
    status: 200,
    body: writeProvider(view, relsOf(features), features, mount),
    lastModifiedMs: view.updatedAt,
  }
}

/** The links of a provider in the requested version. */
function relsOf(features: Features): string[] {
  const rels = ['inventories', 'usages']
  if (features.aggregates) rels.push('aggregates')
  if (features.traits) rels.push('traits')
  if (features.allocationsLink) rels.push('allocations')
  return rels
}

/**
 * A provider as JSON in the form of the requested version. Built by hand for speed: lists can have hundreds
 * of thousands of providers.
 */
function writeProvider(
  view: ProviderView,
  rels: readonly string[],
  features: Features,
  mount: string,
): string {
  const { uuid, generation, parentUuid, rootUuid } = view
  const url = `${mount}/resource_providers/${uuid}`
  let links = `{"rel":"self","href":"${url}"}`
  for (const rel of rels) links += `,{"rel":"${rel}","href":"${url}/${rel}"}`
  const tree = features.providerTrees
    ? `,"parent_provider_uuid":${parentUuid === null ? 'null' : `"${parentUuid}"`},"root_provider_uuid":"${rootUuid}"`
    : ''
  const name = JSON.stringify(view.name)
  return `{"uuid":"${uuid}","name":${name},"generation":${generation},"links":[${links}]${tree}}`
}

/** Written in pieces: hundreds of thousands of providers exceed the maximum length of a string. */
const PROVIDERS_PER_PIECE = 5_000

function listBody(
  world: World,
  slots: readonly ProviderSlot[],
  features: Features,
  mount: string,
): { body: Body; modified: number } {
  const pieces: Buffer[] = []
  const rels = relsOf(features)
  let modified = 0
  for (let from = 0; from === 0 || from < slots.length; from += PROVIDERS_PER_PIECE) {
    const end = from + PROVIDERS_PER_PIECE
    const texts = slots.slice(from, end).map(slot => {
      const view = viewProvider(world, slot)
      modified = Math.max(modified, view.updatedAt)
      return writeProvider(view, rels, features, mount)
    })
    const before = from === 0 ? '{"resource_providers":[' : ','
    pieces.push(Buffer.from(`${before}${texts.join(',')}${end < slots.length ? '' : ']}'}`))
  }
  return { body: pieces, modified }
}

function parseFilters(query: Query, features: Features): ProviderFilters {
  const members = parseMemberOf(query, '', features)
  const traits = parseTraits(query, '', features)
  const resources = query.last('resources')
  return {
    name: query.last('name') || null,
    uuid: query.last('uuid') || null,
    inTree: query.last('in_tree') || null,
    memberOf: members.memberOf,
    forbiddenAggregates: members.forbidden,
    required: traits.required,
    forbidden: traits.forbidden,
    resources: resources === undefined ? new Map() : parseResources(resources),
  }
}

function unknownName(refusal: { what: 'class' | 'trait'; name: string }): ApiError {
  return refusal.what === 'class'
    ? new ApiError(
        400,
        `Invalid resource class in resources parameter: No such resource class ${refusal.name}.`,
      )
    : new ApiError(400, `Invalid trait(s) in "required" parameter: No such trait(s): ${refusal.name}.`)
}

function createRefused(refusal: CreateProviderRefusal | ForeignOwned, name: string, uuid: string): ApiError {
  const makeConflict = (reason: string) =>
    new ApiError(
      400,
      `Unable to create resource provider "${name}", ${uuid}: Object action create failed because: ${reason}`,
    )
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'name-required':
      return makeConflict('name is required')
    case 'provider-exists':
      return new ApiError(
        409,
        `Conflicting resource provider ${refusal.field}: ${refusal.value} already exists.`,
        DUPLICATE_NAME,
      )
    case 'parent-is-self':
      return makeConflict(
        'parent provider UUID cannot be same as UUID. Please set parent provider UUID to None if there is ' +
          'no parent.',
      )
    case 'parent-missing':
      return makeConflict('parent provider UUID does not exist.')
    default:
      return refusal satisfies never
  }
}

function updateRefused(refusal: UpdateProviderRefusal | ForeignOwned, uuid: string): ApiError {
  const makeConflict = (action: string, reason: string) =>
    new ApiError(
      400,
      `Unable to save resource provider ${uuid}: Object action ${action} failed because: ${reason}`,
    )
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'provider-missing':
      return noProvider(refusal.uuid)
    case 'provider-exists':
      return new ApiError(
        409,
        `Conflicting resource provider ${refusal.value} already exists.`,
        DUPLICATE_NAME,
      )
    case 'parent-missing':
      return makeConflict('create', 'parent provider UUID does not exist.')
    case 'reparenting-not-allowed':
      return makeConflict('update', 're-parenting a provider is not currently allowed.')
    case 'unparenting-not-allowed':
      return makeConflict('update', 'un-parenting a provider is not currently allowed.')
    case 'loop':
      return makeConflict('update', 'creating loop in the provider tree is not allowed.')
    default:
      return refusal satisfies never
  }
}

function deleteRefused(refusal: DeleteProviderRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'provider-missing':
      return new ApiError(404, `No resource provider with uuid ${refusal.uuid} found for delete`)
    case 'has-children':
      return new ApiError(
        409,
        `Unable to delete parent resource provider ${refusal.uuid}: It has child resource providers.`,
        'placement.resource_provider.cannot_delete_parent',
      )
    case 'has-allocations':
      return new ApiError(
        409,
        `Unable to delete resource provider ${refusal.uuid}: Resource provider has allocations.`,
        'placement.resource_provider.inuse',
      )
    default:
      return refusal satisfies never
  }
}
