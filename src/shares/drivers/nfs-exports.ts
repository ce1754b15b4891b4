import { type IpNetwork, parseIpNetwork, renderNetwork } from '../../kernel/ip-network.ts'
import { ownValue } from '../../kernel/records.ts'
import type { AccessRule } from './driver.ts'

export const SQUASHES = ['no_root_squash', 'root_squash', 'all_squash'] as const
export type Squash = (typeof SQUASHES)[number]

/** A directory and who may mount it. */
export interface NfsExport {
  readonly path: string
  readonly share: string
  /** Of the share within its store. */
  readonly number: number
  readonly clients: readonly NfsClient[]
  readonly squash: Squash
}

interface NfsClient {
  readonly network: IpNetwork
  readonly isReadOnly: boolean
}

/** NFS servers take the first client that matches, so the most specific comes first. */
export const listClients = (rules: readonly AccessRule[]): NfsClient[] =>
  rules
    .flatMap(({ type, to, isReadOnly }) => {
      const network = type === 'ip' ? parseIpNetwork(to) : { fault: '' }
      return 'fault' in network ? [] : [{ network, isReadOnly }]
    })
    .sort((a, b) => b.network.prefix - a.network.prefix)

/** One line of exports(5). */
export function renderExportsLine({ path, share, clients, squash }: NfsExport): string {
  const words = clients.map(({ network, isReadOnly }) => {
    const options = [isReadOnly ? 'ro' : 'rw', 'sync', 'no_subtree_check', squash, `fsid=${share}`]
    return `${renderNetwork(network)}(${options.join(',')})`
  })
  return `${escapeOctal(path)} ${words.join(' ')}\n`
}

const PLAIN = /^[A-Za-z0-9_./-]$/

/** Writes blanks, quotes, comments and all else that exports(5) would misread as a byte of three octal digits. */
export const escapeOctal = (text: string): string =>
  [...Buffer.from(text)]
    .map(byte => {
      const character = String.fromCharCode(byte)
      return PLAIN.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`
    })
    .join('')

const GANESHA_SQUASHES: Readonly<Record<Squash, string>> = {
  no_root_squash: 'No_Root_Squash',
  root_squash: 'Root_Squash',
  all_squash: 'All_Squash',
}

/** A block of NFS-Ganesha. Clients that are not named get no access. */
export function renderGaneshaBlock({ path, clients, squash }: NfsExport, exportId: number): string {
  const quoted = quoteGanesha(path)
  const blocks = clients.map(
    ({ network, isReadOnly }) =>
      `  CLIENT { Clients = ${splitWhole(network).map(renderNetwork).join(', ')}; Access_Type = ${isReadOnly ? 'RO' : 'RW'}; }\n`,
  )
  return `EXPORT {
  Export_Id = ${exportId};
  Path = ${quoted};
  Pseudo = ${quoted};
  Access_Type = None;
  Squash = ${GANESHA_SQUASHES[squash]};
  SecType = sys;
  FSAL { Name = VFS; }
${blocks.join('')}}
`
}

/** Ganesha cannot read a prefix of 0, so two halves replace it. */
function splitWhole(network: IpNetwork): IpNetwork[] {
  if (network.prefix > 0) return [network]
  const half = { ...network, prefix: 1 }
  return [half, { ...half, address: 1n << BigInt(network.bits - 1) }]
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const quoteGanesha = (text: string): string =>
  `"${text.replace(/[\\"\n\r\t]/g, character => ownValue(ESCAPES, character) ?? character)}"`

/** Ganesha reads one or two digits of a prefix. */
const GANESHA_PREFIX_MAX = 99

/** Why NFS-Ganesha cannot export to a network; null if it can. */
export const findGaneshaFault = ({ bits, prefix }: IpNetwork): string | null =>
  bits === 128 && prefix > GANESHA_PREFIX_MAX && prefix < bits
    ? `NFS-Ganesha takes prefixes of IPv6 networks up to ${GANESHA_PREFIX_MAX}, and whole addresses`
    : null

const EXPORT_IDS = 65_534

/** Numbers of exports stay the same while shares come and go. */
export class ExportIds {
  readonly #taken = new Set<number>()

  next(shareNumber: number): number {
    if (this.#taken.size >= EXPORT_IDS) throw new Error(`NFS-Ganesha has room for ${EXPORT_IDS} exports`)
    let id = shareNumber % EXPORT_IDS
    while (this.#taken.has(id)) id = (id + 1) % EXPORT_IDS
    this.#taken.add(id)
    // 0 is the root of all exports.
    return id + 1
  }
}
