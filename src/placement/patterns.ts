import type { Schema } from '../http/formats/json-schema.ts'
import type { Features } from './versions.ts'

/**
 * Schema parts that several folders share. Error texts quote the schemas and clients match on these texts;
 * the order of keywords and members decides which of several errors is reported. Both are part of the API.
 */

/** Names of resource classes, traits and consumer types. */
export const NAME = '^[A-Z0-9_]+$'
export const NAME_CUSTOM = '^CUSTOM_[A-Z0-9_]+$'
/** `all` and `unknown` select consumers by more than one type, or by none. */
export const CONSUMER_TYPE_ASKED = `${NAME}|^all|^unknown$`
/**
 * Uuids of providers and consumers. As in Placement, this accepts some texts that are not uuids, such as 36
 * dashes.
 */
export const UUID_KEY = '^[0-9a-fA-F-]{36}$'
/** The suffix that may follow `resources`, `required` and similar keys to name a group. */
export const GROUP_NUMBER = '[1-9][0-9]*'
export const GROUP_NAME = '[a-zA-Z0-9_-]{1,64}'

export const text: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }
export const uuid: Schema = { type: 'string', format: 'uuid' }
/** Ids of projects and users. Keystone defines their form. */
export const ownerId: Schema = { type: 'string', minLength: 1, maxLength: 255 }

/**
 * A schema that depends on features. Made once per set of features, because compiled schemas are cached by
 * identity.
 */
export function byFeatures(make: (features: Features) => Schema): (features: Features) => Schema {
  const made = new WeakMap<Features, Schema>()
  return features => {
    const known = made.get(features)
    if (known !== undefined) return known
    const schema = make(features)
    made.set(features, schema)
    return schema
  }
}
