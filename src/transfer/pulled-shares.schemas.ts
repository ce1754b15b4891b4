import { findFirstFault, type Schema } from '../http/formats/json-schema.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../kernel/number-bounds.ts'
import { ownValue } from '../kernel/records.ts'
import { METADATA_KEYS_MAX } from '../shares/share/change.ts'
import type { Value } from '../world/table.ts'
import type { PulledShareLine } from './pulled-shares.ts'

const text: Schema = { type: 'string', maxLength: 255 }
const name: Schema = { ...text, minLength: 1 }
const textOrNull: Schema = { ...text, type: ['string', 'null'] }
const nameOrNull: Schema = { ...name, type: ['string', 'null'] }
const longTextOrNull: Schema = { type: ['string', 'null'], maxLength: 4_096 }
const amount: Schema = { type: 'integer', minimum: 0, maximum: AMOUNT_MAX }
const atLeastOne: Schema = { ...amount, minimum: 1 }
const flag: Schema = { type: 'integer', enum: [0, 1] }
const time: Schema = { type: ['integer', 'null'], minimum: 0 }
const uuid: Schema = { type: 'string', format: 'uuid' }
/** As of a back end of Berth: a host, and names without the signs that part them. */
const backend: Schema = { ...text, pattern: '^[^.@#][^@#]{0,99}@[^.@#][^@#]{0,99}$' }
const POOL = '^[^.@#][^@#]{0,99}@[^.@#][^@#]{0,99}#[^.@#/][^@#/]{0,99}$'
const pool: Schema = { ...text, pattern: POOL }
const poolOrNull: Schema = { ...pool, type: ['string', 'null'] }
const json: Schema = { type: 'string', maxLength: 65_536 }
/** Each value has room for many uuids. */
const uuids: Schema = { type: 'string', maxLength: 65_536, pattern: '^([0-9a-f-]{36}(,[0-9a-f-]{36})*)?$' }

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: { ...properties, applied_by: { type: ['string', 'null'] } },
  required: Object.keys(properties),
  additionalProperties: false,
})

const rows: Readonly<Record<PulledShareLine['table'], Schema>> = {
  share_backends: object({
    backend,
    availability_zone: text,
    is_disabled: flag,
    disabled_reason: textOrNull,
    capabilities: json,
  }),
  share_pools: object({
    pool,
    backend,
    total_gb: atLeastOne,
    reserved_gb: amount,
    reserved_percentage: { ...amount, maximum: 100 },
    over_subscription: { type: 'number', minimum: 0.0001, maximum: RATIO_MAX },
    capabilities: json,
  }),
  shares: object({
    uuid,
    name: textOrNull,
    description: longTextOrNull,
    project_id: name,
    user_id: name,
    size: atLeastOne,
    protocol: name,
    share_type: uuid,
    pool: poolOrNull,
    target_pool: poolOrNull,
    status: name,
    task_state: nameOrNull,
    is_public: flag,
    availability_zone: textOrNull,
    snapshot: textOrNull,
    metadata: json,
    same_host: uuids,
    different_host: uuids,
    created_at: time,
  }),
}

const jsonColumns: Readonly<Record<string, Schema>> = {
  capabilities: { type: 'object' },
  metadata: {
    type: 'object',
    maxProperties: METADATA_KEYS_MAX,
    patternProperties: { '': { type: 'string', maxLength: 1_023 } },
  },
}

interface Fault {
  readonly field: string
  readonly message: string
}

/** What is wrong with such a row; null if nothing is. */
export function findPulledShareFault(
  table: PulledShareLine['table'],
  row: Readonly<Record<string, Value>>,
): Fault | null {
  const fault = findFirstFault(rows[table], row)
  if (fault !== null) return { field: fault.path, message: fault.message }
  for (const [field, schema] of Object.entries(jsonColumns)) {
    const text = ownValue(row, field)
    if (typeof text !== 'string') continue
    const value = parse(text)
    const inner = value === undefined ? { message: 'it is not JSON' } : findFirstFault(schema, value)
    if (inner !== null) return { field, message: inner.message }
    if (
      field === 'metadata' &&
      Object.entries(value as object)
        .flat()
        .some(isUnstorable)
    )
      return { field, message: 'it has a character that is not allowed (U+0000 or half a surrogate pair)' }
  }
  return null
}

const isUnstorable = (text: string): boolean => !text.isWellFormed() || text.includes('\0')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
