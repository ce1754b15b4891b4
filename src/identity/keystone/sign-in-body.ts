import type { Schema } from '../../http/formats/json-schema.ts'

const text: Schema = { type: 'string', minLength: 1, maxLength: 255 }
const secret: Schema = { type: 'string', minLength: 1, maxLength: 8_192 }

/** By id or by name; Keystone says which one it needs. */
const domain: Schema = { type: 'object', properties: { id: text, name: text }, additionalProperties: false }
const named = { id: text, name: text, domain }

const identity = (method: string, proof: Schema): Schema => ({
  type: 'object',
  properties: {
    methods: { type: 'array', items: { enum: [method] }, minItems: 1, maxItems: 1 },
    [method]: proof,
  },
  required: ['methods', method],
  additionalProperties: false,
})

const byPassword = identity('password', {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      properties: { ...named, password: secret },
      required: ['password'],
      additionalProperties: false,
    },
  },
  required: ['user'],
  additionalProperties: false,
})

const byToken = identity('token', {
  type: 'object',
  properties: { id: secret },
  required: ['id'],
  additionalProperties: false,
})

const ofProject: Schema = {
  type: 'object',
  properties: { project: { type: 'object', properties: named, additionalProperties: false } },
  required: ['project'],
  additionalProperties: false,
}

/** All that is forwarded: a password or a token, and at most a project or "unscoped". */
export const signInSchema: Schema = {
  type: 'object',
  properties: {
    auth: {
      type: 'object',
      properties: {
        identity: { anyOf: [byPassword, byToken] },
        scope: { anyOf: [ofProject, { enum: ['unscoped'] }] },
      },
      required: ['identity'],
      additionalProperties: false,
    },
  },
  required: ['auth'],
  additionalProperties: false,
}
