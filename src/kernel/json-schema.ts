/** The parts of JSON Schema that Berth uses; http/formats/json-schema.ts checks values. */
export interface Schema {
  readonly type?: TypeName | readonly TypeName[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: false
  readonly required?: readonly string[]
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly uniqueItems?: true
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly anyOf?: readonly Schema[]
  readonly format?: 'uuid'
  /** For readers; checks nothing. */
  readonly description?: string
}

export type TypeName = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
