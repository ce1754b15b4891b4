import type { FilterRefusal } from '../framework/pipeline.ts'
import type { Reason } from '../framework/refusal.ts'
import type { ServerAsk } from './server-spec.ts'

/** Something that could be asked otherwise, and how many hosts would then do. */
export type RequestRemedy = Asking & { readonly hosts: number }

type Asking =
  | { readonly kind: 'set-extra-spec'; readonly key: string; readonly value: string }
  | { readonly kind: 'drop-extra-spec'; readonly key: string; readonly value: string }
  | { readonly kind: 'drop-zone'; readonly zone: string }
  | { readonly kind: 'drop-hint'; readonly hint: 'same_host' | 'different_host' | 'query' }
  | { readonly kind: 'drop-image-property'; readonly property: string }
  | { readonly kind: 'drop-server-group'; readonly group: string }
  | { readonly kind: 'drop-host'; readonly host: string }

/** Every single thing that somebody may have said no to, and the request without it. */
export function* requestRemedies(
  ask: ServerAsk,
  refusals: Iterable<FilterRefusal>,
): Generator<Asking & { readonly ask: ServerAsk }> {
  const { spec } = ask
  const changed = (part: Partial<ServerAsk['spec']>): ServerAsk => ({ ...ask, spec: { ...spec, ...part } })
  const blame = [...refusals]
  const blamed = keysIn(blame)
  for (const [key, values] of valuesIn(blame))
    for (const value of values) {
      const flavor = { ...spec.flavor, extra_specs: { ...spec.flavor.extra_specs, [key]: value } }
      yield { kind: 'set-extra-spec', key, value, ask: changed({ flavor }) }
    }
  for (const [key, value] of Object.entries(spec.flavor.extra_specs))
    if (blamed.has(key)) {
      const { [key]: _, ...extra_specs } = spec.flavor.extra_specs
      const flavor = { ...spec.flavor, extra_specs }
      yield { kind: 'drop-extra-spec', key, value, ask: changed({ flavor }) }
    }
  if (spec.zone !== null) yield { kind: 'drop-zone', zone: spec.zone, ask: changed({ zone: null }) }
  const { hints } = spec
  if (hints.same_host.length > 0)
    yield { kind: 'drop-hint', hint: 'same_host', ask: changed({ hints: { ...hints, same_host: [] } }) }
  if (hints.different_host.length > 0)
    yield {
      kind: 'drop-hint',
      hint: 'different_host',
      ask: changed({ hints: { ...hints, different_host: [] } }),
    }
  if (hints.query !== null)
    yield { kind: 'drop-hint', hint: 'query', ask: changed({ hints: { ...hints, query: null } }) }
  const image = spec.image
  if (image !== null)
    for (const property of propertiesIn(blame).slice(0, PROPERTIES_MAX)) {
      if (!Object.hasOwn(image.properties, property)) continue
      const { [property]: _, ...properties } = image.properties
      yield { kind: 'drop-image-property', property, ask: changed({ image: { ...image, properties } }) }
    }
  if (ask.group !== null) yield { kind: 'drop-server-group', group: ask.group, ask: { ...ask, group: null } }
  if (ask.host !== null) yield { kind: 'drop-host', host: ask.host, ask: { ...ask, host: null } }
}

/** How many values of one key are tried. */
const VALUES_MAX = 5

/** The values that hosts have, or that their aggregates demand, of keys that do not agree: the most frequent first. */
function valuesIn(refusals: readonly FilterRefusal[]): Map<string, string[]> {
  const counts = new Map<string, Map<string, number>>()
  const count = (key: string, values: Iterable<string>) => {
    const known = counts.get(key) ?? new Map<string, number>()
    counts.set(key, known)
    for (const value of values) known.set(value, (known.get(value) ?? 0) + 1)
  }
  for (const { reasons } of refusals)
    for (const { code, facts } of reasons)
      if (code === 'extra-spec.mismatch')
        count(
          facts.key,
          facts.found.flatMap(({ values }) => values),
        )
      else if (code === 'demand.missing' || code === 'demand.mismatch')
        count(facts.flavor?.key ?? facts.name, facts.values)
  return new Map(
    [...counts].map(([key, known]) => [
      key,
      [...known]
        .sort(([, a], [, b]) => b - a)
        .slice(0, VALUES_MAX)
        .map(([value]) => value),
    ]),
  )
}

/** How many properties of the image are tried to be done without. */
const PROPERTIES_MAX = 20

/** What each reason about an image looks at. */
const PROPERTIES: Partial<Readonly<Record<Reason['code'], readonly string[]>>> = {
  'image.unsupported': ['hw_architecture', 'img_hv_type', 'hw_vm_mode'],
  'image.hypervisor-version': ['img_hv_requested_version'],
  'image.address-bits': ['hw_maxphysaddr_bits'],
}

/** The properties of the image that some filter looked at and did not like. */
function propertiesIn(refusals: readonly FilterRefusal[]): string[] {
  const names = new Set<string>()
  for (const { reasons } of refusals)
    for (const { code, facts } of reasons) {
      if ('property' in facts) names.add(facts.property)
      for (const name of PROPERTIES[code] ?? []) names.add(name)
    }
  return [...names]
}

/** The keys of the flavor that some filter named. */
function keysIn(refusals: Iterable<FilterRefusal>): Set<string> {
  const keys = new Set<string>()
  for (const { reasons } of refusals)
    for (const { facts } of reasons) {
      if ('key' in facts) keys.add(facts.key)
      if ('flavor' in facts && typeof facts.flavor === 'object' && facts.flavor !== null)
        keys.add(facts.flavor.key)
    }
  return keys
}
