import { defineFilter } from '../../framework/filter.ts'
import { getMember, isList, isObject, type JsonValue, parseJson, toText } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { defineReason, PASS, refuse } from '../../framework/refusal.ts'
import type { HostView } from '../host-view.ts'
import { NO_IMAGE } from '../request-view.ts'
import { isVersionWithin, renderVersion } from './version-range.ts'

type Properties = ReadonlyMap<string, JsonValue>

interface ImageWants {
  readonly architecture: string | null
  readonly hypervisor: string | null
  readonly mode: string | null
}

type UnsupportedFacts = {
  readonly wanted: ImageWants
  /** Architecture, hypervisor and mode of each kind of guest that the host can run. */
  readonly supported: readonly (readonly string[])[]
}

const remedyText = (_: unknown, host: string): string =>
  `use another image, or let ${host} report that it supports this one`

const unsupported = defineReason({
  code: 'image.unsupported',
  text({ wanted, supported }: UnsupportedFacts) {
    const asked = Object.values(wanted).filter(one => typeof one === 'string')
    const guests = supported.map(guest => guest.join(' '))
    const runs = guests.length === 0 ? 'does not say what it runs' : `runs ${guests.join(', ')}`
    return `the image asks for ${asked.join(' ')}, and the host ${runs}.`
  },
  hostsText: 'do not run such an image',
  remedy: remedyText,
  blames: () => ({ imageProperties: ['hw_architecture', 'img_hv_type', 'hw_vm_mode'] }),
})

const hypervisorVersion = defineReason({
  code: 'image.hypervisor-version',
  text: ({ wanted, have }: { readonly wanted: string; readonly have: string }) =>
    `the image asks for hypervisor ${wanted}, and the host has ${have}.`,
  hostsText: 'have another version of the hypervisor than the image asks for',
  remedy: remedyText,
  blames: () => ({ imageProperties: ['img_hv_requested_version'] }),
})

const addressBits = defineReason({
  code: 'image.address-bits',
  text: ({ wanted, have }: { readonly wanted: number; readonly have: number }) =>
    `the image asks for ${wanted} address bits, and the host has ${have}.`,
  hostsText: 'have fewer address bits than the image asks for',
  remedy: remedyText,
  blames: () => ({ imageProperties: ['hw_maxphysaddr_bits'] }),
})

export const imagePropertiesFilter = defineFilter({
  name: 'ImagePropertiesFilter',
  summary:
    'Passes only hosts that can run guests of the architecture, hypervisor and mode that the image asks for.',
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
  reasons: [unsupported, hypervisorVersion, addressBits],
  example: {
    passes: {
      image_properties: { hw_architecture: 'x86_64' },
      host: { attributes: { supported_instances: [['x86_64', 'kvm', 'hvm']] } },
    },
    refused: {
      image_properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm' },
      host: { attributes: { supported_instances: [['x86_64', 'kvm', 'hvm']] } },
    },
    text: 'the image asks for aarch64 kvm, and the host runs x86_64 kvm hvm.',
  },
  onRebuild: true,
  check({ image }, host, { defaultImageArchitecture }) {
    const { properties } = image ?? NO_IMAGE
    const wanted = wantsOf(properties)
    const architecture = wanted.architecture ?? normalizeName(defaultImageArchitecture, ARCHITECTURES)
    if (architecture === null && wanted.hypervisor === null && wanted.mode === null) return PASS
    return (
      judgeGuest({ ...wanted, architecture }, host) ??
      judgeVersion(properties, host) ??
      judgeAddressBits(properties, host) ??
      PASS
    )
  },
})

const wantsOf = memoizeByIdentity(
  (properties: Properties): ImageWants => ({
    architecture: normalizeName(properties.get('hw_architecture') ?? null, ARCHITECTURES),
    hypervisor: normalizeName(properties.get('img_hv_type') ?? null, HYPERVISORS),
    mode: normalizeName(properties.get('hw_vm_mode') ?? null, MODES),
  }),
)

function judgeGuest(wanted: ImageWants, host: HostView) {
  const asked = Object.values(wanted).filter(one => one !== null)
  const supported = listGuests(host)
  return supported.some(guest => asked.every(one => guest.includes(one)))
    ? null
    : refuse(unsupported, { wanted, supported })
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

function normalizeName(value: JsonValue, aliases: ReadonlyMap<string, string>): string | null {
  if (typeof value !== 'string' || value === '') return null
  const name = value.toLowerCase()
  return aliases.get(name) ?? name
}

function listGuests(host: HostView): string[][] {
  const supported = host.attribute('supported_instances')
  const all = typeof supported === 'string' ? parseJson(supported) : supported
  return isList(all) ? all.filter(isList).map(guest => guest.map(toText)) : []
}

function judgeVersion(properties: Properties, host: HostView) {
  const wanted = properties.get('img_hv_requested_version')
  const version = host.attribute('hypervisor_version')
  if (typeof wanted !== 'string' || wanted === '' || typeof version !== 'number' || version === 0) return null
  const have = renderVersion(version)
  return isVersionWithin(have, wanted) ? null : refuse(hypervisorVersion, { wanted, have })
}

const toNumber = (value: JsonValue | undefined): number => Number(toText(value ?? 0)) || 0

function judgeAddressBits(properties: Properties, host: HostView) {
  const wanted = toNumber(properties.get('hw_maxphysaddr_bits'))
  const reported = host.attribute('cpu_info')
  const cpu = typeof reported === 'string' ? parseJson(reported) : reported
  const address = isObject(cpu) ? getMember(cpu, 'maxphysaddr') : undefined
  const have = isObject(address) ? toNumber(getMember(address, 'bits')) : 0
  return have === 0 || wanted <= have ? null : refuse(addressBits, { wanted, have })
}
