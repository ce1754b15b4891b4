import type { Schema } from '../../http/formats/json-schema.ts'
import { digits, METADATA_KEY, shortText, wrapped, yesOrNo } from '../bodies.ts'

const fields = {
  name: shortText,
  id: {
    type: ['string', 'number', 'null'],
    minLength: 1,
    maxLength: 255,
    pattern: '^(?! )[a-zA-Z0-9. _-]+(?<! )$',
  },
  ram: digits,
  vcpus: digits,
  disk: digits,
  'OS-FLV-EXT-DATA:ephemeral': digits,
  swap: digits,
  rxtx_factor: { type: ['number', 'string'], pattern: '^[0-9]+([.][0-9]+)?$' },
  'os-flavor-access:is_public': yesOrNo,
} as const satisfies Readonly<Record<string, Schema>>

const description: Schema = { type: ['string', 'null'], maxLength: 65_535 }

const flavor = (properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema =>
  wrapped('flavor', { type: 'object', properties, required, additionalProperties: false })

const REQUIRED = ['name', 'ram', 'vcpus', 'disk']

export const createSchema: Schema = flavor(fields, REQUIRED)
export const describedCreateSchema: Schema = flavor({ ...fields, description }, REQUIRED)
export const updateSchema: Schema = flavor({ description }, ['description'])

const specs: Schema = {
  type: 'object',
  patternProperties: { [METADATA_KEY]: { type: ['string', 'number'], maxLength: 255 } },
  additionalProperties: false,
}

export const specsSchema: Schema = wrapped('extra_specs', specs)
export const oneSpecSchema: Schema = { ...specs, minProperties: 1, maxProperties: 1 }

const project: Schema = {
  type: 'object',
  properties: { tenant: { type: 'string', pattern: '^[a-zA-Z0-9-]*$', minLength: 1, maxLength: 255 } },
  required: ['tenant'],
  additionalProperties: false,
}

export const accessActions = {
  addTenantAccess: wrapped('addTenantAccess', project),
  removeTenantAccess: wrapped('removeTenantAccess', project),
} as const
