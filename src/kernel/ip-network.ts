/** An address with a prefix and no host bits. */
export interface IpNetwork {
  readonly bits: 32 | 128
  readonly address: bigint
  readonly prefix: number
}

/** The errors of Python's ipaddress, and so of Manila, for a text that is not a network. */
class NotNetwork extends Error {
  override name = 'NotNetwork'
}

type Quote = (text: string) => string

const quoteSingly: Quote = text => `'${text}'`

/** Errors have Python's wording. `quote` renders a text within one. */
export function parseIpNetwork(
  text: string,
  allowsIpv6 = true,
  quote: Quote = quoteSingly,
): IpNetwork | { readonly fault: string } {
  try {
    return requireNoHostBits(allowsIpv6 ? parseEither(text, quote) : parseIpv4Network(text, quote))
  } catch (reason) {
    if (!(reason instanceof NotNetwork)) throw reason
    return { fault: reason.message }
  }
}

function parseEither(text: string, quote: Quote): IpNetwork {
  try {
    return text.includes(':') ? parseIpv6Network(text, quote) : parseIpv4Network(text, quote)
  } catch (reason) {
    if (!(reason instanceof NotNetwork)) throw reason
    throw new NotNetwork(`${quote(text)} does not appear to be an IPv4 or IPv6 network`)
  }
}

function splitPrefix(text: string, quote: Quote): readonly [address: string, prefix: string | undefined] {
  const [address, prefix, ...more] = text.split('/') as [string, ...string[]]
  if (more.length > 0) throw new NotNetwork(`Only one '/' permitted in ${quote(text)}`)
  return [address, prefix]
}

function parseIpv4Network(text: string, quote: Quote): IpNetwork {
  const [address, prefix] = splitPrefix(text, quote)
  return {
    bits: 32,
    address: parseIpv4(address, quote),
    prefix: prefix === undefined ? 32 : parseNetmask(prefix, quote),
  }
}

function parseIpv4(text: string, quote: Quote): bigint {
  if (text === '') throw new NotNetwork('Address cannot be empty')
  const octets = text.split('.')
  if (octets.length !== 4) throw new NotNetwork(`Expected 4 octets in ${quote(text)}`)
  return octets.reduce((sum, octet) => (sum << 8n) | BigInt(parseOctet(octet, text, quote)), 0n)
}

function parseOctet(octet: string, address: string, quote: Quote): number {
  const fault = findOctetFault(octet, quote)
  if (fault !== null) throw new NotNetwork(`${fault} in ${quote(address)}`)
  return Number(octet)
}

function findOctetFault(octet: string, quote: Quote): string | null {
  const shown = quote(octet)
  if (octet === '') return 'Empty octet not permitted'
  if (!/^[0-9]+$/.test(octet)) return `Only decimal digits permitted in ${shown}`
  if (octet.length > 3) return `At most 3 characters permitted in ${shown}`
  if (octet !== '0' && octet.startsWith('0')) return `Leading zeros are not permitted in ${shown}`
  return Number(octet) > 255 ? `Octet ${octet} (> 255) not permitted` : null
}

const ALL_ONES = 0xffff_ffffn

/** A length, a netmask such as 255.255.255.0, or a host mask such as 0.0.0.255. */
function parseNetmask(text: string, quote: Quote): number {
  if (/^[0-9]+$/.test(text) && Number(text) <= 32) return Number(text)
  const fault = new NotNetwork(`${quote(text)} is not a valid netmask`)
  let mask: bigint
  try {
    mask = parseIpv4(text, quote)
  } catch {
    throw fault
  }
  for (const one of [mask, mask ^ ALL_ONES])
    for (let prefix = 0; prefix <= 32; prefix++) if (one === netmaskOf(32, prefix)) return prefix
  throw fault
}

/** A scope such as `%eth0` means nothing to a server. */
function parseIpv6Network(text: string, quote: Quote): IpNetwork {
  const [address, prefix = '128'] = splitPrefix(text, quote)
  if (!/^[0-9]{1,4}$/.test(prefix) || Number(prefix) > 128) throw new NotNetwork('no prefix')
  return { bits: 128, address: parseIpv6(address), prefix: Number(prefix) }
}

function parseIpv6(text: string): bigint {
  const [head, tail, ...more] = text.split('::') as [string, ...string[]]
  const first = splitGroups(head)
  const last = splitGroups(tail ?? '')
  const missing = 8 - first.length - last.length
  const isWhole = more.length === 0 && (tail === undefined ? missing === 0 : missing > 0)
  if (!isWhole) throw new NotNetwork('no IPv6 address')
  const zeros = Array<bigint>(missing).fill(0n)
  return [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) | group, 0n)
}

/** The last group may be an IPv4 address, which takes two. */
function splitGroups(text: string): bigint[] {
  if (text === '') return []
  const groups = text.split(':')
  return groups.flatMap((group, at) => {
    if (/^[0-9a-fA-F]{1,4}$/.test(group)) return [BigInt(`0x${group}`)]
    if (at < groups.length - 1) throw new NotNetwork('no group')
    const low = parseIpv4(group, quoteSingly)
    return [low >> 16n, low & 0xffffn]
  })
}

const netmaskOf = (bits: 32 | 128, prefix: number): bigint =>
  ((1n << BigInt(prefix)) - 1n) << BigInt(bits - prefix)

function requireNoHostBits(network: IpNetwork): IpNetwork {
  const { bits, address, prefix } = network
  if ((address & netmaskOf(bits, prefix)) !== address)
    throw new NotNetwork(`${renderAddress(network)}/${prefix} has host bits set`)
  return network
}

export const isSameNetwork = (one: IpNetwork, other: IpNetwork): boolean =>
  one.bits === other.bits && one.address === other.address && one.prefix === other.prefix

/** A single address has no prefix. */
export const renderNetwork = (network: IpNetwork): string =>
  network.prefix === network.bits ? renderAddress(network) : `${renderAddress(network)}/${network.prefix}`

function renderAddress({ bits, address }: IpNetwork): string {
  const size = bits === 32 ? 8n : 16n
  const count = bits === 32 ? 4 : 8
  const parts = Array.from(
    { length: count },
    (_, at) => (address >> (size * BigInt(count - 1 - at))) & ((1n << size) - 1n),
  )
  return bits === 32 ? parts.join('.') : shortenZeros(parts.map(part => part.toString(16)))
}

/** The first of the longest runs of at least two zeros becomes `::`. */
function shortenZeros(groups: readonly string[]): string {
  let best = { at: 0, length: 1 }
  for (let at = 0; at < groups.length; at++) {
    const end = groups.findIndex((group, place) => place >= at && group !== '0')
    const length = (end === -1 ? groups.length : end) - at
    if (length > best.length) best = { at, length }
  }
  if (best.length === 1) return groups.join(':')
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`
}
