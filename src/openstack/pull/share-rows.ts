import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import type { ManilaPool, ManilaService, ManilaShare, ManilaShares } from './manila-state.ts'
import type { PullLine } from './pull-line.ts'

interface ManilaState extends ManilaShares {
  readonly services: readonly ManilaService[]
  readonly pools: readonly ManilaPool[]
}

/** Lines for back ends, pools and shares, and notes about them. */
export function makeShareLines(
  state: ManilaState,
  known: ReadonlyMap<string, PullLine>,
): { readonly lines: readonly PullLine[]; readonly notes: readonly string[] } {
  const backends = new Map(
    state.services.filter(({ host }) => BACKEND.test(host)).map(one => [one.host, one]),
  )
  const pools = listPools(state, backends, known)
  const lines = [...[...backends.values()].map(makeBackendLine), ...pools]
  for (const share of state.shares.values())
    if (findOddity(share) === null) lines.push(makeShareLine(share, state.targets.get(share.id) ?? null))
  return { lines, notes: [...describeNotes(state)] }
}

const BACKEND = /^[^.@#][^@#]{0,99}@[^.@#][^@#]{0,99}$/
const POOL = /^[^.@#][^@#]{0,99}@[^.@#][^@#]{0,99}#[^.@#/][^@#/]{0,99}$/
const METADATA_KEYS_MAX = 128
const METADATA_CHARS_MAX = 65_536

/** Why a share has no place in Berth; null if it has. */
function findOddity({ host, share_type, metadata }: ManilaShare): string | null {
  if (share_type === null) return 'has no share type'
  if (host !== null && host !== '' && !POOL.test(host)) return `is on ${host}, which names no pool`
  const own = splitMetadata(metadata).metadata
  if (Object.keys(own).length > METADATA_KEYS_MAX)
    return `has more than ${METADATA_KEYS_MAX} keys of metadata`
  const text = JSON.stringify(own)
  if (text.length > METADATA_CHARS_MAX) return `has more than ${METADATA_CHARS_MAX} characters of metadata`
  return Object.entries(own).flat().some(isUnstorable)
    ? 'has a character in its metadata that no text may have'
    : null
}

const isUnstorable = (text: string): boolean => !text.isWellFormed() || text.includes('\0')

function* describeNotes({ services, shares }: ManilaState): Generator<string> {
  const odd = services.filter(({ host }) => !BACKEND.test(host)).map(({ host }) => host)
  if (odd.length > 0)
    yield `share services that are not named host@backend, left out with their shares: ${nameSome(odd)}`
  const left = [...shares.values()].flatMap(share => {
    const why = findOddity(share)
    return why === null ? [] : [`${share.id} ${why}`]
  })
  if (left.length > 0) yield `shares left out: ${nameSome(left)}`
  const replicated = [...shares.values()].filter(({ has_replicas }) => has_replicas === true).length
  if (replicated > 0) yield `${replicated} shares have replicas, of which only the active one is shown`
}

const NAMED_MAX = 10

const nameSome = (all: readonly string[]): string =>
  `${all.slice(0, NAMED_MAX).join(', ')}${all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : ''}`

const makeBackendLine = ({ host, zone, status, state, disabled_reason }: ManilaService): PullLine => {
  const isDown = status === 'enabled' && state === 'down'
  return {
    table: 'share_backends',
    row: {
      backend: host,
      availability_zone: zone,
      is_disabled: status === 'enabled' && !isDown ? 0 : 1,
      disabled_reason: isDown ? 'its manila-share is down' : (disabled_reason ?? null),
      capabilities: '{}',
      applied_by: null,
    },
  }
}

const backendOf = (pool: string): string => pool.split('#', 1)[0] as string

/**
 * The pools that Manila's scheduler knows. It drops those of a service that is disabled or down: Berth keeps them as they were, or counts
 * them as full if it knows only their shares.
 */
function listPools(
  { pools, shares, targets }: ManilaState,
  backends: ReadonlyMap<string, ManilaService>,
  known: ReadonlyMap<string, PullLine>,
): PullLine[] {
  const heldGb = new Map<string, number>()
  const hold = (pool: string | null, gb: number) => {
    if (pool?.includes('#') === true) heldGb.set(pool, (heldGb.get(pool) ?? 0) + gb)
  }
  for (const { host, size } of shares.values()) hold(host, size)
  for (const [id, target] of targets) hold(target, shares.get(id)?.size ?? 0)
  const lines = new Map<string, PullLine>()
  for (const pool of pools)
    if (POOL.test(pool.name) && backends.has(backendOf(pool.name)))
      lines.set(pool.name, makePoolLine(pool, heldGb.get(pool.name) ?? 0))
  for (const line of known.values())
    if (
      line.table === 'share_pools' &&
      !lines.has(String(line.row.pool)) &&
      isSilent(backends, line.row.pool)
    )
      lines.set(String(line.row.pool), line)
  for (const [name, gb] of heldGb)
    if (POOL.test(name) && !lines.has(name) && isSilent(backends, name))
      lines.set(name, makeFullPoolLine(name, gb))
  return [...lines.values()]
}

/** Whether the service of a pool reports no pools. */
function isSilent(backends: ReadonlyMap<string, ManilaService>, pool: unknown): boolean {
  const service = backends.get(backendOf(String(pool)))
  return service !== undefined && (service.status !== 'enabled' || service.state !== 'up')
}

const makeFullPoolLine = (name: string, gb: number): PullLine => ({
  table: 'share_pools',
  row: {
    pool: name,
    backend: backendOf(name),
    total_gb: Math.max(1, gb),
    reserved_gb: gb === 0 ? 1 : 0,
    reserved_percentage: 0,
    over_subscription: 1,
    capabilities: '{}',
  },
})

function makePoolLine({ name, capabilities }: ManilaPool, heldGb: number): PullLine {
  const total = capabilities.total_capacity_gb
  // Manila checks no space where it is `unknown` or `infinite`.
  const total_gb =
    typeof total === 'number' ? Math.min(AMOUNT_MAX, Math.max(1, Math.floor(total))) : AMOUNT_MAX
  const reserved = Math.trunc(readNumber(capabilities.reserved_percentage, 0))
  const reserved_percentage = Math.min(100, Math.max(0, reserved))
  const over_subscription = readRatio(capabilities)
  const elsewhere =
    typeof total === 'number' ? computeElsewhere(capabilities, total, heldGb, over_subscription) : 0
  return {
    table: 'share_pools',
    row: {
      pool: name,
      backend: backendOf(name),
      total_gb,
      reserved_gb: Math.min(total_gb, Math.ceil((total_gb * reserved_percentage) / 100) + elsewhere),
      reserved_percentage,
      over_subscription,
      capabilities: JSON.stringify(keepSteady(capabilities)),
    },
  }
}

const isThin = ({ thin_provisioning: thin }: ManilaPool['capabilities']): boolean =>
  Array.isArray(thin) ? thin.includes(true) : thin === true || thin === 'True' || thin === 'true'

const RATIO_MIN = 0.0001

function readRatio(capabilities: ManilaPool['capabilities']): number {
  const ratio = readNumber(capabilities.max_over_subscription_ratio, 1)
  return isThin(capabilities) && ratio > 0 ? Math.min(RATIO_MAX, Math.max(RATIO_MIN, ratio)) : 1
}

/** The space that snapshots, replicas and other users take: what is missing on the back end beyond its shares. */
function computeElsewhere(
  capabilities: ManilaPool['capabilities'],
  totalGb: number,
  heldGb: number,
  ratio: number,
): number {
  if (!isThin(capabilities)) {
    const free = capabilities.free_capacity_gb
    return typeof free === 'number' ? Math.max(0, Math.floor(totalGb - free - heldGb)) : 0
  }
  const provisioned = capabilities.provisioned_capacity_gb ?? capabilities.allocated_capacity_gb
  return typeof provisioned === 'number' ? Math.max(0, Math.ceil((provisioned - heldGb) / ratio)) : 0
}

const readNumber = (value: unknown, otherwise: number): number => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : otherwise
}

/** Left out: figures that Berth computes itself, and values that change with every report. */
const FIGURES = new Set([
  'timestamp',
  'updated',
  'pool_name',
  'total_capacity_gb',
  'free_capacity_gb',
  'allocated_capacity_gb',
  'provisioned_capacity_gb',
  'reserved_percentage',
  'max_over_subscription_ratio',
])

const keepSteady = (capabilities: ManilaPool['capabilities']): object =>
  Object.fromEntries(
    Object.entries(capabilities)
      .filter(([key, value]) => !FIGURES.has(key) && value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

function makeShareLine(share: ManilaShare, target: string | null): PullLine {
  const { metadata, hints } = splitMetadata(share.metadata)
  return {
    table: 'shares',
    row: {
      uuid: share.id,
      name: share.name,
      description: share.description,
      project_id: share.project_id,
      user_id: share.user_id ?? share.project_id,
      size: share.size,
      protocol: share.share_proto,
      share_type: share.share_type,
      pool: share.host === null || share.host === '' ? null : share.host,
      target_pool: target === share.host || target === null || !POOL.test(target) ? null : target,
      status: share.status,
      task_state: share.task_state ?? null,
      is_public: share.is_public ? 1 : 0,
      availability_zone: share.availability_zone,
      snapshot: share.snapshot_id,
      metadata: JSON.stringify(metadata),
      same_host: hints.same_host,
      different_host: hints.different_host,
      applied_by: null,
      created_at: Math.max(0, Date.parse(`${share.created_at.replace(/Z$/, '')}Z`) || 0),
    },
  }
}

const HINT_KEYS = { same_host: '__affinity_same_host', different_host: '__affinity_different_host' } as const

/** Hints are uuids: anything else names no share. */
function splitMetadata(all: ManilaShare['metadata']) {
  const hinted = new Set<string>(Object.values(HINT_KEYS))
  const readHint = (key: string) =>
    [...new Set((all[key] ?? '').split(',').flatMap(one => normalizeUuid(one.trim()) ?? []))].join(',')
  return {
    metadata: Object.fromEntries(
      Object.entries(all)
        .filter(([key]) => !hinted.has(key))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    hints: { same_host: readHint(HINT_KEYS.same_host), different_host: readHint(HINT_KEYS.different_host) },
  }
}
