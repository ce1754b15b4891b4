import {
  type ApiAnswer,
  ApiError,
  type DescribedRoute,
  json,
  LIST_BODY_BYTES,
  noContent,
} from '../../http/api.ts'
import { parseJsonBody } from '../../http/formats/json-body.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import {
  CONCURRENT_UPDATE,
  noProvider,
  ownedConflict,
  type PlacementContext,
  param,
  providerOr404,
} from '../context.ts'
import type { ForeignOwned } from '../owned.ts'
import type { Features } from '../versions.ts'
import {
  inventoriesAnswerSchema,
  inventoriesReplaceSchema,
  inventoryAnswerSchema,
  inventoryCreateSchema,
  inventoryUpdateSchema,
} from './inventories.schemas.ts'
import type { AddRefusal, DeleteRefusal, ReplaceRefusal, UpdateRefusal } from './inventories.ts'
import { type InventoryBody, recordFromBody, renderInventory, renderRecord } from './inventory-body.ts'

const INVENTORY_INUSE = 'placement.inventory.inuse'
const ALL = '/resource_providers/{uuid}/inventories'
const ONE = '/resource_providers/{uuid}/inventories/{resource_class}'

export function inventoryRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [...readRoutes(context), ...replaceRoutes(context), ...singleRoutes(context)]
}

function readRoutes({ world, clock }: PlacementContext): DescribedRoute<Features>[] {
  const requireProvider = (uuid: string): ProviderSlot =>
    providerOr404(world, uuid, text => `No resource provider with uuid ${uuid} found : ${text}`)
  return [
    {
      method: 'GET',
      path: ALL,
      operation: 'placement:resource_providers:inventories:list',
      givesJson: true,
      summary: 'List the inventories of a resource provider',
      answers: { 200: inventoriesAnswerSchema },
      handle({ params }) {
        const slot = requireProvider(param(params, 'uuid'))
        const inventories: Record<string, unknown> = {}
        let modified = 0
        for (const id of world.inventories.listClasses(slot)) {
          const row = world.inventories.row(slot, id)!
          inventories[world.classes.name(id)] = renderInventory(row)
          modified = Math.max(modified, row.updated_at)
        }
        const generation = world.providers.generation[slot]
        return json(200, { resource_provider_generation: generation, inventories }, modified || clock.nowMs())
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'placement:resource_providers:inventories:show',
      givesJson: true,
      summary: 'Show the inventory of a resource class',
      answers: { 200: inventoryAnswerSchema },
      handle({ params }) {
        const uuid = param(params, 'uuid')
        const slot = requireProvider(uuid)
        const name = param(params, 'resource_class')
        const id = world.classes.id(name)
        const row = id === undefined ? null : world.inventories.row(slot, id)
        if (row === null) throw new ApiError(404, `No inventory of class ${name} for ${uuid}`)
        return json(
          200,
          withGeneration(renderInventory(row), world.providers.generation[slot]!),
          row.updated_at,
        )
      },
    },
  ]
}

function replaceRoutes({ world, sequencer, clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'PUT',
      path: ALL,
      operation: 'placement:resource_providers:inventories:update',
      bodyLimit: LIST_BODY_BYTES,
      takesJson: true,
      summary: 'Replace the inventories of a resource provider',
      requestBody: inventoriesReplaceSchema,
      answers: { 200: inventoriesAnswerSchema },
      async handle({ params, body, features }) {
        const provider = param(params, 'uuid')
        providerOr404(world, provider)
        const asked = parseJsonBody(body, inventoriesReplaceSchema) as {
          resource_provider_generation: number
          inventories: Record<string, InventoryBody>
        }
        const inventories = Object.entries(asked.inventories).map(
          ([name, one]) => [name, recordFromBody(one)] as const,
        )
        const outcome = await sequencer.submit({
          kind: 'placement:replace-inventories',
          provider,
          generation: asked.resource_provider_generation,
          inventories,
          mayBeFullyReserved: features.fullyReserved,
        })
        if (!outcome.ok) throw replaceRefused(outcome.refusal, provider, features)
        const shown = Object.fromEntries(inventories.map(([name, record]) => [name, renderRecord(record)]))
        const { generation } = outcome.answer
        return json(200, { resource_provider_generation: generation, inventories: shown }, clock.nowMs())
      },
    },
    {
      method: 'DELETE',
      path: ALL,
      operation: 'placement:resource_providers:inventories:delete',
      since: 'deleteInventories',
      gateStatus: 405,
      summary: 'Delete all inventories of a resource provider',
      answers: { 204: null },
      async handle({ params }) {
        const provider = param(params, 'uuid')
        const outcome = await sequencer.submit({
          kind: 'placement:replace-inventories',
          provider,
          generation: null,
          inventories: [],
          mayBeFullyReserved: true,
        })
        if (outcome.ok) return noContent
        const { refusal } = outcome
        if (refusal.kind === 'owned') throw ownedConflict(refusal)
        throw refusal.kind === 'inventory-in-use'
          ? new ApiError(409, inUse(refusal.classes, provider), INVENTORY_INUSE)
          : noProvider(provider)
      },
    },
  ]
}

