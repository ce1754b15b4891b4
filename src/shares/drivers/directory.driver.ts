import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, rename, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parseIpNetwork } from '../../kernel/ip-network.ts'
import { ownValue } from '../../kernel/records.ts'
import { copyTree } from './copy-tree.driver.ts'
import {
  type AccessRule,
  type Copy,
  type Driver,
  type DriverParts,
  type Exported,
  type Leftover,
  type NewShare,
  type ShareAccess,
  type ShareLocation,
  TooSmall,
} from './driver.ts'
import { Epochs } from './epochs.driver.ts'
import { ExportsFiles } from './exports-files.driver.ts'
import {
  type HeldEntry,
  requireDepth,
  requireHandlePaths,
  withHeld,
  withHeldDirectory,
} from './held-entry.driver.ts'
import { findGaneshaFault } from './nfs-exports.ts'
import { removeTree } from './remove-tree.driver.ts'
import { ignoreMissing, requireApartFromOwn, touches, touchesAny } from './same-place.driver.ts'

const run = promisify(execFile)
const GB = 2 ** 30

/**
 * Each share is a directory: `ROOT/POOL/SHARE`, snapshots at `ROOT/POOL/.snapshots/SHARE/SNAPSHOT`. Settings: `root`,
 * `export_prefix` instead of the root in export paths, and `delay_s` for tests; `exports_file`, `ganesha_file`,
 * `squash` and `reload_command` for NFS servers. Everything is created in, and deleted
 * through, a directory of the epoch, by renaming. A new owner first removes those of earlier epochs: what a process that was
 * thought dead still does then fails, because its half of the renaming is gone. The contents of a share belong to its tenant,
 * who can change them at any moment: they are only touched through handles (HeldEntry). The directories above belong to the
 * operator and to Berth, and may be links.
 */
export class DirectoryDriver implements Driver {
  readonly kind = 'directory'
  readonly #root: string
  readonly #epochs: Epochs
  readonly #exports: ExportsFiles
  readonly #prefix: string | null
  readonly #quota: readonly string[]
  readonly #delayMs: number
  readonly #parts: DriverParts
  readonly #epoch: number

  constructor(parts: DriverParts, epoch = 0) {
    const { id, settings, quotaCommand } = parts
    this.#parts = parts
    this.#epoch = epoch
    this.#root = resolve(settings.root as string)
    this.#epochs = new Epochs(join(this.#root, '.berth', id), this.#root)
    this.#prefix = (settings.export_prefix as string | undefined) ?? null
    this.#quota = quotaCommand
    this.#exports = new ExportsFiles({
      id,
      epoch,
      backend: parts.backend,
      settings: { exports_file: join(this.#root, '.berth', 'exports'), ...settings },
      pathOf: place => this.#path(place),
    })
    this.#delayMs = ((settings.delay_s as number | undefined) ?? 0) * 1000
  }

