import { DEFAULT_SETTINGS } from '../../scheduling/framework/settings.ts'
import { translateFlavor } from '../../scheduling/hosts/query/flavor-query.ts'
import type { PlacementGroup } from '../../scheduling/hosts/query/placement-query.ts'
import { type FlavorView, type ImageView, NO_IMAGE } from '../../scheduling/hosts/request-view.ts'
import type { NovaFlavor, NovaServer } from './nova-state.ts'

/** What a server should hold, by its flavor. */
export interface Expected {
  readonly groups: readonly ExpectedGroup[]
  readonly isIsolated: boolean
  /** By class, over all groups. */
  readonly totals: ReadonlyMap<string, number>
  /** The classes that are compared; others may come from ports, devices and profiles. */
  readonly judged: ReadonlySet<string>
  /** The root disk that a volume replaces. */
  readonly rootGbOnVolume: number
  /** Why the flavor alone does not determine the allocations; null if it does. */
  readonly unseen: string | null
}

export interface ExpectedGroup extends Pick<PlacementGroup, 'suffix' | 'required' | 'anyOf' | 'forbidden'> {
  readonly resources: ReadonlyMap<string, number>
}

/** Only flavors request these, so every excess is damage. */
const FLAVOR_CLASSES = ['VCPU', 'PCPU', 'MEMORY_MB', 'DISK_GB']
const PROFILE = 'accel:device_profile'
const PCI_ALIAS = 'pci_passthrough:alias'

/** The expected allocations of the server, or why they are unknown. */
export function expectResources(server: NovaServer): Expected | { readonly unknown: string } {
  const { flavor, isVolumeBacked } = server
  if (flavor === null) return { unknown: 'Nova does not show the extra specs of its flavor' }
  const translated = translateFlavor(
    { flavor: toFlavorView(flavor), image: toImageView(server), isVolumeBacked },
    DEFAULT_SETTINGS,
  )
  if (!translated.ok)
    return { unknown: `its flavor ${flavor.name} cannot be translated without the properties of its image` }
  const groups = translated.query.groups.map(({ suffix, resources, required, anyOf, forbidden }) => ({
    suffix,
    required,
    anyOf,
    forbidden,
    resources: new Map([...resources].map(([name, amount]) => [name, Number(amount)])),
  }))
  const totals = sumClasses(groups)
  const specs = new Map(Object.entries(flavor.extraSpecs))
  return {
    groups,
    isIsolated: translated.query.groupPolicy === 'isolate',
    totals,
    judged: new Set([...FLAVOR_CLASSES, ...totals.keys(), ...(specs.has(PROFILE) ? [] : ['VGPU'])]),
    rootGbOnVolume: isVolumeBacked && !specs.has('resources:DISK_GB') ? flavor.rootGb : 0,
    unseen: findUnseen(specs),
  }
}

function sumClasses(groups: readonly Pick<ExpectedGroup, 'resources'>[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { resources } of groups)
    for (const [name, amount] of resources) totals.set(name, (totals.get(name) ?? 0) + amount)
  return totals
}

function findUnseen(specs: ReadonlyMap<string, string>): string | null {
  if (specs.has(PROFILE)) return `only Cyborg knows which devices its profile ${specs.get(PROFILE)} got`
  if (specs.has(PCI_ALIAS)) return `only nova-compute knows which devices ${specs.get(PCI_ALIAS)} got`
  return null
}

const toFlavorView = (flavor: NovaFlavor): FlavorView => ({
  ...flavor,
  id: flavor.name,
  extraSpecs: new Map(Object.entries(flavor.extraSpecs)),
})

/** Nova puts the properties of the image into the server's metadata under the names of Glance. */
const toImageView = ({ imageProperties }: NovaServer): ImageView =>
  imageProperties === null ? NO_IMAGE : { ...NO_IMAGE, properties: new Map(Object.entries(imageProperties)) }
