import type { Filter } from '../../framework/filter.ts'
import { isObject, type JsonValue, memberOf, parsedJson, textOf } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { type Reason, reason, verdictOf } from '../../framework/refusal.ts'
import { evaluateForm } from '../../operators/evaluate.ts'
import { type Form, parse } from '../../operators/form.ts'
import type { HostView } from '../host-view.ts'
import type { FlavorView } from '../request-view.ts'

const SCOPE = 'capabilities'
const ADDRESS_BITS = 'hw:maxphysaddr_bits'

interface Want {
  readonly key: string
  readonly requirement: string
  readonly form: Form
  readonly path: readonly string[]
  /** Asked only of hosts that have the attribute. */
  readonly isOptional: boolean
}

export const computeCapabilitiesFilter: Filter = {
  name: 'ComputeCapabilitiesFilter',
  summary:
    'Compares extra specs with what the host reports. A bare key counts where the host has such an attribute; ' +
    '`capabilities:a:b` must be there.',
  reads: { extraSpecs: ['*', `${SCOPE}:*`, ADDRESS_BITS], host: ['attributes'] },
  check({ flavor }, host) {
    const reasons: Reason[] = []
    for (const want of wantsOf(flavor)) {
      const reason = judged(want, host)
      if (reason !== null) reasons.push(reason)
    }
    return verdictOf(reasons, [])
  },
}

const wantsOf = memoizeByIdentity(({ extraSpecs }: FlavorView) =>
  [...extraSpecs].flatMap(([key, requirement]) => wantOf(key, requirement)),
)

function wantOf(key: string, text: string): Want[] {
  const want = (requirement: string, path: readonly string[], isOptional: boolean): Want[] => [
    { key, requirement, form: parse(requirement, 'nova').form, path, isOptional },
  ]
  if (key === ADDRESS_BITS) return want(`>= ${text}`, ['cpu_info', 'maxphysaddr', 'bits'], false)
  const [scope, ...path] = key.split(':')
  if (path.length === 0) return want(text, [key], true)
  return scope === SCOPE ? want(text, path, false) : []
}

function judged({ key, requirement, form, path, isOptional }: Want, host: HostView): Reason | null {
  if (isOptional && !hasAttribute(host, key)) return null
  const found = foundAt(host, path)
  if (found === null) return reason('capability.missing', { key, requirement, path })
  const value = textOf(found)
  const { matches, error } = evaluateForm('nova', value, form)
  if (matches) return null
  return reason('capability.mismatch', { key, requirement, value, incomparable: error })
}

const hasAttribute = (host: HostView, name: string): boolean =>
  host.attribute(name) !== undefined || statOf(host, name) !== undefined

function statOf(host: HostView, name: string): JsonValue | undefined {
  const stats = host.attribute('stats')
  return isObject(stats) ? memberOf(stats, name) : undefined
}

/** An attribute or, failing that, a statistic; then member by member. A text on the way is read as JSON. */
function foundAt(host: HostView, [first, ...members]: readonly string[]): JsonValue {
  const name = first as string
  let found: JsonValue = host.attribute(name) ?? statOf(host, name) ?? null
  for (const member of members) {
    if (typeof found === 'string') found = parsedJson(found) ?? null
    found = isObject(found) ? (memberOf(found, member) ?? null) : null
  }
  return found
}