  async adopt(epoch: number): Promise<DirectoryDriver> {
    await requireHandlePaths(this.#root)
    await requireApartFromOwn(this.#root, this.#parts.ownPaths)
    await this.#epochs.adopt(epoch)
    return new DirectoryDriver(this.#parts, epoch)
  }

  async create({ pool, share, sizeGb, from }: NewShare, signal?: AbortSignal): Promise<Exported> {
    const place = this.#path({ pool, share })
    if (!(await exists(place))) {
      const source = from === null ? null : this.#snapshotPath(from, from.snapshot)
      await this.#publish(place, source, signal)
    }
    await this.#limit(place, share, sizeGb)
    return this.#export({ pool, share })
  }

  async remove({ pool, share }: ShareLocation, signal?: AbortSignal): Promise<void> {
    await this.#withdraw(this.#path({ pool, share }), signal)
    await this.#withdraw(this.#snapshotsPath({ pool, share }), signal)
  }

  async resize({ pool, share, sizeGb }: ShareLocation & { sizeGb: number }): Promise<void> {
    const place = this.#path({ pool, share })
    const used = await countBytes(place)
    if (used > sizeGb * GB) throw new TooSmall(`${Math.ceil(used / GB)} GB are in use`)
    await this.#limit(place, share, sizeGb)
  }

  async snapshot(
    { snapshot, ...place }: ShareLocation & { snapshot: string },
    signal?: AbortSignal,
  ): Promise<void> {
    const path = this.#snapshotPath(place, snapshot)
    if (!(await exists(path))) await this.#publish(path, this.#path(place), signal)
  }

  async dropSnapshot(
    { snapshot, ...place }: ShareLocation & { snapshot: string },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#withdraw(this.#snapshotPath(place, snapshot), signal)
    await rmdir(this.#snapshotsPath(place)).catch(() => undefined)
  }

  async copy(request: Copy, signal?: AbortSignal): Promise<Exported> {
    const source = requireDirectory(request)
    const place = this.#path(request)
    const from = source.#path(request.source)
    await requireApart(from, place)
    if (!(await exists(place))) await this.#publish(place, from, signal)
    const { snapshots, otherSnapshots = [] } = request
    for (const snapshot of [...snapshots, ...otherSnapshots]) {
      const path = this.#snapshotPath(request, snapshot)
      const taken = source.#snapshotPath(request.source, snapshot)
      const isNeeded = snapshots.includes(snapshot) || (await exists(taken))
      if (isNeeded && !(await exists(path))) await this.#publish(path, taken, signal)
    }
    await this.#limit(place, request.share, request.sizeGb)
    return this.#export(request)
  }

  /** What was written since the first half is unknown: the share is copied again, and replaces the first copy. */
  async finish(request: Copy, signal?: AbortSignal): Promise<Exported> {
    const source = requireDirectory(request)
    const from = source.#path(request.source)
    const place = this.#path(request)
    await requireApart(from, place)
    if (!(await exists(from)))
      throw new Error(`${from} is not visible: check that its file system is mounted`)
    await this.#replace(place, from, signal)
    await this.#limit(place, request.share, request.sizeGb)
    return this.#export(request)
  }

  dropCopy(left: Leftover, signal?: AbortSignal): Promise<void> {
    return this.#clear(left, signal)
  }

  dropSource(left: Leftover, signal?: AbortSignal): Promise<void> {
    return this.#clear(left, signal)
  }

  /** Only clients of NFS can be told apart by a server that knows nothing but their addresses. */
  findAccessFault({ type, to }: AccessRule, protocol: string): string | null {
    if (protocol !== 'NFS') return `shares of protocol ${protocol} are not exported, only those of NFS`
    if (type !== 'ip') return `a rule of type ${type} cannot be applied, only those of type ip`
    const network = parseIpNetwork(to)
    if ('fault' in network) return network.fault
    return this.#parts.settings.ganesha_file === undefined ? null : findGaneshaFault(network)
  }

  async updateAccess(list: () => Iterable<ShareAccess>, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await this.#exports.update(list)
  }

  /** Keeps what is the share itself, and everything while the share cannot be seen. */
  async #clear({ keeps, ...left }: Leftover, signal?: AbortSignal): Promise<void> {
    const kept = keeps.flatMap(one =>
      one.driver instanceof DirectoryDriver ? [{ ...one, driver: one.driver }] : [],
    )
    const [place, snapshots] = [this.#path(left), this.#snapshotsPath(left)]
    if (!(await exists(place)) && !(await exists(snapshots))) return
    for (const one of kept) {
      const home = one.driver.#path(one)
      if (!(await exists(home))) throw new Error(`${home} is not visible, and ${place} may be the only copy`)
    }
    const homes = kept.map(one => one.driver.#path(one))
    if (!(await touchesAny(homes, place))) await this.#withdraw(place, signal)
    const others = kept.map(one => one.driver.#snapshotsPath(one))
    if (!(await touchesAny([...homes, ...others], snapshots))) await this.#withdraw(snapshots, signal)
  }

  #path({ pool, share }: ShareLocation): string {
    return join(this.#root, pool, share)
  }

  #snapshotsPath({ pool, share }: ShareLocation): string {
    return join(this.#root, pool, '.snapshots', share)
  }

  #snapshotPath(place: ShareLocation, snapshot: string): string {
    return join(this.#snapshotsPath(place), snapshot)
  }

  #export(place: ShareLocation): Exported {
    const path = this.#path(place)
    return { exportPath: this.#prefix === null ? path : `${this.#prefix}${path.slice(this.#root.length)}` }
  }

  #staging(): string {
    return this.#epochs.staging(this.#epoch)
  }

  /** A directory, or a copy of one, that appears atomically. */
  async #publish(place: string, source: string | null, signal?: AbortSignal): Promise<void> {
    await this.#stage(source, signal, async stage => {
      if (this.#delayMs > 0) await sleep(this.#delayMs, undefined, { signal })
      await this.#move(stage, place, signal)
    })
  }

  /** The copy is complete before what it replaces is removed. */
  async #replace(place: string, source: string, signal?: AbortSignal): Promise<void> {
    await this.#stage(source, signal, async stage => {
      await this.#withdraw(place, signal)
      await this.#move(stage, place, signal)
    })
  }

