/** Random values that match a schema. */
import type { Schema } from '../../src/http/formats/json-schema.ts'
import type { Chance } from './chance.ts'

/** Names of fields that stand for something that exists. */
const MEANT: Readonly<Record<string, string>> = {
  flavor: '$flavor',
  host: '$host',
  instance: '$consumer',
  server_group: '$group',
  project: '$project',
  share_type: '$type',
  snapshot_id: '$snapshot',
  namespace: '$namespace',
  provider: '$provider',
}

export function fromSchema(chance: Chance, schema: Schema, name = '', depth = 0): unknown {
  if (MEANT[name] !== undefined && chance.percent(60)) return MEANT[name]
  if (schema.enum !== undefined) return chance.pick(schema.enum)
  if (schema.anyOf !== undefined) return fromSchema(chance, chance.pick(schema.anyOf), name, depth)
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  switch (type) {
    case 'object':
      return objectFrom(chance, schema, depth)
    case 'array': {
      const items = Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, chance.below(4)))
      return Array.from({ length: items }, () => fromSchema(chance, schema.items ?? {}, '', depth + 1))
    }
    case 'integer':
    case 'number':
      return bounded(chance, schema)
    case 'boolean':
      return chance.percent(50)
    case 'null':
      return null
    default:
      return schema.format === 'uuid'
        ? chance.pick(['$uuid', '$consumer', '$provider', '$share'])
        : chance.pick(['a', '$name', '>= 1', 'b'])
  }
}

function objectFrom(chance: Chance, schema: Schema, depth: number): unknown {
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties ?? {})
    .filter(([name]) => required.has(name) || chance.percent(depth > 3 ? 5 : 30))
    .map(([name, field]) => [name, fromSchema(chance, field, name, depth + 1)])
  const [named] = Object.values(schema.patternProperties ?? {})
  if (named !== undefined)
    for (const name of ['VCPU', 'a', 'rack'].slice(0, chance.below(4)))
      members.push([name, fromSchema(chance, named, '', depth + 1)])
  return Object.fromEntries(members)
}

/** A bound, its neighbours, or something small. */
function bounded(chance: Chance, { minimum, maximum }: Schema): number {
  const low = minimum ?? 0
  const high = maximum ?? 100
  return chance.pick([low, low + 1, high, high - 1, Math.min(high, Math.max(low, chance.below(10)))])
}
