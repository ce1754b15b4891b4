import { defineFilter } from '../../framework/filter.ts'
import { getMember, isObject, type JsonValue, parseJson, toText } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { defineReason, quote, type ReasonBy, reason, verdictOf } from '../../framework/refusal.ts'
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
  /** Only checked on hosts that have the attribute. */
  readonly isOptional: boolean
}

type MissingFacts = { readonly key: string; readonly requirement: string; readonly path: readonly string[] }

const missing = defineReason({
  code: 'capability.missing',
  text: ({ path, ...wish }: MissingFacts) =>
    `${requirementText(wish)}, but the host reports no ${path.join(':')}.`,
  hostsText: 'do not report KEY',
  remedy: remedyText,
  blames: ({ key }) => ({ extraSpecs: [key] }),
})

type MismatchFacts = {
  readonly key: string
  readonly requirement: string
  readonly value: string
  /** Why the two cannot be compared at all; null if they can. */
  readonly incomparable: string | null
}

const mismatch = defineReason({
  code: 'capability.mismatch',
  text: ({ value, incomparable, ...wish }: MismatchFacts) =>
    `${requirementText(wish)}, but the host reports ${quote(value)}${incomparable === null ? '' : ` (${incomparable})`}.`,
  hostsText: 'report another value of KEY',
  remedy: remedyText,
  blames: ({ key }) => ({ extraSpecs: [key] }),
})

function requirementText({ key, requirement }: Pick<Want, 'key' | 'requirement'>): string {
  return `the flavor asks for ${key} = ${quote(requirement)}`
}

function remedyText({ key }: Pick<Want, 'key'>, host: string): string {
  return `remove ${key} from the flavor, or let ${host} report what it asks for`
}

export const computeCapabilitiesFilter = defineFilter({
  name: 'ComputeCapabilitiesFilter',
  summary:
    'Compares extra specs with what the host reports. A bare key counts where the host has such an attribute; ' +
    '`capabilities:a:b` must be there.',
  reads: { extraSpecs: ['*', `${SCOPE}:*`, ADDRESS_BITS], host: ['attributes'] },
  reasons: [missing, mismatch],
  example: {
    passes: {
      extra_specs: { 'capabilities:cpu_info:vendor': '<in> Intel' },
      host: { attributes: { cpu_info: { vendor: 'GenuineIntel' } } },
    },
    refused: {
      extra_specs: { 'capabilities:hypervisor_version': '>= 8000000' },
      host: { attributes: { hypervisor_version: 7002000 } },
    },
    text: 'the flavor asks for capabilities:hypervisor_version = ">= 8000000", but the host reports "7002000".',
  },
  check({ flavor }, host) {
    // A loop: most hosts pass, and `flatMap` makes a list for each of them.
    const reasons: ReasonBy<[typeof missing, typeof mismatch]>[] = []
    for (const want of wantsOf(flavor)) {
      const found = judgeWant(want, host)
      if (found !== null) reasons.push(found)
    }
    return verdictOf(reasons)
  },
})

const wantsOf = memoizeByIdentity(({ extraSpecs }: FlavorView) =>
  [...extraSpecs].flatMap(([key, requirement]) => makeWants(key, requirement)),
)

function makeWants(key: string, text: string): Want[] {
  const want = (requirement: string, path: readonly string[], isOptional: boolean): Want[] => [
    { key, requirement, form: parse(requirement, 'nova').form, path, isOptional },
  ]
  if (key === ADDRESS_BITS) return want(`>= ${text}`, ['cpu_info', 'maxphysaddr', 'bits'], false)
  const [scope, ...path] = key.split(':')
  if (path.length === 0) return want(text, [key], true)
  return scope === SCOPE ? want(text, path, false) : []
}

function judgeWant({ key, requirement, form, path, isOptional }: Want, host: HostView) {
  if (isOptional && !hasAttribute(host, key)) return null
  const found = findAt(host, path)
  if (found === null) return reason(missing, { key, requirement, path })
  const value = toText(found)
  const { matches, error } = evaluateForm('nova', value, form)
  if (matches) return null
  return reason(mismatch, { key, requirement, value, incomparable: error })
}

const hasAttribute = (host: HostView, name: string): boolean =>
  host.attribute(name) !== undefined || getStat(host, name) !== undefined

function getStat(host: HostView, name: string): JsonValue | undefined {
  const stats = host.attribute('stats')
  return isObject(stats) ? getMember(stats, name) : undefined
}

/** An attribute or else a statistic; then member by member. A text on the way is parsed as JSON. */
function findAt(host: HostView, [first, ...members]: readonly string[]): JsonValue {
  const name = first as string
  let found: JsonValue = host.attribute(name) ?? getStat(host, name) ?? null
  for (const member of members) {
    if (typeof found === 'string') found = parseJson(found) ?? null
    found = isObject(found) ? (getMember(found, member) ?? null) : null
  }
  return found
}
