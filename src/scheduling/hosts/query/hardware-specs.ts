import { type JsonValue, toText } from '../../framework/json-value.ts'
import { parseYesOrNo, strip } from '../../operators/python-text.ts'
import type { FlavorView, ImageView } from '../request-view.ts'
import { parseCpuSet } from './cpu-set.ts'
import type { QueryDraft } from './query-draft.ts'

/** Why a flavor, alone or with the image, fits nowhere. */
export type HardwareFault =
  | {
      readonly code: 'bad-value'
      readonly from: 'flavor' | 'image'
      readonly key: string
      readonly value: JsonValue
      /** Valid values; empty if they are not a list. */
      readonly allowed: readonly string[]
    }
  /** An unreadable trait: without it, the server would be placed wrongly. */
  | {
      readonly code: 'bad-any-trait'
      readonly from: 'flavor' | 'image'
      readonly key: string
      readonly value: JsonValue
      /** In words that follow the value. */
      readonly fault: string
    }
  /** Flavor and image contradict each other. */
  | {
      readonly code: 'conflict'
      readonly flavor: { readonly key: string; readonly value: string }
      readonly image: { readonly key: string; readonly value: JsonValue }
    }
  /** One key requires a value of another. */
  | {
      readonly code: 'needs'
      readonly key: string
      readonly value: string
      readonly needs: { readonly key: string; readonly value: string }
      readonly found: JsonValue
    }

interface Pair {
  readonly flavorKey: string
  readonly flavor: string | null
  readonly imageKey: string
  readonly image: JsonValue
}

/** The values of flavor and image: `hw:name` in the one is `hw_name` in the other. */
function readPair(name: string, { extraSpecs }: FlavorView, { properties }: ImageView, prefix = 'hw'): Pair {
  const flavorKey = `${prefix}:${name}`
  const imageKey = `${prefix}_${name}`
  return {
    flavorKey,
    imageKey,
    flavor: extraSpecs.get(flavorKey) || null,
    image: properties.get(imageKey) || null,
  }
}

const makeConflict = ({ flavorKey, flavor, imageKey, image }: Pair): HardwareFault => ({
  code: 'conflict',
  flavor: { key: flavorKey, value: flavor as string },
  image: { key: imageKey, value: image },
})

function findValueFaults(
  { flavorKey, flavor, imageKey, image }: Pair,
  allowed: readonly string[],
): HardwareFault[] {
  const faults: HardwareFault[] = []
  if (flavor !== null && !allowed.includes(flavor))
    faults.push({ code: 'bad-value', from: 'flavor', key: flavorKey, value: flavor, allowed })
  if (image !== null && !allowed.includes(image as string))
    faults.push({ code: 'bad-value', from: 'image', key: imageKey, value: image, allowed })
  return faults
}

type Agreed = { readonly value: string | null } | { readonly faults: readonly HardwareFault[] }

/** The common value, if it must be the same and one of a few words. */
function agreeOn(pair: Pair, allowed: readonly string[]): Agreed {
  const faults = findValueFaults(pair, allowed)
  if (faults.length > 0) return { faults }
  if (pair.flavor !== null && pair.image !== null && pair.flavor !== pair.image)
    return { faults: [makeConflict(pair)] }
  return { value: pair.flavor ?? (pair.image as string | null) }
}

const CPU_POLICIES = ['dedicated', 'shared', 'mixed'] as const
const THREAD_POLICIES = ['prefer', 'isolate', 'require'] as const
const EMULATOR_POLICIES = ['share', 'isolate'] as const

