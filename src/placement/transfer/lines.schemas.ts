import type { Schema } from '../../http/formats/json-schema.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { NAME, ownerId, UUID_KEY, uuid } from '../patterns.ts'

const whole = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const amount = (minimum: 0 | 1): Schema => ({ type: 'integer', minimum, maximum: AMOUNT_MAX })
const name: Schema = { type: 'string', pattern: NAME, minLength: 1, maxLength: 255 }
const generation: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const inventory = whole({
  total: amount(1),
  reserved: amount(0),
  min_unit: amount(1),
  max_unit: amount(1),
  step_size: amount(1),
  allocation_ratio: { type: 'number', maximum: RATIO_MAX },
})

const byClass = (values: Schema, minProperties: 0 | 1): Schema => ({
  type: 'object',
  minProperties,
  patternProperties: { [NAME]: values },
  additionalProperties: false,
})

/** Uuids of providers have this form; consumers and aggregates keep the form of the request that created them. */
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const providerUuid: Schema = { type: 'string', pattern: UUID }

const provider = whole({
  uuid: providerUuid,
  name: { type: 'string', maxLength: 200 },
  generation,
  parent_provider_uuid: { anyOf: [providerUuid, { type: 'null' }] },
  inventories: byClass(inventory, 0),
  traits: { type: 'array', items: name },
  aggregates: { type: 'array', items: uuid },
})

const consumerUuid: Schema = { type: 'string', pattern: UUID_KEY }

const consumer = whole({
  uuid: consumerUuid,
  generation,
  project_id: ownerId,
  user_id: ownerId,
  consumer_type: { anyOf: [name, { type: 'null' }] },
  allocations: {
    type: 'object',
    patternProperties: { [UUID]: whole({ resources: byClass(amount(1), 1) }) },
    additionalProperties: false,
  },
})

const count: Schema = { type: 'integer', minimum: 0 }

const lineCounts = { resource_classes: count, traits: count, providers: count, consumers: count }
const byTable: Schema = { type: 'object', patternProperties: { '': count } }

/** Version 1 has only the lines of Placement. The list of what is not exported is for readers. */
const end: Schema = {
  type: 'object',
  properties: {
    ...lineCounts,
    rows: byTable,
    left_out: { type: 'array', items: { type: 'string' } },
    not_exported: byTable,
    shares_under_way: { type: 'array', items: { type: 'string' } },
  },
  required: Object.keys(lineCounts),
  additionalProperties: false,
}

/** Each kind of line by its first key. */
export const lineSchemas = {
  berth_export: {
    type: 'object',
    properties: { berth_export: { type: 'integer', enum: [1, 2] }, revision: count },
    required: ['berth_export'],
    additionalProperties: false,
  },
  resource_class: whole({ resource_class: whole({ name }) }),
  trait: whole({ trait: whole({ name }) }),
  provider: whole({ provider }),
  consumer: whole({ consumer }),
  remove_provider: whole({ remove_provider: whole({ uuid: providerUuid }) }),
  remove_consumer: whole({ remove_consumer: whole({ uuid: consumerUuid }) }),
  table: whole({
    table: { type: 'string' },
    row: { type: 'object', patternProperties: { '': { type: ['string', 'number', 'null'] } } },
  }),
  end: whole({ end }),
} satisfies Record<string, Schema>

export type LineKey = keyof typeof lineSchemas
