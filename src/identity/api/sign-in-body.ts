import type { Schema } from '../../http/formats/json-schema.ts'
import { anyValue, oneOf, text } from '../../http/formats/schema-forms.ts'

/** An object with these members. Others are ignored. */
const having = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const domain: Schema = { anyOf: [having({ id: text }), having({ name: text })] }
/** By id, or by name and domain. */
const identified: Schema = { type: 'object', anyOf: [having({ id: text }), having({ name: text, domain })] }

const methods = (method: string): Schema => ({
  type: 'array',
  items: oneOf(method),
  minItems: 1,
  maxItems: 1,
})
const identity = (method: string, proof: Schema): Schema =>
  having({ methods: methods(method), [method]: proof })

const byPassword = identity('password', having({ user: { ...identified, ...having({ password: text }) } }))
const byToken = identity('token', having({ id: text }))
const byCredential = identity('application_credential', {
  ...having({ secret: text }),
  anyOf: [having({ id: text }), having({ name: text, user: identified })],
})

/** Methods that are not used are only checked to be objects. */
const proofs: Schema = {
  type: 'object',
  properties: { password: having({}), token: having({}), application_credential: having({}) },
}

const scope: Schema = {
  anyOf: [having({ project: identified }), having({ unscoped: anyValue }), oneOf('unscoped')],
}

/** The credentials. `signIn` reads them step by step and refuses invalid ones with errors that reveal no reason. */
export const signInBodySchema: Schema = having({
  auth: {
    type: 'object',
    properties: {
      identity: { ...proofs, anyOf: [byPassword, byToken, byCredential] },
      scope,
    },
    required: ['identity'],
  },
})