/** Dedicated CPUs are another resource class, and threads a trait. */
export function translatePinning(draft: QueryDraft, flavor: FlavorView, image: ImageView): HardwareFault[] {
  const policy = chooseCpuPolicy(readPair('cpu_policy', flavor, image))
  const threads = chooseThreadPolicy(readPair('cpu_thread_policy', flavor, image))
  const emulator = agreeOn(
    { ...readPair('emulator_threads_policy', flavor, image), image: null },
    EMULATOR_POLICIES,
  )
  const faults = [policy, threads, emulator].flatMap(one => ('faults' in one ? one.faults : []))
  if (!('value' in policy) || !('value' in threads) || !('value' in emulator)) return faults
  const extra = emulator.value === 'isolate' ? 1 : 0
  if (policy.value === 'dedicated') draft.addResource('PCPU', flavor.vcpus + extra)
  if (policy.value === 'mixed') {
    const dedicated = countDedicated(flavor, image, emulator.value !== null)
    if (typeof dedicated !== 'number') return [dedicated]
    draft.addResource('VCPU', flavor.vcpus - dedicated)
    draft.addResource('PCPU', dedicated + extra)
  }
  if (threads.value === 'isolate') draft.addTrait('', HYPERTHREADING, 'forbidden')
  if (threads.value === 'require') draft.addTrait('', HYPERTHREADING, 'required')
  return []
}

const HYPERTHREADING = 'HW_CPU_HYPERTHREADING'

/** The flavor may give more than the image requires, not less. */
function chooseCpuPolicy(pair: Pair): Agreed {
  const faults = findValueFaults(pair, CPU_POLICIES)
  if (faults.length > 0) return { faults }
  const { flavor, image } = pair
  const asksForMore =
    (flavor === 'mixed' && image === 'dedicated') ||
    (flavor === 'shared' && (image === 'dedicated' || image === 'mixed'))
  if (asksForMore) return { faults: [makeConflict(pair)] }
  return { value: flavor ?? (image as string | null) }
}

/** A flavor that only prefers threads contradicts no image, and takes precedence. */
function chooseThreadPolicy(pair: Pair): Agreed {
  const faults = findValueFaults(pair, THREAD_POLICIES)
  if (faults.length > 0) return { faults }
  const { flavor, image } = pair
  if (flavor === null || flavor === 'prefer') return { value: flavor ?? (image as string | null) }
  return image !== null && image !== flavor ? { faults: [makeConflict(pair)] } : { value: flavor }
}

/** Dedicated CPUs of a mixed flavor: those of its mask or else the real-time ones. */
function countDedicated(
  flavor: FlavorView,
  image: ImageView,
  emulatorHasPolicy: boolean,
): number | HardwareFault {
  const mask = flavor.extraSpecs.get('hw:cpu_dedicated_mask') ?? ''
  if (mask !== '') {
    const cpus = parseCpuSet(mask, flavor.vcpus)
    return cpus === null || cpus.size === 0 || cpus.size === flavor.vcpus || !isWithin(cpus, flavor)
      ? makeMaskFault('flavor', 'hw:cpu_dedicated_mask', mask)
      : cpus.size
  }
  if (parseYesOrNo(flavor.extraSpecs.get('hw:cpu_realtime') ?? '') !== true) return 0
  const realtime = readPair('cpu_realtime_mask', flavor, image)
  const from = realtime.image === null ? 'flavor' : 'image'
  const text = toText(realtime.image ?? realtime.flavor ?? '')
  const cpus = parseCpuSet(text === '' ? `0-${flavor.vcpus - 1}` : text, flavor.vcpus)
  const isAll = cpus?.size === flavor.vcpus && !emulatorHasPolicy
  return cpus === null || cpus.size === 0 || isAll || !isWithin(cpus, flavor)
    ? makeMaskFault(from, from === 'image' ? realtime.imageKey : realtime.flavorKey, text)
    : cpus.size
}

const isWithin = (cpus: ReadonlySet<number>, { vcpus }: FlavorView): boolean =>
  cpus.values().every(cpu => cpu < vcpus)

const makeMaskFault = (from: 'flavor' | 'image', key: string, value: string): HardwareFault => ({
  code: 'bad-value',
  from,
  key,
  value,
  allowed: [],
})

/** Translates other `hw:` keys and the corresponding image properties. */
export function translateHardware(draft: QueryDraft, flavor: FlavorView, image: ImageView): HardwareFault[] {
  translatePersistentMemory(draft, flavor)
  return [
    ...translateEncryption(draft, flavor, image),
    ...translateTpm(draft, flavor, image),
    ...translateWord(draft, readPair('pci_numa_affinity_policy', flavor, image), PCI_TRAITS),
    ...translateWord(draft, readPair('secure_boot', flavor, image, 'os'), SECURE_BOOT_TRAITS),
  ]
}

