import { isList, isObject, type JsonValue, memberOf, textOf } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { type Reason, reason, verdictOf } from '../../framework/refusal.ts'
import { evaluateForm, type Value } from '../../operators/evaluate.ts'
import { type Form, parse } from '../../operators/form.ts'
import type { PoolFilter, PoolView } from '../pool-view.ts'

const SCOPE = 'capabilities'
const NOT_OF_POOLS = new Set(['availability_zones', `${SCOPE}:availability_zones`])

interface Want {
  readonly key: string
  readonly requirement: string
  readonly form: Form
  readonly path: readonly string[]
}

export const capabilitiesFilter: PoolFilter = {
  name: 'CapabilitiesFilter',
  summary: 'Compares the extra specs of the share type with what the pool can do.',
  reads: { extraSpecs: ['*', `${SCOPE}:*`], host: ['capabilities'] },
  check({ extraSpecs }, pool) {
    const reasons: Reason[] = []
    for (const want of wantsOf(extraSpecs)) {
      const found = judged(want, pool)
      if (found !== null) reasons.push(found)
    }
    return verdictOf(reasons, [])
  },
}

/** Keys of another scope are for somebody else. */
const wantsOf = memoizeByIdentity((specs: ReadonlyMap<string, string>): readonly Want[] =>
  [...specs].flatMap(([key, requirement]) => {
    if (NOT_OF_POOLS.has(key)) return []
    const parts = key.split(':')
    if (parts.length > 1 && parts[0] !== SCOPE) return []
    const path = parts[0] === SCOPE ? parts.slice(1) : parts
    return [{ key, requirement, form: parse(requirement, 'manila').form, path }]
  }),
)

function judged({ key, requirement, form, path }: Want, pool: PoolView): Reason | null {
  let found: JsonValue = pool.capabilities
  for (const part of path) found = isObject(found) ? (memberOf(found, part) ?? null) : null
  if (found === null) return reason('pool-capability.missing', { key, requirement })
  const values: readonly JsonValue[] = isList(found) ? found : [found]
  let error: string | null = null
  for (const value of values) {
    const verdict = evaluateForm('manila', value as Value, form)
    if (verdict.matches) return null
    error ??= verdict.error
  }
  const value = isList(found) ? JSON.stringify(found) : textOf(found)
  return reason('pool-capability.mismatch', { key, requirement, value, incomparable: error })
}
