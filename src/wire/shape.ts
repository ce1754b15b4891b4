import type { Schema } from '../kernel/json-schema.ts'

/**
 * The shapes of /v1's requests and answers: one description gives the TypeScript type, the check and the
 * OpenAPI document. They are plain JSON schemas, so they need no library.
 */
export interface Shape<T> {
  readonly schema: Schema
  /** Never present; carries the type. */
  readonly of?: T
}

/** The type that a shape describes. */
export type TypeOf<S> = S extends Shape<infer T> ? T : never

const shape = <T>(schema: Schema): Shape<T> => ({ schema })

export const text = (description: string, rules: Pick<Schema, 'minLength' | 'maxLength' | 'pattern'> = {}) =>
  shape<string>({ type: 'string', ...rules, description })

export const uuid = (description: string) => shape<string>({ type: 'string', format: 'uuid', description })

export const whole = (description: string, rules: Pick<Schema, 'minimum' | 'maximum'> = {}) =>
  shape<number>({ type: 'integer', ...rules, description })

export const number = (description: string, rules: Pick<Schema, 'minimum' | 'maximum'> = {}) =>
  shape<number>({ type: 'number', ...rules, description })

export const yesOrNo = (description: string) => shape<boolean>({ type: 'boolean', description })

/** Any JSON value. */
export const anything = (description: string) => shape<unknown>({ description })

export const oneOf = <const V extends string>(description: string, ...values: readonly V[]) =>
  shape<V>({ type: 'string', enum: values, description })

export const orNull = <T>({ schema }: Shape<T>) =>
  shape<T | null>({ anyOf: [schema, { type: 'null' }], ...describeSchema(schema) })

/** An object whose members depend on its kind. */
export const anyObject = (description: string) =>
  shape<Readonly<Record<string, unknown>>>({ type: 'object', description })

/** One or the other. */
export const either = <A, B>(description: string, one: Shape<A>, other: Shape<B>) =>
  shape<A | B>({ anyOf: [one.schema, other.schema], description })

export const list = <T>(
  items: Shape<T>,
  description: string,
  rules: Pick<Schema, 'minItems' | 'maxItems'> = {},
) => shape<readonly T[]>({ type: 'array', ...rules, items: items.schema, description })

/** An object whose keys are data: names or uuids. */
export const byName = <T>(values: Shape<T>, description: string, rules: Pick<Schema, 'maxProperties'> = {}) =>
  shape<Readonly<Record<string, T>>>({
    type: 'object',
    ...rules,
    patternProperties: { '': values.schema },
    description,
  })

type Fields = Readonly<Record<string, Shape<unknown>>>
type Whole<F extends Fields, O extends Fields> = { readonly [K in keyof F]: TypeOf<F[K]> } & {
  readonly [K in keyof O]?: TypeOf<O[K]>
}

export function object<F extends Fields, O extends Fields = Record<never, never>>(
  description: string,
  fields: F,
  optional: O = {} as O,
): Shape<Whole<F, O>> {
  const properties = Object.fromEntries(
    Object.entries({ ...fields, ...optional }).map(([name, field]) => [name, field.schema]),
  )
  return shape({
    type: 'object',
    properties,
    required: Object.keys(fields),
    additionalProperties: false,
    description,
  })
}

/** The fields that every such object has; it may have more. */
export function openObject<F extends Fields, O extends Fields = Record<never, never>>(
  description: string,
  fields: F,
  optional: O = {} as O,
): Shape<Whole<F, O>> {
  const { additionalProperties: _, ...schema } = object(description, fields, optional).schema
  return shape(schema)
}

function describeSchema(schema: Schema): { description?: string } {
  return schema.description === undefined ? {} : { description: schema.description }
}
