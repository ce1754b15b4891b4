import { getOrCompute } from '../framework/memoize.ts'
import type { FilterRefusal } from '../framework/pipeline.ts'
import type { Blame } from '../framework/refusal.ts'
import { blameOf } from '../framework/refusal-text.ts'
import type { ServerAsk } from './server-spec.ts'

/** A change of the request, and how many hosts would pass with it. */
export type RequestRemedy = Asking & { readonly hosts: number }

type Asking =
  | { readonly kind: 'set-extra-spec'; readonly key: string; readonly value: string }
  | { readonly kind: 'drop-extra-spec'; readonly key: string; readonly value: string }
  | { readonly kind: 'drop-zone'; readonly zone: string }
  | { readonly kind: 'drop-hint'; readonly hint: 'same_host' | 'different_host' | 'query' }
  | { readonly kind: 'drop-image-property'; readonly property: string }
  | { readonly kind: 'drop-server-group'; readonly group: string }
  | { readonly kind: 'drop-host'; readonly host: string }

/**
 * For every part of the request that may exclude hosts: that part, and the request without it. Refusals come with the
 * number of hosts that have them.
 */
export function* requestRemedies(
  ask: ServerAsk,
  refusals: Iterable<readonly [FilterRefusal, number]>,
): Generator<Asking & { readonly ask: ServerAsk }> {
  const { spec } = ask
  const changeSpec = (part: Partial<ServerAsk['spec']>): ServerAsk => ({ ...ask, spec: { ...spec, ...part } })
  const blames = [...refusals].flatMap(([{ reasons }, hosts]) =>
    reasons.map(one => [blameOf(one), hosts] as const),
  )
  const blamed = new Set(blames.flatMap(([{ extraSpecs = [] }]) => extraSpecs))
  const imageProperties = new Set(blames.flatMap(([one]) => one.imageProperties ?? []))
  for (const [key, values] of valuesIn(blames))
    for (const value of values) {
      const flavor = { ...spec.flavor, extra_specs: { ...spec.flavor.extra_specs, [key]: value } }
      yield { kind: 'set-extra-spec', key, value, ask: changeSpec({ flavor }) }
    }
  for (const [key, value] of Object.entries(spec.flavor.extra_specs))
    if (blamed.has(key)) {
      const { [key]: _, ...extra_specs } = spec.flavor.extra_specs
      const flavor = { ...spec.flavor, extra_specs }
      yield { kind: 'drop-extra-spec', key, value, ask: changeSpec({ flavor }) }
    }
  if (spec.zone !== null) yield { kind: 'drop-zone', zone: spec.zone, ask: changeSpec({ zone: null }) }
  const { hints } = spec
  if (hints.same_host.length > 0)
    yield { kind: 'drop-hint', hint: 'same_host', ask: changeSpec({ hints: { ...hints, same_host: [] } }) }
  if (hints.different_host.length > 0)
    yield {
      kind: 'drop-hint',
      hint: 'different_host',
      ask: changeSpec({ hints: { ...hints, different_host: [] } }),
    }
  if (hints.query !== null)
    yield { kind: 'drop-hint', hint: 'query', ask: changeSpec({ hints: { ...hints, query: null } }) }
  const image = spec.image
  if (image !== null)
    for (const property of [...imageProperties].slice(0, PROPERTIES_MAX)) {
      if (!Object.hasOwn(image.properties, property)) continue
      const { [property]: _, ...properties } = image.properties
      yield { kind: 'drop-image-property', property, ask: changeSpec({ image: { ...image, properties } }) }
    }
  if (ask.group !== null) yield { kind: 'drop-server-group', group: ask.group, ask: { ...ask, group: null } }
  if (ask.host !== null) yield { kind: 'drop-host', host: ask.host, ask: { ...ask, host: null } }
}

/** How many values of one key are tried. */
const VALUES_MAX = 5

/** How many properties of the image are dropped, one at a time. */
const PROPERTIES_MAX = 20

/** For mismatched keys, the values that hosts have or their aggregates demand, most frequent first. */
function valuesIn(blames: readonly (readonly [Blame, number])[]): Map<string, string[]> {
  const counts = new Map<string, Map<string, number>>()
  for (const [blame, hosts] of blames) {
    if (blame.values === undefined) continue
    const { key, values } = blame.values
    const known = getOrCompute(counts, key, () => new Map<string, number>())
    for (const value of values) known.set(value, (known.get(value) ?? 0) + hosts)
  }
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