function singleRoutes({ world, sequencer, clock }: PlacementContext): DescribedRoute<Features>[] {
  const answerInventory = (body: InventoryBody, generation: number, status: number): ApiAnswer =>
    json(status, withGeneration(renderRecord(recordFromBody(body)), generation), clock.nowMs())
  return [
    {
      method: 'POST',
      path: ALL,
      operation: 'placement:resource_providers:inventories:create',
      takesJson: true,
      summary: 'Add an inventory to a resource provider',
      requestBody: inventoryCreateSchema,
      answers: { 201: inventoryAnswerSchema },
      async handle({ params, body, features }) {
        const provider = param(params, 'uuid')
        providerOr404(world, provider)
        const asked = parseJsonBody(body, inventoryCreateSchema) as InventoryBody & { resource_class: string }
        const outcome = await sequencer.submit({
          kind: 'placement:add-inventory',
          provider,
          class: asked.resource_class,
          record: recordFromBody(asked),
          mayBeFullyReserved: features.fullyReserved,
        })
        if (!outcome.ok) throw addRefused(outcome.refusal, provider, features)
        const location = `/resource_providers/${provider}/inventories/${asked.resource_class}`
        return { ...answerInventory(asked, outcome.answer.generation, 201), location }
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: 'placement:resource_providers:inventories:update',
      takesJson: true,
      summary: 'Replace the inventory of a resource class',
      requestBody: inventoryUpdateSchema,
      answers: { 200: inventoryAnswerSchema },
      async handle({ params, body, features }) {
        const provider = param(params, 'uuid')
        providerOr404(world, provider)
        const asked = parseJsonBody(body, inventoryUpdateSchema) as InventoryBody & {
          resource_provider_generation: number
        }
        const outcome = await sequencer.submit({
          kind: 'placement:update-inventory',
          provider,
          class: param(params, 'resource_class'),
          generation: asked.resource_provider_generation,
          record: recordFromBody(asked),
          mayBeFullyReserved: features.fullyReserved,
        })
        if (!outcome.ok) throw updateRefused(outcome.refusal, provider, features)
        return answerInventory(asked, outcome.answer.generation, 200)
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: 'placement:resource_providers:inventories:delete',
      summary: 'Delete the inventory of a resource class',
      answers: { 204: null },
      async handle({ params }) {
        const provider = param(params, 'uuid')
        const name = param(params, 'resource_class')
        const outcome = await sequencer.submit({ kind: 'placement:delete-inventory', provider, class: name })
        if (!outcome.ok) throw deleteRefused(outcome.refusal, provider, name)
        return noContent
      },
    },
  ]
}

/** As upstream, a generation of 0 is left out. */
function withGeneration(inventory: Record<string, unknown>, generation: number): Record<string, unknown> {
  return generation === 0 ? inventory : { ...inventory, resource_provider_generation: generation }
}

function inUse(classes: readonly string[], provider: string): string {
  return `Inventory for '${classes.join(', ')}' on resource provider '${provider}' in use.`
}

function capacityText(name: string, provider: string, features: Features): string {
  const wrong = features.fullyReserved ? 'greater than total.' : 'greater than or equal to total.'
  return `Invalid inventory for '${name}' on resource provider '${provider}'. The reserved value is ${wrong}`
}

function makeUpdateConflict(text: string, provider: string): ApiError {
  return new ApiError(400, `Unable to update inventory for resource provider ${provider}: ${text}`)
}

function generationConflict(): ApiError {
  return new ApiError(409, 'resource provider generation conflict', CONCURRENT_UPDATE)
}

function replaceRefused(
  refusal: ReplaceRefusal | ForeignOwned,
  provider: string,
  features: Features,
): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'generation-conflict':
      return generationConflict()
    case 'class-missing':
      return new ApiError(
        400,
        `Unknown resource class in inventory for resource provider ${provider}: ` +
          `No such resource class ${refusal.name}.`,
      )
    case 'inventory-in-use':
      return new ApiError(409, `update conflict: ${inUse(refusal.classes, provider)}`, INVENTORY_INUSE)
    case 'bad-capacity':
      return makeUpdateConflict(capacityText(refusal.class, provider, features), provider)
    case 'provider-missing':
      return noProvider(provider)
    default:
      return refusal satisfies never
  }
}

function addRefused(refusal: AddRefusal | ForeignOwned, provider: string, features: Features): ApiError {
  const makeConflict = (text: string) =>
    new ApiError(400, `Unable to create inventory for resource provider ${provider}: ${text}`)
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'bad-capacity':
      return makeConflict(capacityText(refusal.class, provider, features))
    case 'class-missing':
      return makeConflict(`No such resource class ${refusal.name}.`)
    case 'inventory-exists':
      return new ApiError(
        409,
        `Update conflict: resource provider ${provider} already has an inventory of ${refusal.class}.`,
        CONCURRENT_UPDATE,
      )
    case 'provider-missing':
      return noProvider(provider)
    default:
      return refusal satisfies never
  }
}

function updateRefused(
  refusal: UpdateRefusal | ForeignOwned,
  provider: string,
  features: Features,
): ApiError {
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'generation-conflict':
      return generationConflict()
    case 'class-missing':
      return new ApiError(404, `No such resource class ${refusal.name}.`)
    case 'inventory-missing':
      return new ApiError(
        400,
        `No inventory record with resource class for resource provider ${provider}: ` +
          `No inventory of class ${refusal.class} found.`,
      )
    case 'bad-capacity':
      return makeUpdateConflict(capacityText(refusal.class, provider, features), provider)
    case 'provider-missing':
      return noProvider(provider)
    default:
      return refusal satisfies never
  }
}

function deleteRefused(refusal: DeleteRefusal | ForeignOwned, provider: string, name: string): ApiError {
  const makeNotFound = (text: string) =>
    new ApiError(404, `No inventory of class ${name} found for delete: ${text}`)
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'class-missing':
      return makeNotFound(`No such resource class ${name}.`)
    case 'inventory-missing':
      return makeNotFound(`No inventory of class ${name} found for delete`)
    case 'inventory-in-use':
      return new ApiError(
        409,
        `Unable to delete inventory of class ${name}: ${inUse(refusal.classes, provider)}`,
        CONCURRENT_UPDATE,
      )
    case 'provider-missing':
      return noProvider(provider)
    default:
      return refusal satisfies never
  }
}