/** Each word with its trait, if any. */
type WordTraits = ReadonlyMap<string, string | null>

const PCI_TRAITS: WordTraits = new Map([
  ['required', null],
  ['legacy', null],
  ['preferred', null],
  ['socket', 'COMPUTE_SOCKET_PCI_NUMA_AFFINITY'],
])
const SECURE_BOOT_TRAITS: WordTraits = new Map([
  ['required', 'COMPUTE_SECURITY_UEFI_SECURE_BOOT'],
  ['disabled', null],
  ['optional', null],
])

function translateWord(draft: QueryDraft, pair: Pair, traits: WordTraits): readonly HardwareFault[] {
  const agreed = agreeOn(pair, [...traits.keys()])
  if ('faults' in agreed) return agreed.faults
  const trait = agreed.value === null ? null : (traits.get(agreed.value) ?? null)
  if (trait !== null) draft.addTrait('', trait, 'required')
  return []
}

function translateTpm(draft: QueryDraft, flavor: FlavorView, image: ImageView): readonly HardwareFault[] {
  const version = agreeOn(readPair('tpm_version', flavor, image), ['1.2', '2.0'])
  if ('faults' in version) return version.faults
  // Without a version there is no TPM, whatever its model.
  if (version.value === null) return []
  const models = readPair('tpm_model', flavor, image)
  const model = agreeOn(models, ['tpm-tis', 'tpm-crb'])
  if ('faults' in model) return model.faults
  if (model.value === 'tpm-crb' && version.value !== '2.0') {
    const needs = { key: 'hw:tpm_version', value: '2.0' }
    return [{ code: 'needs', key: models.flavorKey, value: model.value, needs, found: version.value }]
  }
  const is20 = version.value === '2.0'
  draft.addTrait('', is20 ? 'COMPUTE_SECURITY_TPM_2_0' : 'COMPUTE_SECURITY_TPM_1_2', 'required')
  return []
}

/** One of the few contexts of a host. Requires UEFI and a machine type with the right bus. */
function translateEncryption(
  draft: QueryDraft,
  flavor: FlavorView,
  image: ImageView,
): readonly HardwareFault[] {
  const pair = readPair('mem_encryption', flavor, image)
  const asked = { ...pair, image: image.properties.get(pair.imageKey) ?? null }
  const parse = (value: JsonValue): boolean | null =>
    value === null ? null : parseYesOrNo(toText(value)) === true
  const byFlavor = parse(asked.flavor)
  const byImage = parse(asked.image)
  if (byFlavor !== true && byImage !== true) return []
  if (byFlavor !== null && byImage !== null && byFlavor !== byImage) return [makeConflict(asked)]
  const needs = (key: string, value: string): HardwareFault => {
    const from = byFlavor === true ? asked.flavorKey : asked.imageKey
    const found = image.properties.get(key) ?? null
    return { code: 'needs', key: from, value: 'true', needs: { key, value }, found }
  }
  if (image.properties.get('hw_firmware_type') !== 'uefi') return [needs('hw_firmware_type', 'uefi')]
  const machine = image.properties.get('hw_machine_type')
  if (typeof machine === 'string' && !machine.includes('q35')) return [needs('hw_machine_type', 'q35')]
  draft.addResource('MEM_ENCRYPTION_CONTEXT', 1)
  return []
}

/** `hw:pmem` lists sizes; each is a resource class, and naming one twice requests two. */
function translatePersistentMemory(draft: QueryDraft, { extraSpecs }: FlavorView): void {
  const labels = (extraSpecs.get('hw:pmem') ?? '').split(',').map(strip)
  const classes = labels
    .filter(label => label !== '')
    .map(label => `CUSTOM_${`PMEM_NAMESPACE_${label}`.toUpperCase().replace(/[^0-9A-Z]+/g, '_')}`)
  for (const [name, same] of Map.groupBy(classes, name => name)) draft.addResource(name, same.length)
}
