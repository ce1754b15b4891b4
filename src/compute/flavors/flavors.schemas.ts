import type { Schema } from '../../http/formats/json-schema.ts'
import {
  flag,
  links,
  listOf,
  mapOf,
  number,
  objectOf,
  oneOf,
  text,
  textOrNull,
  whole,
} from '../../http/formats/schema-forms.ts'
import { digits, METADATA_KEY, shortText, wrapSchema, yesOrNo } from '../bodies.ts'
import type { Features } from '../versions.ts'

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
  wrapSchema('flavor', { type: 'object', properties, required, additionalProperties: false })

const REQUIRED = ['name', 'ram', 'vcpus', 'disk']

const createSchema: Schema = flavor(fields, REQUIRED)
const describedCreateSchema: Schema = flavor({ ...fields, description }, REQUIRED)
export const createSchemaFor = ({ flavorDescription }: Features): Schema =>
  flavorDescription ? describedCreateSchema : createSchema
export const updateSchema: Schema = flavor({ description }, ['description'])

const specs: Schema = {
  type: 'object',
  patternProperties: { [METADATA_KEY]: { type: ['string', 'number'], maxLength: 255 } },
  additionalProperties: false,
}

export const specsSchema: Schema = wrapSchema('extra_specs', specs)
export const oneSpecSchema: Schema = { ...specs, minProperties: 1, maxProperties: 1 }

const project: Schema = {
  type: 'object',
  properties: { tenant: { type: 'string', pattern: '^[a-zA-Z0-9-]*$', minLength: 1, maxLength: 255 } },
  required: ['tenant'],
  additionalProperties: false,
}

export const accessActions = {
  addTenantAccess: wrapSchema('addTenantAccess', project),
  removeTenantAccess: wrapSchema('removeTenantAccess', project),
} as const

/** Version 2.75 made a number of an absent swap. */
export const flavorSchema = (features: Features): Schema =>
  objectOf(
    {
      id: text,
      name: text,
      ram: whole,
      disk: whole,
      swap: features.strictQueries ? whole : { anyOf: [{ ...whole, minimum: 1 }, oneOf('')] },
      'OS-FLV-EXT-DATA:ephemeral': whole,
      'OS-FLV-DISABLED:disabled': flag,
      vcpus: whole,
      'os-flavor-access:is_public': flag,
      rxtx_factor: number,
      links,
      ...(features.flavorDescription && { description: textOrNull }),
    },
    features.flavorExtraSpecs ? { extra_specs: mapOf(text) } : {},
  )

export const briefFlavorSchema = (features: Features): Schema =>
  objectOf({ id: text, name: text, links, ...(features.flavorDescription && { description: textOrNull }) })

export const flavorAnswerSchema = (features: Features): Schema => objectOf({ flavor: flavorSchema(features) })

export const flavorsAnswerSchema = (each: Schema): Schema =>
  objectOf({ flavors: listOf(each) }, { flavors_links: links })

/** Returned as received, so that numbers stay numbers. */
export const specsAnswerSchema: Schema = objectOf({ extra_specs: mapOf({ type: ['string', 'number'] }) })
export const oneSpecAnswerSchema: Schema = mapOf({ type: ['string', 'number'] })

export const accessAnswerSchema: Schema = objectOf({
  flavor_access: listOf(objectOf({ flavor_id: text, tenant_id: text })),
})
