import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { copyTree } from './copy-tree.driver.ts'
import {
  type Copy,
  type Driver,
  type DriverParts,
  type Exported,
  type NewShare,
  type Place,
  Superseded,
  TooSmall,
} from './driver.ts'

const run = promisify(execFile)
const GB = 2 ** 30

/**
 * Each share is a directory: `ROOT/POOL/SHARE`, snapshots at `ROOT/POOL/.snapshots/SHARE/SNAPSHOT`. Settings: `root`,
 * `export_prefix` in place of the root in what is exported, and `delay_s` for tests.
 *
 * Everything is made in, and taken away through, a directory of the epoch, by renaming. Whoever takes over removes those of
 * earlier epochs first: what a process still does that was thought dead then leads nowhere, because its half of the
 * renaming is gone.
 */
export class DirectoryDriver implements Driver {
  readonly kind = 'directory'
  readonly #root: string
  readonly #books: string
  readonly #prefix: string | null
  readonly #quota: readonly string[]
  readonly #delayMs: number
  #epoch = 0

  constructor({ id, settings, quotaCommand }: DriverParts) {
    this.#root = settings.root as string
    this.#books = join(this.#root, '.berth', id)
    this.#prefix = (settings.export_prefix as string | undefined) ?? null
    this.#quota = quotaCommand
    this.#delayMs = ((settings.delay_s as number | undefined) ?? 0) * 1000
  }