  /** A failure leaves nothing behind. */
  async #stage(
    source: string | null,
    signal: AbortSignal | undefined,
    use: (stage: string) => Promise<void>,
  ): Promise<void> {
    const stage = join(this.#staging(), randomUUID())
    const mode = source === null ? 0o770 : (await lstat(source)).mode & 0o7777
    await mkdir(stage, { mode }).catch(this.#orSuperseded)
    try {
      if (source !== null) await copyTree(source, stage, signal)
      await use(stage)
    } catch (reason) {
      await removeTree(stage).catch(() => undefined)
      throw reason
    }
  }

  async #move(stage: string, place: string, signal?: AbortSignal): Promise<void> {
    await mkdir(join(place, '..'), { recursive: true })
    signal?.throwIfAborted()
    await rename(stage, place).catch(this.#orSuperseded)
  }

  /** Hidden at once, then deleted. */
  async #withdraw(place: string, signal?: AbortSignal): Promise<void> {
    if (!(await exists(place))) return
    if (this.#delayMs > 0) await sleep(this.#delayMs, undefined, { signal })
    signal?.throwIfAborted()
    const gone = join(this.#staging(), `gone-${randomUUID()}`)
    await rename(place, gone).catch(async reason => {
      if (await exists(place)) this.#orSuperseded(reason)
    })
    await removeTree(gone)
  }

  readonly #orSuperseded = (reason: NodeJS.ErrnoException): never =>
    this.#epochs.orSuperseded(this.#epoch, reason)

  async #limit(path: string, share: string, sizeGb: number): Promise<void> {
    const [command, ...words] = this.#quota
    if (command === undefined) return
    const values: Record<string, string> = {
      path,
      share,
      size_gb: String(sizeGb),
      size_bytes: String(sizeGb * GB),
    }
    const args = words.map(word =>
      word.replace(/\{(\w+)\}/g, (whole, name: string) => ownValue(values, name) ?? whole),
    )
    await run(command, args, { timeout: QUOTA_MS_MAX })
  }
}

const QUOTA_MS_MAX = 30_000

function requireDirectory({ source }: Copy): DirectoryDriver {
  if (!(source.driver instanceof DirectoryDriver))
    throw new Error(`a share of a back end of kind ${source.driver.kind} cannot become a directory`)
  return source.driver
}

/** Deleting one of them must not delete the other. */
async function requireApart(from: string, place: string): Promise<void> {
  if (await touches(from, place))
    throw new Error(`${from} and ${place} are one directory, or one is in the other`)
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (reason) {
    ignoreMissing(reason as NodeJS.ErrnoException)
    return false
  }
}

const countBytes = (path: string): Promise<number> =>
  withHeldDirectory(path, held => countBytesBelow(held, 0))

async function countBytesBelow(held: HeldEntry, depth: number): Promise<number> {
  requireDepth(depth)
  let bytes = 0
  for (const name of await held.names())
    bytes += await withHeld(held.entry(name), entry =>
      entry.stats.isDirectory() ? countBytesBelow(entry, depth + 1) : Promise.resolve(entry.stats.size),
    ).catch(reason => {
      ignoreMissing(reason)
      return 0
    })
  return bytes
}
