import { constants, type Stats } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'

/** Linux's O_PATH: a handle on the entry itself. Nothing is read, so fifos and devices do no harm. */
const O_PATH = 0o10000000

/**
 * An entry of a file system, held by a handle. Tenants can swap the contents of their share at any moment: only a check and a
 * use of the same handle see the same file. Node has no `openat`; `/proc/self/fd/N` does the same.
 */
export class HeldEntry {
  readonly stats: Stats
  readonly #fd: number

  constructor(fd: number, stats: Stats) {
    this.#fd = fd
    this.stats = stats
  }

  /** Leads to the held entry, even if another entry has its name now. Never for links: they would be followed. */
  get path(): string {
    return `/proc/self/fd/${this.#fd}`
  }

  /** An entry of the held directory. Names are bytes: not all of them are UTF-8. */
  entry(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.path}/`), name])
  }

  names(): Promise<Buffer[]> {
    return readdir(this.path, { encoding: 'buffer' })
  }
}

/** Links are held, not followed; links in the directories above are followed. */
export async function withHeld<T>(path: string | Buffer, use: (held: HeldEntry) => Promise<T>): Promise<T> {
  const handle = await open(path, O_PATH | constants.O_NOFOLLOW)
  try {
    return await use(new HeldEntry(handle.fd, await handle.stat()))
  } finally {
    await handle.close()
  }
}

export function withHeldDirectory<T>(path: string, use: (held: HeldEntry) => Promise<T>): Promise<T> {
  return withHeld(path, async held => {
    if (!held.stats.isDirectory()) throw new Error(`${path} is not a directory`)
    return use(held)
  })
}

/** Handles open at once for one share. */
const DEPTH_MAX = 128

export function requireDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw new Error(`directories are nested deeper than ${DEPTH_MAX}`)
}

/** Without paths of handles there is no safe way to walk a tree that tenants can change. */
export async function requireHandlePaths(root: string): Promise<void> {
  const works = await withHeldDirectory(`${root}/.`, async held => {
    const through = await stat(`${held.path}/.`).catch(() => null)
    return through?.ino === held.stats.ino && through.dev === held.stats.dev
  })
  if (!works) throw new Error('the directory driver needs Linux with /proc mounted')
}
