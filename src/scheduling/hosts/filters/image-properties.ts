import type { Filter } from '../../framework/filter.ts'
import { isList, isObject, type JsonValue, memberOf, parsedJson, textOf } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { type FilterVerdict, type ImageWants, PASS, refuse } from '../../framework/refusal.ts'
import type { HostView } from '../host-view.ts'
import { NO_IMAGE } from '../request-view.ts'
import { dottedVersion, isVersionWithin } from './version-range.ts'

type Properties = ReadonlyMap<string, JsonValue>

export const imagePropertiesFilter: Filter = {
  name: 'ImagePropertiesFilter',
  summary:
    'Keeps to hosts that can run guests of the architecture, hypervisor and mode that the image asks for.',
  reads: {
    imageProperties: [
      'hw_architecture',
      'img_hv_type',
      'hw_vm_mode',
      'img_hv_requested_version',
      'hw_maxphysaddr_bits',
    ],
    host: ['supported_instances', 'hypervisor_version', 'cpu_info'],
    settings: ['defaultImageArchitecture'],
  },
  onRebuild: true,
  check({ image }, host, { defaultImageArchitecture }) {
    const { properties } = image ?? NO_IMAGE
    const wanted = wantsOf(properties)
    const architecture = wanted.architecture ?? named(defaultImageArchitecture, ARCHITECTURES)
    if (architecture === null && wanted.hypervisor === null && wanted.mode === null) return PASS
    return (
      guestVerdict({ ...wanted, architecture }, host) ??
      versionVerdict(properties, host) ??
      addressVerdict(properties, host) ??
      PASS
    )
  },
}

const wantsOf = memoizeByIdentity(
  (properties: Properties): ImageWants => ({
    architecture: named(properties.get('hw_architecture') ?? null, ARCHITECTURES),
    hypervisor: named(properties.get('img_hv_type') ?? null, HYPERVISORS),
    mode: named(properties.get('hw_vm_mode') ?? null, MODES),
  }),
)

function guestVerdict(wanted: ImageWants, host: HostView): FilterVerdict | null {
  const asked = Object.values(wanted).filter(one => one !== null)
  const supported = guestsOf(host)
  return supported.some(guest => asked.every(one => guest.includes(one)))
    ? null
    : refuse('image.unsupported', { wanted, supported })
}

/** Older names of the same thing. */
const ARCHITECTURES = new Map([
  ...['i386', 'i486', 'i586', 'x86_32', 'x86_32p'].map(name => [name, 'i686'] as const),
  ['amd64', 'x86_64'],
])
const HYPERVISORS = new Map([['xapi', 'xen']])
const MODES = new Map([
  ['pv', 'xen'],
  ['hv', 'hvm'],
  ['baremetal', 'hvm'],
])

function named(value: JsonValue, aliases: ReadonlyMap<string, string>): string | null {
  if (typeof value !== 'string' || value === '') return null
  const name = value.toLowerCase()
  return aliases.get(name) ?? name
}

function guestsOf(host: HostView): string[][] {
  const supported = host.attribute('supported_instances')
  const all = typeof supported === 'string' ? parsedJson(supported) : supported
  return isList(all) ? all.filter(isList).map(guest => guest.map(textOf)) : []
}

function versionVerdict(properties: Properties, host: HostView): FilterVerdict | null {
  const wanted = properties.get('img_hv_requested_version')
  const version = host.attribute('hypervisor_version')
  if (typeof wanted !== 'string' || wanted === '' || typeof version !== 'number' || version === 0) return null
  const have = dottedVersion(version)
  return isVersionWithin(have, wanted) ? null : refuse('image.hypervisor-version', { wanted, have })
}

const numberIn = (value: JsonValue | undefined): number => Number(textOf(value ?? 0)) || 0

function addressVerdict(properties: Properties, host: HostView): FilterVerdict | null {
  const wanted = numberIn(properties.get('hw_maxphysaddr_bits'))
  const reported = host.attribute('cpu_info')
  const cpu = typeof reported === 'string' ? parsedJson(reported) : reported
  const address = isObject(cpu) ? memberOf(cpu, 'maxphysaddr') : undefined
  const have = isObject(address) ? numberIn(memberOf(address, 'bits')) : 0
  return have === 0 || wanted <= have ? null : refuse('image.address-bits', { wanted, have })
}
