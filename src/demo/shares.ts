import type { DeclaredBackend, DeclaredPool, DeclaredType } from '../shares/backends/declared-backends.ts'
import type { CreateShare } from '../shares/share/create.ts'
import type { DemoCommand } from './commands.ts'
import { demoUuid, type Zone } from './names.ts'
import { trouble } from './trouble.ts'

/** The first part of the names of all share back ends. */
export const filer = 'filer'

const pool = (name: string, totalGb: number, tier: string, overSubscription = 1): DeclaredPool => ({
  name,
  totalGb,
  overSubscription,
  reservedPercentage: 5,
  capabilities: { tier },
})

/** Stores nothing, but takes some time, so that progress can be seen. */
const backend = (name: string, availabilityZone: Zone, ...pools: DeclaredPool[]): DeclaredBackend => ({
  name,
  driver: 'simulated',
  availabilityZone,
  capabilities: {},
  pools,
  settings: { delay_s: 0.4, delays_s: { copy: 2.5 } },
})

const backends: readonly DeclaredBackend[] = [
  backend('nas-a', 'a', pool('ssd', 800, 'fast'), pool('disks', 3_000, 'slow', 1.5)),
  backend('nas-b', 'b', pool('ssd', 800, 'fast'), pool('disks', 3_000, 'slow', 1.5)),
  backend('nas-c', 'c', pool('disks', 2_000, 'slow', 1.5)),
  backend(trouble.retiredBackend, 'c', pool('disks', 1_500, 'slow')),
]

const type = (name: string, description: string, specs: Record<string, string>): DeclaredType => ({
  name,
  description,
  isPublic: true,
  extraSpecs: {
    driver_handles_share_servers: 'False',
    snapshot_support: 'True',
    create_share_from_snapshot_support: 'True',
    ...specs,
  },
})

const types: readonly DeclaredType[] = [
  type('standard', 'wherever there is room', {}),
  type('fast', 'on solid state', { tier: 'fast' }),
  type('archive', 'on disks, from 50 GB', { tier: 'slow', 'provisioning:min_share_size': '50' }),
]

interface DemoShare {
  readonly name: string
  readonly project: string
  readonly size: number
  readonly type?: string
  readonly near?: readonly string[]
  readonly away?: readonly string[]
  readonly zone?: Zone
  readonly onlyPool?: string
  readonly metadata?: Readonly<Record<string, string>>
}

const shares: readonly DemoShare[] = [
  { name: 'shop-db-1', project: 'shop', size: 150, type: 'fast', metadata: { role: 'primary' } },
  { name: 'shop-db-2', project: 'shop', size: 150, type: 'fast', away: ['shop-db-1'] },
  { name: trouble.homelessShare, project: 'shop', size: 150, type: 'fast', away: ['shop-db-1', 'shop-db-2'] },
  { name: 'shop-web', project: 'shop', size: 100, near: ['shop-db-1'] },
  { name: 'shop-media', project: 'shop', size: 200, away: ['shop-web'] },
  { name: 'genomes', project: 'research', size: 400, zone: 'a', metadata: { cohort: '2026' } },
  { name: 'genomes-scratch', project: 'research', size: 150, near: ['genomes'] },
  { name: 'genomes-results', project: 'research', size: 200, away: ['genomes'], zone: 'b' },
  { name: 'homes', project: 'office', size: 300, metadata: { backup: 'nightly' } },
  { name: 'letters', project: 'office', size: 20, near: ['homes'] },
  { name: 'old-newsletters', project: 'office', size: 10 },
  {
    name: 'tapes-2024',
    project: 'archive',
    size: 450,
    type: 'archive',
    onlyPool: `${filer}@${trouble.retiredBackend}#disks`,
  },
  { name: 'tapes-2025', project: 'archive', size: 450, type: 'archive', away: ['tapes-2024'] },
  { name: 'books', project: 'ledger', size: 120, type: 'fast' },
  { name: 'books-mirror', project: 'ledger', size: 120, away: ['books'] },
]

export const shareUuid = (name: string): string => demoUuid(`share ${name}`)

/** Back ends, types and shares; their driver work is still to be done. */
export function* shareCommands(): Generator<DemoCommand> {
  const places = backends.flatMap(({ name, pools }) => [name, ...pools.map(one => `${name}#${one.name}`)])
  yield {
    kind: 'shares:declare-backends',
    declared: { host: filer, backends },
    owner: 'demo',
    newUuids: places.map(name => demoUuid(`share place ${name}`)),
  }
  yield {
    kind: 'shares:declare-types',
    types,
    defaultType: 'standard',
    newUuids: types.map(({ name }) => typeUuid(name)),
  }
  for (const share of shares) yield creation(share)
  yield {
    kind: 'shares:set-backend',
    backend: `${filer}@${trouble.retiredBackend}`,
    isDisabled: true,
    reason: 'being retired: move what is left',
  }
}

const typeUuid = (name: string): string => demoUuid(`share type ${name}`)

function creation(share: DemoShare): DemoCommand & { readonly kind: 'shares:create' } {
  const { name, project, size, type = 'standard', near = [], away = [] } = share
  const create: CreateShare = {
    uuid: shareUuid(name),
    stepUuid: demoUuid(`make share ${name}`),
    project,
    user: `${project}-admin`,
    isAdmin: true,
    name,
    description: null,
    size,
    protocol: 'NFS',
    type: typeUuid(type),
    isPublic: false,
    zone: share.zone ?? null,
    snapshot: null,
    metadata: share.metadata ?? {},
    hints: { same_host: near.map(shareUuid), different_host: away.map(shareUuid) },
    ownHints: { same_host: [], different_host: [] },
    checkOwnHints: true,
    onlyHost: share.onlyPool ?? null,
    rankedPools: [],
  }
  return { kind: 'shares:create', ...create }
}

const DAY_MS = 86_400_000

/** Later actions: a snapshot, a move that waits for completion, and a soft delete. */
export const laterShareCommands: readonly DemoCommand[] = [
  {
    kind: 'shares:create-snapshot',
    uuid: demoUuid('snapshot of homes'),
    share: shareUuid('homes'),
    stepUuid: demoUuid('take a snapshot of homes'),
    project: 'office',
    user: 'office-admin',
    name: 'before the move',
    description: null,
    force: false,
  },
  {
    kind: 'shares:start-migration',
    share: shareUuid('genomes-results'),
    stepUuid: demoUuid('move genomes-results'),
    target: `${filer}@nas-c#disks`,
    newType: null,
    preserveSnapshots: true,
    force: false,
  },
  { kind: 'shares:soft-delete', share: shareUuid('old-newsletters'), keepMs: 7 * DAY_MS },
]

export const backendNames: readonly string[] = backends.map(({ name }) => `${filer}@${name}`)

/** What a driver reports after it created a share. */
export const exportPathOf = (backendName: string, poolName: string, share: string): string =>
  `${backendName.replace('@', '.')}:/${poolName}/${share}`
