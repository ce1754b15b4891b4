import { ApiError, type DescribedRoute, json, LIST_BODY_BYTES, noContent } from '../../http/api.ts'
import { parseJsonBody, validateQuery } from '../../http/formats/json-body.ts'
import { validate } from '../../http/formats/json-schema.ts'
import type { Query } from '../../http/request/query.ts'
import { globMatcher } from '../../kernel/glob.ts'
import type { TraitId } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import {
  CONCURRENT_UPDATE,
  noProvider,
  ownedConflict,
  type PlacementContext,
  param,
  providerFoundOr404,
} from '../context.ts'
import type { ForeignOwned } from '../owned.ts'
import { learnHint } from '../standards.ts'
import type { Features } from '../versions.ts'
import {
  customTraitSchema,
  providerTraitsAnswerSchema,
  providerTraitsSchema,
  traitsAnswerSchema,
  traitsQuerySchema,
} from './traits.schemas.ts'
import type { SetTraitsRefusal, TraitRefusal, TraitsSet } from './traits.ts'

const ONE = '/traits/{name}'
const OF_PROVIDER = '/resource_providers/{uuid}/traits'

export function traitRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [...readRoutes(context), ...writeRoutes(context), ...providerTraitRoutes(context)]
}

function readRoutes({ world, clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: '/traits',
      operation: 'placement:traits:list',
      since: 'traits',
      givesJson: true,
      summary: 'List traits',
      query: traitsQuerySchema,
      answers: { 200: traitsAnswerSchema },
      handle({ query }) {
        validateQuery(query, traitsQuerySchema)
        const matches = traitMatcher(world, query)
        const rows = [...world.traits.listInOrder()].filter(row => matches(row.name, row.id as TraitId))
        const modified = rows.reduce((latest, row) => Math.max(latest, row.updated_at), 0)
        return json(200, { traits: rows.map(row => row.name) }, modified || clock.nowMs())
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'placement:traits:show',
      since: 'traits',
      summary: 'Check whether a trait exists',
      answers: { 204: null },
      handle({ params }) {
        const name = param(params, 'name')
        const id = world.traits.id(name)
        if (id === undefined) throw new ApiError(404, `No such trait(s): ${name}.`)
        return { status: 204, lastModifiedMs: world.traits.row(id).updated_at }
      },
    },
  ]
}

function writeRoutes({ world, sequencer }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'PUT',
      path: ONE,
      operation: 'placement:traits:update',
      since: 'traits',
      summary: 'Create a trait',
      answers: { 201: null, 204: null },
      async handle({ params }) {
        const name = param(params, 'name')
        if (validate(customTraitSchema, name) !== null)
          throw new ApiError(
            400,
            'The trait is invalid. A valid trait must be no longer than 255 characters, start with the ' +
              `prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"${world.traits.id(name) === undefined ? learnHint([name]) : ''}`,
          )
        const outcome = await sequencer.submit({ kind: 'placement:ensure-trait', name })
        if (!outcome.ok) throw ownedConflict(outcome.refusal)
        const { created, updatedAt } = outcome.answer
        return { status: created ? 201 : 204, location: `/traits/${name}`, lastModifiedMs: updatedAt }
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: 'placement:traits:delete',
      since: 'traits',
      summary: 'Delete a trait',
      answers: { 204: null },
      async handle({ params }) {
        const outcome = await sequencer.submit({
          kind: 'placement:delete-trait',
          name: param(params, 'name'),
        })
        if (!outcome.ok) throw deleteRefused(outcome.refusal)
        return noContent
      },
    },
  ]
}

