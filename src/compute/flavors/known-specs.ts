import { emptyRecord, ownValue } from '../../kernel/records.ts'
import standardClasses from '../../placement/data/standard-classes.json' with { type: 'json' }
import { isContradiction } from '../../scheduling/hosts/filters/aggregate-instance-type/flavor-wants.ts'
import { isAnyOf, readAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { type FLAVOR_KEY_READERS, HOST_ATTRIBUTES } from '../../scheduling/hosts/query/key-readers.ts'
import type { World } from '../../world/world.ts'

/** Checks the value of an extra spec; null if valid. */
type Check = (value: string) => string | null

const anything: Check = () => null
const WHOLE = /^\s*[+-]?\d+(?:_\d+)*\s*$/
const YES_OR_NO = new Set(['1', 't', 'true', 'on', 'y', 'yes', '0', 'f', 'false', 'off', 'n', 'no'])

const yesOrNo: Check = value =>
  YES_OR_NO.has(value.trim().toLowerCase()) ? null : `'${value}' is neither true nor false`

const whole =
  (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Check =>
  value => {
    if (!WHOLE.test(value)) return `'${value}' is not a whole number`
    const number = Number(value.replaceAll('_', ''))
    if (number > max) return `${number} is more than ${max}`
    return number < min ? `${number} is less than ${min}` : null
  }

const oneOf =
  (...words: readonly string[]): Check =>
  value =>
    words.includes(value) ? null : `'${value}' is not one of ${words.join(', ')}`

const like =
  (pattern: RegExp, example: string): Check =>
  value =>
    pattern.test(value) ? null : `'${value}' is not written like ${example}`

const cpuSet = like(/^\^?\d+(?:-\d+|,\^?\d+)*$/, '0-3,^2')
const shareLevel = oneOf('custom', 'high', 'normal', 'low')
/** Nova's words, and Berth's: wishes, and alternatives. */
const traitWish: Check = value => {
  if (!isAnyOf(value)) return oneOf('required', 'forbidden', 'preferred', 'avoided')(value)
  const read = readAnyOf(value)
  return read.ok ? null : `'${value}' ${read.fault}`
}

/** Known keys by namespace. Unknown namespaces are free. */
const KEYS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  accel: { device_profile: anything },
  hw: {
    cpu_realtime: yesOrNo,
    cpu_realtime_mask: cpuSet,
    hide_hypervisor_id: yesOrNo,
    cpu_policy: oneOf('dedicated', 'shared', 'mixed'),
    cpu_thread_policy: oneOf('prefer', 'isolate', 'require'),
    emulator_threads_policy: oneOf('isolate', 'share'),
    cpu_dedicated_mask: cpuSet,
    mem_page_size: like(/^(large|small|any|\d+([kKMGT]i?)?(b|bit|B)?)$/, 'large or 2MiB'),
    locked_memory: yesOrNo,
    numa_nodes: whole(1),
    pci_numa_affinity_policy: oneOf('required', 'preferred', 'legacy', 'socket'),
    cpu_sockets: whole(1),
    cpu_cores: whole(1),
    cpu_threads: whole(1),
    cpu_max_sockets: whole(1),
    cpu_max_cores: whole(1),
    cpu_max_threads: whole(1),
    boot_menu: yesOrNo,
    vif_multiqueue_enabled: yesOrNo,
    mem_encryption: yesOrNo,
    mem_encryption_model: oneOf('amd-sev', 'amd-sev-es', 'amd-sev-snp'),
    pmem: like(/^[a-zA-Z0-9_]+(?:,[a-zA-Z0-9_]+)*,?$/, '4GB,16GB'),
    pmu: yesOrNo,
    serial_port_count: whole(0),
    tpm_model: oneOf('tpm-tis', 'tpm-crb'),
    tpm_version: oneOf('1.2', '2.0'),
    tpm_secret_security: oneOf('user', 'host', 'deployment'),
    watchdog_action: oneOf('none', 'pause', 'poweroff', 'reset', 'disabled'),
    viommu_model: oneOf('intel', 'smmuv3', 'virtio', 'auto'),
    virtio_packed_ring: yesOrNo,
    maxphysaddr_mode: oneOf('emulate', 'passthrough'),
    maxphysaddr_bits: whole(0),
    sound_model: oneOf('sb16', 'es1370', 'pcspk', 'ac97', 'ich6', 'ich9', 'usb', 'virtio'),
    usb_model: oneOf('none', 'nec-xhci', 'qemu-xhci'),
    redirected_usb_ports: whole(0, 15),
    ephemeral_encryption: yesOrNo,
    ephemeral_encryption_format: oneOf('luks', 'luksv2', 'plain'),
  },
  hw_rng: { allowed: yesOrNo, rate_bytes: whole(0), rate_period: whole(0) },
  hw_video: { ram_max_mb: whole(0) },
  os: { secure_boot: oneOf('disabled', 'required') },
  pci_passthrough: { alias: like(/^[^:]+:\d+(?:\s*,[^:]+:\d+)*$/, 'gpu:1,nic:2') },
  quota: makeQuotaChecks(),
  vmware: { hw_version: anything, storage_policy: anything },
}

function makeQuotaChecks(): Record<string, Check> {
  const checks: Record<string, Check> = emptyRecord()
  checks.cpu_shares = whole(0)
  checks.cpu_period = whole(0)
  checks.cpu_quota = whole()
  for (const what of ['cpu', 'memory', 'disk_io', 'vif']) {
    checks[`${what}_limit`] = whole(0)
    checks[`${what}_reservation`] = whole()
    checks[`${what}_shares_level`] = shareLevel
    checks[`${what}_shares_share`] = whole(0)
  }
  for (const way of ['read', 'write', 'total'])
    for (const unit of ['bytes', 'iops']) checks[`disk_${way}_${unit}_sec`] = whole(0)
  for (const way of ['inbound', 'outbound'])
    for (const figure of ['average', 'peak', 'burst']) checks[`vif_${way}_${figure}`] = whole(0)
  return checks
}

type BareKey = (typeof FLAVOR_KEY_READERS)[keyof typeof FLAVOR_KEY_READERS]['keys'][number]

/** Keys without a scope that have a reader. */
const PLAIN: Readonly<Record<BareKey, Check>> = {
  hide_hypervisor_id: yesOrNo,
  group_policy: oneOf('isolate', 'none'),
}

const CLASSES: ReadonlySet<string> = new Set(standardClasses)
const CUSTOM = /^CUSTOM_[A-Z0-9_]+$/
const GROUP = /^(resources|trait)([a-zA-Z0-9_-]{1,64})?$/

/** Keys of namespaces whose names are patterns. */
function findPatternCheck(namespace: string, key: string, value: string, traits: KnownTraits): Check | null {
  if (namespace === 'hw' && /^numa_cpus[.]\d+$/.test(key)) return cpuSet
  if (namespace === 'hw' && /^numa_mem[.]\d+$/.test(key)) return whole(1)
  const [, kind] = GROUP.exec(namespace) ?? []
  if (kind === 'resources') return CLASSES.has(key) || CUSTOM.test(key) ? whole() : null
  if (kind === 'trait')
    return isAnyOf(value) || CUSTOM.test(key) || traits.id(key) !== undefined ? traitWish : null
  return null
}

const isKnownNamespace = (namespace: string): boolean =>
  Object.hasOwn(KEYS, namespace) || GROUP.test(namespace) || namespace === 'capabilities'

/** Standard and custom traits. */
type KnownTraits = Pick<World['traits'], 'id'>

type SpecFault = {
  readonly key: string
  readonly requirement: string
  /** A whole sentence. */
  readonly fault: string
}

/** Contradictory sentinels get a warning and are never refused. */
export const findFaults = (specs: Readonly<Record<string, string>>, traits: KnownTraits): SpecFault[] =>
  Object.entries(specs).flatMap(([key, requirement]) => {
    const fault = isContradiction(requirement) ? null : findSpecFault(key, requirement, traits)
    return fault === null ? [] : [{ key, requirement, fault }]
  })

/** What is wrong with an extra spec, if known: keys without a namespace may mean anything. */
export function findSpecFault(name: string, value: string, traits: KnownTraits): string | null {
  const check = ownValue<Check>(PLAIN, name)
  const colon = name.indexOf(':')
  const makeFault = (fault: string | null) =>
    fault === null ? null : `The extra spec ${name} is wrong: ${fault}.`
  if (check) return makeFault(check(value))
  if (colon < 0) return null
  const [namespace, key] = [name.slice(0, colon), name.slice(colon + 1)]
  if (!isKnownNamespace(namespace)) return null
  if (namespace === 'capabilities') return findCapabilityFault(name, key)
  const known = ownValue(KEYS, namespace)
  const found =
    known !== undefined && Object.hasOwn(known, key)
      ? known[key]
      : findPatternCheck(namespace, key, value, traits)
  if (!found) return `There is no extra spec ${name}.`
  return makeFault(found(value))
}

const FIGURES: ReadonlySet<string> = new Set(HOST_ATTRIBUTES.figures)
const NESTED: ReadonlySet<string> = new Set(HOST_ATTRIBUTES.nested)

function findCapabilityFault(name: string, key: string): string | null {
  const [first = '', ...members] = key.split(':')
  const isThere =
    (FIGURES.has(first) && members.length === 0) ||
    (NESTED.has(first) && members.every(member => /^[\p{L}\p{N}_]+$/u.test(member)))
  return isThere ? null : `There is no extra spec ${name}.`
}
