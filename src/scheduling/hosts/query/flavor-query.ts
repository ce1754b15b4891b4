import { isList, type JsonValue, toText } from '../../framework/json-value.ts'
import type { SchedulingSettings } from '../../framework/settings.ts'
import { parseYesOrNo } from '../../operators/python-text.ts'
import { type FlavorView, type ImageView, NO_IMAGE, type SchedulingRequest } from '../request-view.ts'
import { isAnyOf, readAnyOf } from './any-traits.ts'
import { type HardwareFault, translateHardware, translatePinning } from './hardware-specs.ts'
import { isUnreadWish } from './key-readers.ts'
import type { PlacementQuery } from './placement-query.ts'
import { type FlavorWarning, QueryDraft } from './query-draft.ts'
import { isWishValue } from './trait-wishes.ts'

export type FlavorQuery =
  | { readonly ok: true; readonly query: PlacementQuery; readonly warnings: readonly FlavorWarning[] }
  /** The flavor, alone or with the image, cannot be translated at all. */
  | { readonly ok: false; readonly faults: readonly HardwareFault[] }

interface FlavorQueryOptions {
  /** Whether to translate `hw:cpu_policy` and related keys. */
  readonly translatePinning?: boolean
}

/** The Placement query of a flavor with the image. */
export function translateFlavor(
  { flavor, image, isVolumeBacked }: Pick<SchedulingRequest, 'flavor' | 'image' | 'isVolumeBacked'>,
  { candidatesMax }: Pick<SchedulingSettings, 'candidatesMax'>,
  { translatePinning: translatesPinning = true }: FlavorQueryOptions = {},
): FlavorQuery {
  const draft = new QueryDraft()
  const faults: HardwareFault[] = []
  for (const [key, value] of flavor.extraSpecs) faults.push(...addExtraSpec(draft, key, value))
  faults.push(...addImageTraits(draft, image ?? NO_IMAGE))
  warnOfUnread(draft, flavor, image ?? NO_IMAGE)
  if (translatesPinning) faults.push(...translatePinning(draft, flavor, image ?? NO_IMAGE))
  addSizes(draft, flavor, isVolumeBacked)
  faults.push(...translateHardware(draft, flavor, image ?? NO_IMAGE))
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, query: draft.finish(candidatesMax), warnings: draft.warnings }
}

/** `resources[S]:CLASS`, `trait[S]:NAME`, where S is the suffix of a request group. */
const KEY = /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:([^\n]*)$/

function addExtraSpec(draft: QueryDraft, key: string, value: string): HardwareFault[] {
  if (key === 'group_policy') {
    if (value === 'none' || value === 'isolate') draft.groupPolicy = value
    else draft.warnings.push({ code: 'bad-group-policy', key, value })
    return []
  }
  const [, prefix, suffix = '', name] = KEY.exec(key) ?? []
  if (prefix === undefined || name === undefined) {
    if (/^(resources|trait)[^:]*:/.test(key)) draft.warnings.push({ code: 'bad-suffix', key, value })
    return []
  }
  if (prefix === 'trait') return addTrait(draft, suffix, name, key, value)
  draft.addAskedResource(suffix, name, key, value)
  return []
}

/**
 * `required`, `forbidden`, or `in:A,B` for any of these; then the name only needs to be unique. `preferred` and `avoided`
 * are no part of the query: a weigher reads them.
 */
function addTrait(
  draft: QueryDraft,
  suffix: string,
  name: string,
  key: string,
  value: string,
): HardwareFault[] {
  if (isAnyOf(value)) {
    const read = readAnyOf(value)
    if (!read.ok) return [{ code: 'bad-any-trait', from: 'flavor', key, value, fault: read.fault }]
    draft.addAnyOf(suffix, read.traits)
  } else if (value !== 'required' && value !== 'forbidden' && !isWishValue(value))
    draft.warnings.push({ code: 'bad-trait-value', key, value })
  else if (name === '') draft.warnings.push({ code: 'no-trait-name', key, value })
  else if (!isWishValue(value)) draft.addTrait(suffix, name, value)
  return []
}

/** A list, as in Nova: of names and, for alternatives, of lists of names. */
function addImageTraits(draft: QueryDraft, { properties }: ImageView): HardwareFault[] {
  const key = 'traits_required'
  const given = properties.get(key) ?? []
  const makeFault = (value: JsonValue): HardwareFault => ({
    code: 'bad-any-trait',
    from: 'image',
    key,
    value,
    fault: 'is not a list of traits',
  })
  if (!isList(given)) return [makeFault(given)]
  return given.flatMap(one => {
    if (typeof one === 'string') draft.addTrait('', one, 'required')
    else if (isList(one) && one.length > 0 && one.every(name => typeof name === 'string'))
      draft.addAnyOf('', one)
    else return [makeFault(one)]
    return []
  })
}

/** Boolean, in a flavor as `hw:name` and in an image as `hw_name`. As in Nova, anything else is false. */
const FLAGS = ['mem_encryption', 'ephemeral_encryption', 'cpu_realtime'] as const

/** Requests that nothing reads. */
function warnOfUnread({ warnings }: QueryDraft, { extraSpecs }: FlavorView, { properties }: ImageView): void {
  const given: (readonly [string, JsonValue])[] = [...extraSpecs, ...properties]
  for (const [key, value] of given) {
    const isFlag = FLAGS.some(name => key === `hw:${name}` || key === `hw_${name}`)
    const text = toText(value)
    if (isFlag && text !== '' && parseYesOrNo(text) === null)
      warnings.push({ code: 'bad-flag', key, value: text })
    if (isUnreadWish(key)) warnings.push({ code: 'unread-wish', key, value: text })
  }
}

/** The flavor's own sizes, unless an extra spec names the class. */
function addSizes(draft: QueryDraft, flavor: FlavorView, isVolumeBacked: boolean): void {
  if (!draft.names('VCPU') && !draft.names('PCPU')) draft.addResource('VCPU', flavor.vcpus)
  if (!draft.names('MEMORY_MB')) draft.addResource('MEMORY_MB', flavor.ramMib)
  const { rootGb, ephemeralGb, swapMib } = flavor
  const diskGb = (isVolumeBacked ? 0 : rootGb) + ephemeralGb + Math.ceil(swapMib / 1024)
  if (!draft.names('DISK_GB')) draft.addResource('DISK_GB', diskGb)
}