function providerTraitRoutes({ world, sequencer, clock }: PlacementContext): DescribedRoute<Features>[] {
  const answer = ({ traits, generation, updatedAt }: TraitsSet) =>
    json(200, { traits, resource_provider_generation: generation }, updatedAt || clock.nowMs())
  return [
    {
      method: 'GET',
      path: OF_PROVIDER,
      operation: 'placement:resource_providers:traits:list',
      since: 'traits',
      givesJson: true,
      summary: 'List the traits of a resource provider',
      answers: { 200: providerTraitsAnswerSchema },
      handle({ params }) {
        const slot = providerFoundOr404(world, param(params, 'uuid'))
        const rows = world.providerTraits.list(slot).map(id => world.traits.row(id))
        return answer({
          traits: rows.map(row => row.name),
          generation: world.providers.generation[slot] as number,
          updatedAt: rows.reduce((latest, row) => Math.max(latest, row.updated_at), 0),
        })
      },
    },
    {
      method: 'PUT',
      path: OF_PROVIDER,
      operation: 'placement:resource_providers:traits:update',
      bodyLimit: LIST_BODY_BYTES,
      since: 'traits',
      takesJson: true,
      summary: 'Replace the traits of a resource provider',
      requestBody: providerTraitsSchema,
      answers: { 200: providerTraitsAnswerSchema },
      async handle({ params, body }) {
        const asked = parseJsonBody(body, providerTraitsSchema) as {
          traits: string[]
          resource_provider_generation: number
        }
        const outcome = await sequencer.submit({
          kind: 'placement:set-provider-traits',
          provider: param(params, 'uuid'),
          generation: asked.resource_provider_generation,
          traits: asked.traits,
        })
        if (!outcome.ok) throw setRefused(outcome.refusal)
        return answer(outcome.answer)
      },
    },
    {
      method: 'DELETE',
      path: OF_PROVIDER,
      operation: 'placement:resource_providers:traits:delete',
      since: 'traits',
      summary: 'Delete all traits of a resource provider',
      answers: { 204: null },
      async handle({ params }) {
        const outcome = await sequencer.submit({
          kind: 'placement:set-provider-traits',
          provider: param(params, 'uuid'),
          generation: null,
          traits: [],
        })
        if (!outcome.ok) throw setRefused(outcome.refusal)
        return noContent
      },
    },
  ]
}

function traitMatcher(world: World, query: Query): (name: string, id: TraitId) => boolean {
  const byName = nameMatcher(query.last('name'))
  const associated = query.last('associated')?.toLowerCase()
  if (associated === undefined) return byName
  if (associated !== 'true' && associated !== 'false')
    throw new ApiError(400, 'The query parameter "associated" only accepts "true" or "false"')
  const wanted = associated === 'true'
  return (name, id) => byName(name) && world.providerTraits.isInUse(id) === wanted
}

/** `in:A,B`, or `startswith:X` where X may contain SQL wildcards. Any other operator matches everything. */
function nameMatcher(value: string | undefined): (name: string) => boolean {
  if (value === undefined) return () => true
  const colon = value.indexOf(':')
  if (colon < 0)
    throw new ApiError(
      400,
      'Badly formatted name parameter. Expected name query string parameter in form: ' +
        `?name=[in|startswith]:[name1,name2|prefix]. Got: "${value}"`,
    )
  const operator = value.slice(0, colon)
  const operand = value.slice(colon + 1)
  if (operator === 'in') {
    const names = new Set(operand.split(','))
    return name => names.has(name)
  }
  if (operator !== 'startswith') return () => true
  return likePrefix(operand)
}

/** SQL's LIKE on a prefix: `_` is any one character, `%` any number of characters; case does not matter. */
function likePrefix(prefix: string): (name: string) => boolean {
  const wild = prefix.toUpperCase()
  if (!wild.includes('_') && !wild.includes('%')) return name => name.startsWith(wild)
  return globMatcher(`${wild}%`, { run: '%', one: '_' })
}

function deleteRefused(refusal: TraitRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'trait-missing':
      return new ApiError(404, `No such trait(s): ${refusal.name}.`)
    case 'trait-standard':
      return new ApiError(400, `Cannot delete standard trait ${refusal.name}.`)
    case 'trait-in-use':
      return new ApiError(409, `The trait ${refusal.name} is in use by a resource provider.`)
    default:
      return refusal satisfies never
  }
}

function setRefused(refusal: SetTraitsRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'provider-missing':
      return noProvider(refusal.uuid)
    case 'generation-conflict':
      return new ApiError(
        409,
        "Resource provider's generation already changed. Please update the generation and try again.",
        CONCURRENT_UPDATE,
      )
    case 'traits-missing':
      return new ApiError(400, `No such trait ${refusal.names.join(', ')}${learnHint(refusal.names)}`)
    default:
      return refusal satisfies never
  }
}
