import { getMember, isList, isObject, type JsonValue, toText } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { quote, reason, verdictOf } from '../../framework/refusal.ts'
import { evaluateForm, type Value } from '../../operators/evaluate.ts'
import { type Form, parse } from '../../operators/form.ts'
import { definePoolFilter, definePoolReason, type PoolView } from '../pool-view.ts'

const SCOPE = 'capabilities'
const NOT_OF_POOLS = new Set(['availability_zones', `${SCOPE}:availability_zones`])

interface Want {
  readonly key: string
  readonly requirement: string
  readonly form: Form
  readonly path: readonly string[]
}

type MissingFacts = { readonly key: string; readonly requirement: string }

const remedyText = ({ key }: MissingFacts, pool: string): string =>
  `take ${key} out of the share type, or let ${pool} have what it asks for`

const memberText = () => 'no pool has what the share type requires.'

const missing = definePoolReason({
  code: 'pool-capability.missing',
  text: ({ key, requirement }: MissingFacts) =>
    `the share type asks for ${key} = ${quote(requirement)}, but the pool does not report it.`,
  hostsText: 'do not report KEY',
  remedy: remedyText,
  memberText,
})

type MismatchFacts = MissingFacts & { readonly value: string; readonly incomparable: string | null }

const mismatch = definePoolReason({
  code: 'pool-capability.mismatch',
  text({ key, requirement, value, incomparable }: MismatchFacts) {
    const why = incomparable === null ? '' : ` (${incomparable})`
    return `the share type asks for ${key} = ${quote(requirement)}, and the pool has ${quote(value)}${why}.`
  },
  hostsText: 'have another value of KEY',
  remedy: remedyText,
  memberText,
})

export const capabilitiesFilter = definePoolFilter({
  name: 'CapabilitiesFilter',
  summary: 'Compares the extra specs of the share type with what the pool can do.',
  reads: { extraSpecs: ['*', `${SCOPE}:*`], host: ['capabilities'] },
  reasons: [missing, mismatch],
  messageDetail: '008',
  check: ({ extraSpecs }, pool) =>
    verdictOf(wantsOf(extraSpecs).flatMap(want => judgeWant(want, pool) ?? [])),
})

/** Keys of other scopes are ignored. */
const wantsOf = memoizeByIdentity((specs: ReadonlyMap<string, string>): readonly Want[] =>
  [...specs].flatMap(([key, requirement]) => {
    if (NOT_OF_POOLS.has(key)) return []
    const parts = key.split(':')
    if (parts.length > 1 && parts[0] !== SCOPE) return []
    const path = parts[0] === SCOPE ? parts.slice(1) : parts
    return [{ key, requirement, form: parse(requirement, 'manila').form, path }]
  }),
)

function judgeWant({ key, requirement, form, path }: Want, pool: PoolView) {
  let found: JsonValue = pool.capabilities
  for (const part of path) found = isObject(found) ? (getMember(found, part) ?? null) : null
  if (found === null) return reason(missing, { key, requirement })
  const values: readonly JsonValue[] = isList(found) ? found : [found]
  let error: string | null = null
  for (const value of values) {
    const verdict = evaluateForm('manila', value as Value, form)
    if (verdict.matches) return null
    error ??= verdict.error
  }
  const value = isList(found) ? JSON.stringify(found) : toText(found)
  return reason(mismatch, { key, requirement, value, incomparable: error })
}
