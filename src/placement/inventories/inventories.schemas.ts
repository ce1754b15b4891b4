import type { Schema } from '../../http/formats/json-schema.ts'
import { mapOf, number, objectOf, whole } from '../../http/formats/schema-forms.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { integer, NAME } from '../patterns.ts'

const amount = (minimum: 0 | 1): Schema => ({ type: 'integer', maximum: AMOUNT_MAX, minimum })

const record = {
  resource_provider_generation: integer,
  total: amount(1),
  reserved: amount(0),
  min_unit: amount(1),
  max_unit: amount(1),
  step_size: amount(1),
  // Upstream has no lower bound; below this one, capacity would be infinite.
  allocation_ratio: { type: 'number', maximum: RATIO_MAX, minimum: -RATIO_MAX },
} satisfies Record<string, Schema>

/** POST /resource_providers/{uuid}/inventories */
export const inventoryCreateSchema: Schema = {
  type: 'object',
  properties: { ...record, resource_class: { type: 'string', pattern: NAME } },
  required: ['total', 'resource_class'],
  additionalProperties: false,
}

/** PUT /resource_providers/{uuid}/inventories/{resource_class} */
export const inventoryUpdateSchema: Schema = {
  type: 'object',
  properties: record,
  required: ['total', 'resource_provider_generation'],
  additionalProperties: false,
}

/**
 * PUT /resource_providers/{uuid}/inventories, and each provider of a reshape. A record under a key that
 * cannot be the name of a class is not checked, so look up the class before you read its record.
 */
export const inventoriesReplaceSchema: Schema = {
  type: 'object',
  properties: {
    resource_provider_generation: integer,
    inventories: {
      type: 'object',
      patternProperties: {
        [NAME]: { type: 'object', properties: record, required: ['total'], additionalProperties: false },
      },
    },
  },
  required: ['resource_provider_generation', 'inventories'],
  additionalProperties: false,
}

const answered = {
  total: whole,
  reserved: whole,
  min_unit: whole,
  max_unit: whole,
  step_size: whole,
  allocation_ratio: number,
}

/** One inventory. As upstream, a generation of 0 is left out. */
export const inventoryAnswerSchema: Schema = objectOf(answered, { resource_provider_generation: whole })

export const inventoriesAnswerSchema: Schema = objectOf({
  resource_provider_generation: whole,
  inventories: mapOf(objectOf(answered)),
})