  async adopt(epoch: number): Promise<void> {
    await lstat(this.#root)
    await mkdir(this.#books, { recursive: true, mode: 0o700 })
    await this.#requireNewest(epoch)
    await mkdir(this.#staging(epoch), { recursive: true, mode: 0o700 })
    // Whoever came between the two looks has been seen by one of us.
    await this.#requireNewest(epoch).catch(async reason => {
      await rmdir(this.#staging(epoch)).catch(() => undefined)
      throw reason
    })
    this.#epoch = epoch
    for (const older of await this.#epochs())
      if (older < epoch) {
        const dead = join(this.#books, `dead-${randomUUID()}`)
        await rename(this.#staging(older), dead).catch(unlessMissing)
      }
    for (const name of await readdir(this.#books))
      if (name.startsWith('dead-')) await rm(join(this.#books, name), { recursive: true, force: true })
  }

  async create({ pool, share, sizeGb, from }: NewShare): Promise<Exported> {
    const place = this.#path({ pool, share })
    if (!(await exists(place))) {
      const source = from === null ? null : this.#snapshotPath(from, from.snapshot)
      await this.#publish(place, source)
    }
    await this.#limit(place, share, sizeGb)
    return this.#exported({ pool, share })
  }

  async remove({ pool, share }: Place): Promise<void> {
    await this.#withdraw(this.#path({ pool, share }))
    await this.#withdraw(this.#snapshotsPath({ pool, share }))
  }

  async resize({ pool, share, sizeGb }: Place & { sizeGb: number }): Promise<void> {
    const place = this.#path({ pool, share })
    const used = await bytesIn(place)
    if (used > sizeGb * GB) throw new TooSmall(`${Math.ceil(used / GB)} GB are in it`)
    await this.#limit(place, share, sizeGb)
  }

  async snapshot({ snapshot, ...place }: Place & { snapshot: string }): Promise<void> {
    const path = this.#snapshotPath(place, snapshot)
    if (!(await exists(path))) await this.#publish(path, this.#path(place))
  }

  async dropSnapshot({ snapshot, ...place }: Place & { snapshot: string }): Promise<void> {
    await this.#withdraw(this.#snapshotPath(place, snapshot))
    await rmdir(this.#snapshotsPath(place)).catch(() => undefined)
  }

  async copy(wish: Copy): Promise<Exported> {
    const source = sourceOf(wish)
    const place = this.#path(wish)
    if (!(await exists(place))) await this.#publish(place, source.#path(wish.source))
    for (const snapshot of wish.snapshots) {
      const path = this.#snapshotPath(wish, snapshot)
      if (!(await exists(path))) await this.#publish(path, source.#snapshotPath(wish.source, snapshot))
    }
    await this.#limit(place, wish.share, wish.sizeGb)
    return this.#exported(wish)
  }

  /** What was written since the first half is not known: it is copied once more, and takes the place of the first copy. */
  async finish(wish: Copy): Promise<Exported> {
    const source = sourceOf(wish)
    const from = source.#path(wish.source)
    const place = this.#path(wish)
    if (await exists(from)) {
      const stage = await this.#staged(from)
      await this.#withdraw(place)
      await this.#move(stage, place)
    }
    await this.#limit(place, wish.share, wish.sizeGb)
    return this.#exported(wish)
  }

  dropCopy(place: Place): Promise<void> {
    return this.remove(place)
  }

  dropSource(place: Place): Promise<void> {
    return this.remove(place)
  }

  #path({ pool, share }: Place): string {
    return join(this.#root, pool, share)
  }

  #snapshotsPath({ pool, share }: Place): string {
    return join(this.#root, pool, '.snapshots', share)
  }

  #snapshotPath(place: Place, snapshot: string): string {
    return join(this.#snapshotsPath(place), snapshot)
  }

  #exported(place: Place): Exported {
    const path = this.#path(place)
    return { exportPath: this.#prefix === null ? path : `${this.#prefix}${path.slice(this.#root.length)}` }
  }

  #staging(epoch = this.#epoch): string {
    return join(this.#books, `epoch-${epoch}`)
  }

  async #epochs(): Promise<number[]> {
    const names = await readdir(this.#books)
    return names.flatMap(name => (name.startsWith('epoch-') ? [Number(name.slice('epoch-'.length))] : []))
  }

  async #requireNewest(epoch: number): Promise<void> {
    if ((await this.#epochs()).some(other => other > epoch))
      throw new Superseded(`epoch ${epoch} of ${this.#root} is over`)
  }

  /** A directory, or the copy of one, that appears in its place all at once. */
  async #publish(place: string, source: string | null): Promise<void> {
    const stage = await this.#staged(source)
    if (this.#delayMs > 0) await sleep(this.#delayMs)
    await this.#move(stage, place)
  }

  async #staged(source: string | null): Promise<string> {
    const stage = join(this.#staging(), randomUUID())
    const mode = source === null ? 0o770 : (await lstat(source)).mode & 0o7777
    await mkdir(stage, { mode }).catch(this.#orSuperseded)
    if (source !== null) await copyTree(source, stage)
    return stage
  }

  async #move(stage: string, place: string): Promise<void> {
    await mkdir(join(place, '..'), { recursive: true })
    await rename(stage, place).catch(this.#orSuperseded)
  }

  /** Out of sight at once, and then away. */
  async #withdraw(place: string): Promise<void> {
    if (!(await exists(place))) return
    if (this.#delayMs > 0) await sleep(this.#delayMs)
    const gone = join(this.#staging(), `gone-${randomUUID()}`)
    await rename(place, gone).catch(async reason => {
      if (await exists(place)) this.#orSuperseded(reason)
    })
    await rm(gone, { recursive: true, force: true })
  }

  /** Where the staging directory is missing, somebody else has taken over. */
  readonly #orSuperseded = (reason: NodeJS.ErrnoException): never => {
    if (reason.code === 'ENOENT') throw new Superseded(`epoch ${this.#epoch} of ${this.#root} is over`)
    throw reason
  }

  async #limit(path: string, share: string, sizeGb: number): Promise<void> {
    const [command, ...words] = this.#quota
    if (command === undefined) return
    const values: Record<string, string> = {
      path,
      share,
      size_gb: String(sizeGb),
      size_bytes: String(sizeGb * GB),
    }
    const args = words.map(word => word.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole))
    await run(command, args, { timeout: QUOTA_MS_MAX })
  }
}

const QUOTA_MS_MAX = 30_000

function sourceOf({ source }: Copy): DirectoryDriver {
  if (!(source.driver instanceof DirectoryDriver))
    throw new Error(`a share of a back end of kind ${source.driver.kind} cannot become a directory`)
  return source.driver
}

const unlessMissing = (reason: NodeJS.ErrnoException): void => {
  if (reason.code !== 'ENOENT') throw reason
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (reason) {
    unlessMissing(reason as NodeJS.ErrnoException)
    return false
  }
}

async function bytesIn(path: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    bytes += entry.isDirectory() ? await bytesIn(inner) : (await lstat(inner)).size
  }
  return bytes
}
