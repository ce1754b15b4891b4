import { type HardwareFault, translateHardware, translatePinning } from './hardware-specs.ts'
import { stripped } from './operators/python-text.ts'
import type { PlacementQuery } from './placement-query.ts'
import { type FlavorWarning, QueryDraft } from './query-draft.ts'
import { type FlavorView, type ImageView, NO_IMAGE, type SchedulingRequest } from './request-view.ts'
import type { SchedulingSettings } from './settings.ts'

export type FlavorQuery =
  | { readonly ok: true; readonly query: PlacementQuery; readonly warnings: readonly FlavorWarning[] }
  /** The flavor, or it and the image together, cannot be translated at all. */
  | { readonly ok: false; readonly faults: readonly HardwareFault[] }

export interface FlavorQueryOptions {
  /** Whether `hw:cpu_policy` and its like are looked at. */
  readonly translatePinning?: boolean
}

/** What a flavor, together with the image, asks of Placement. */
export function flavorQuery(
  { flavor, image, isVolumeBacked }: Pick<SchedulingRequest, 'flavor' | 'image' | 'isVolumeBacked'>,
  { candidatesMax }: Pick<SchedulingSettings, 'candidatesMax'>,
  { translatePinning: translatesPinning = true }: FlavorQueryOptions = {},
): FlavorQuery {
  const draft = new QueryDraft()
  const faults: HardwareFault[] = []
  for (const [key, value] of flavor.extraSpecs) addExtraSpec(draft, key, value)
  addImageTraits(draft, image ?? NO_IMAGE)
  if (translatesPinning) faults.push(...translatePinning(draft, flavor, image ?? NO_IMAGE))
  addSizes(draft, flavor, isVolumeBacked)
  faults.push(...translateHardware(draft, flavor, image ?? NO_IMAGE))
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, query: draft.finished(candidatesMax), warnings: draft.warnings }
}

/** `resources[S]:CLASS`, `trait[S]:NAME`, S being what may follow such a word in a query. */
const KEY = /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:([^\n]*)$/

function addExtraSpec(draft: QueryDraft, key: string, value: string): void {
  if (key === 'group_policy') {
    if (value === 'none' || value === 'isolate') draft.groupPolicy = value
    else draft.warnings.push({ code: 'bad-group-policy', key, value })
    return
  }
  const [, prefix, suffix = '', name] = KEY.exec(key) ?? []
  if (prefix === undefined || name === undefined) return
  if (prefix === 'resources') draft.addAskedResource(suffix, name, key, value)
  else addTrait(draft, suffix, name, key, value)
}

const ANY = 'in:'

/** `required`, `forbidden`, or `in:A,B` for any of these; then the name only keeps one key apart from another. */
function addTrait(draft: QueryDraft, suffix: string, name: string, key: string, value: string): void {
  if (value.startsWith(ANY)) {
    const traits = [...new Set(value.slice(ANY.length).split(',').map(stripped))]
    if (traits.every(trait => TRAIT.test(trait))) draft.addAnyOf(suffix, traits)
    else draft.warnings.push({ code: 'bad-trait-value', key, value })
  } else if (value !== 'required' && value !== 'forbidden')
    draft.warnings.push({ code: 'bad-trait-value', key, value })
  else if (name === '') draft.warnings.push({ code: 'no-trait-name', key, value })
  else draft.addTrait(suffix, name, value)
}

const TRAIT = /^[A-Z0-9_]+$/

function addImageTraits(draft: QueryDraft, { properties }: ImageView): void {
  const traits = properties.get('traits_required')
  if (!Array.isArray(traits)) return
  for (const trait of traits) if (typeof trait === 'string') draft.addTrait('', trait, 'required')
}

/** The flavor's own sizes, where no extra spec names the class. */
function addSizes(draft: QueryDraft, flavor: FlavorView, isVolumeBacked: boolean): void {
  if (!draft.names('VCPU') && !draft.names('PCPU')) draft.addResource('VCPU', flavor.vcpus)
  if (!draft.names('MEMORY_MB')) draft.addResource('MEMORY_MB', flavor.ramMib)
  const { rootGb, ephemeralGb, swapMib } = flavor
  const diskGb = (isVolumeBacked ? 0 : rootGb) + ephemeralGb + Math.ceil(swapMib / 1024)
  if (!draft.names('DISK_GB')) draft.addResource('DISK_GB', diskGb)
}
