/**
 * Hosts are kept in blocks: one text for about a sixteenth of all hosts, so that a sample of 10,000 hosts is 16 rows and the
 * history of one host is read without that of the others. A host is found by a hash of its uuid: numbers of the store are
 * reused, and uuids would take five times the room. With 36 bits, two of 20,000 hosts share one in 1 of 340 clouds.
 */
export interface HostFullness {
  readonly uuid: string
  /** Used part of the tightest class: 1 is full. */
  readonly share: number
  /** The number of that class. */
  readonly classAt: number
}

/** The fullness of a host over the samples of one step. Shares are in 200ths. */
export interface HostPoint {
  readonly sum: number
  readonly max: number
  readonly samples: number
  /** The tightest class when it was fullest. */
  readonly classAt: number
}

/** The points of a block by the hash of the host, in ascending order. */
export type HostBlock = ReadonlyMap<number, HostPoint>

const BLOCKS = 16
const BYTES = 10
const PARTS = 200
const BYTE_MAX = 255

/** FNV-1a over the text, twice with different starts: 32 bits for the place in the block, 4 for the block. */
function hash(text: string, start: number): number {
  let value = start
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

export const blockOf = (uuid: string): number => hash(uuid, 0x9dc5811c) >>> 28
export const hashOf = (uuid: string): number => hash(uuid, 0x811c9dc5)
export const blockScope = (block: number): string => `hosts:${block}`

/** A sample of all hosts, in blocks. Empty blocks are stored too, so that they are not taken for gaps. */
export function toBlocks(hosts: readonly HostFullness[]): HostBlock[] {
  const blocks = Array.from({ length: BLOCKS }, () => new Map<number, HostPoint>())
  for (const { uuid, share, classAt } of hosts) {
    const sum = Math.min(BYTE_MAX, Math.round(share * PARTS))
    blocks[blockOf(uuid)]!.set(hashOf(uuid), { sum, max: sum, samples: 1, classAt })
  }
  return blocks
}

export function joinBlocks(first: HostBlock | null, second: HostBlock): HostBlock {
  if (first === null) return second
  const joined = new Map(first)
  for (const [host, point] of second) {
    const before = joined.get(host)
    joined.set(host, before === undefined ? point : joinHostPoints(before, point))
  }
  return joined
}

const joinHostPoints = (first: HostPoint, second: HostPoint): HostPoint => ({
  sum: first.sum + second.sum,
  max: Math.max(first.max, second.max),
  samples: first.samples + second.samples,
  classAt: second.max >= first.max ? second.classAt : first.classAt,
})

/** Ten bytes each: hash 4, sum 2, samples 2, max 1, class 1; as base64. */
export function encodeBlock(block: HostBlock): string {
  const bytes = Buffer.alloc(block.size * BYTES)
  let at = 0
  for (const [host, { sum, samples, max, classAt }] of block) {
    bytes.writeUInt32BE(host, at)
    bytes.writeUInt16BE(sum, at + 4)
    bytes.writeUInt16BE(samples, at + 6)
    bytes.writeUInt8(max, at + 8)
    bytes.writeUInt8(classAt, at + 9)
    at += BYTES
  }
  return bytes.toString('base64')
}

export function decodeBlock(text: string): HostBlock {
  const bytes = Buffer.from(text, 'base64')
  const block = new Map<number, HostPoint>()
  for (let at = 0; at < bytes.length; at += BYTES) block.set(bytes.readUInt32BE(at), readPoint(bytes, at))
  return block
}

/** One host of an encoded block, without decoding the others. */
export function findHostPoint(text: string, uuid: string): HostPoint | null {
  const bytes = Buffer.from(text, 'base64')
  const host = hashOf(uuid)
  for (let at = 0; at < bytes.length; at += BYTES)
    if (bytes.readUInt32BE(at) === host) return readPoint(bytes, at)
  return null
}

const readPoint = (bytes: Buffer, at: number): HostPoint => ({
  sum: bytes.readUInt16BE(at + 4),
  samples: bytes.readUInt16BE(at + 6),
  max: bytes.readUInt8(at + 8),
  classAt: bytes.readUInt8(at + 9),
})

/** In percent. */
export const meanPercent = ({ sum, samples }: HostPoint): number => (100 * sum) / PARTS / samples
export const maxPercent = ({ max }: HostPoint): number => (100 * max) / PARTS
