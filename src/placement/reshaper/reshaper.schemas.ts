import { manyAllocationsSchema } from '../allocations/allocations.schemas.ts'
import { inventoriesReplaceSchema } from '../inventories/inventories.schemas.ts'
import { byFeatures, UUID_KEY } from '../patterns.ts'

/** POST /reshaper */
export const reshaperSchema = byFeatures(features => ({
  type: 'object',
  properties: {
    inventories: {
      type: 'object',
      patternProperties: { [UUID_KEY]: inventoriesReplaceSchema },
      minProperties: 1,
      additionalProperties: false,
    },
    // The inventory that moves may have no allocations yet.
    allocations: { ...manyAllocationsSchema(features), minProperties: 0 },
  },
  required: ['inventories', 'allocations'],
  additionalProperties: false,
}))
