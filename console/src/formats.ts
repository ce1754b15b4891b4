/** Numbers and names as people read them. */
import { ownValue } from '../../src/kernel/records.ts'

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const amount = (value: number): string => plain.format(value)
const shortAmount = (value: number): string =>
  Math.abs(value) < 10_000 ? plain.format(value) : short.format(value)

interface Promised {
  readonly total: number
  readonly reserved: number
  readonly capacity: number
}

/** The share of the capacity that is allocated; 0 if there is no capacity. */
export const ratioOf = ({ total, reserved, capacity }: Promised): number =>
  total > reserved ? capacity / (total - reserved) : 0

export const ratio = (figures: Promised): string =>
  `×${plain.format(Math.round(ratioOf(figures) * 100) / 100)}`

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${Math.round(share * 100)}%` : '–'

const UNITS: Readonly<Record<string, readonly [divisor: number, ...units: string[]]>> = {
  MEMORY_MB: [1024, 'MiB', 'GiB', 'TiB', 'PiB'],
  DISK_GB: [1000, 'GB', 'TB', 'PB', 'EB'],
  CUSTOM_SHARE_GB: [1000, 'GB', 'TB', 'PB', 'EB'],
  NET_BW_EGR_KILOBIT_PER_SEC: [1000, 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'],
  NET_BW_IGR_KILOBIT_PER_SEC: [1000, 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'],
}

/** An amount of a resource class, in the unit that reads best. */
export function ofClass(name: string, value: number): string {
  const known = ownValue(UNITS, name)
  if (known === undefined) return shortAmount(value)
  const [divisor, ...units] = known
  let at = 0
  let scaled = value
  while (Math.abs(scaled) >= divisor && at < units.length - 1) {
    scaled /= divisor
    at++
  }
  return `${(Math.abs(scaled) < 100 ? tenths : whole).format(scaled)} ${units[at]}`
}

const CLASS_NAMES: Readonly<Record<string, string>> = {
  VCPU: 'VCPU',
  PCPU: 'PCPU',
  MEMORY_MB: 'Memory',
  DISK_GB: 'Disk',
  CUSTOM_SHARE_GB: 'Share space',
  NET_BW_EGR_KILOBIT_PER_SEC: 'Bandwidth out',
  NET_BW_IGR_KILOBIT_PER_SEC: 'Bandwidth in',
  SRIOV_NET_VF: 'SR-IOV functions',
  PGPU: 'GPU',
  VGPU: 'GPU slices',
}

/** A readable name of a class, or its own name. */
export const className = (name: string): string => ownValue(CLASS_NAMES, name) ?? name

/** The most common ones come first. */
const FIRST = ['VCPU', 'PCPU', 'MEMORY_MB', 'DISK_GB', 'PGPU', 'VGPU']

export const isImportant = (name: string | undefined): boolean => name !== undefined && FIRST.includes(name)

export function byImportance(one: string, other: string): number {
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return rank(one) - rank(other) || one.localeCompare(other)
}

export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${amount(count)} ${count === 1 ? noun : many}`

const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** A time as every page shows it, in the time zone of the browser. */
export const momentText = (at: string | number | Date): string => moments.format(new Date(at))

/** The sort key of a name: numbers in it count as numbers. Comparing such keys is far cheaper than `localeCompare`. */
export const orderKey = (name: string): string =>
  name.toLowerCase().replaceAll(/\d+/g, digits => digits.padStart(12, '0'))

/** `key=value` pairs, one after the other. */
export const pairsText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
