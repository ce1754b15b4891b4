import { constants } from 'node:fs'
import { chmod, copyFile, lchown, mkdir, open, readlink, statfs, symlink, utimes } from 'node:fs/promises'
import { type HeldEntry, requireDepth, withHeld, withHeldDirectory } from './held-entry.driver.ts'

interface Copying {
  readonly signal: AbortSignal | undefined
  /** Sparse files cost nothing to create. The size of the file system bounds what is read. */
  bytesLeft: number
}

/**
 * Copies the contents of a directory into an existing one. Never creates anything above it: where it vanishes, because
 * another process has taken over, the copy fails. Can be aborted between two entries. The source may change meanwhile; no
 * link in it is followed. Skips fifos, sockets and devices.
 */
export async function copyTree(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await withHeldDirectory(from, async held => {
    const { blocks, bsize } = await statfs(held.path)
    await copyEntries(held, Buffer.from(to), 0, { signal, bytesLeft: blocks * bsize })
    await giveFacts(held, Buffer.from(to))
  })
}

async function copyEntries(from: HeldEntry, to: Buffer, depth: number, copying: Copying): Promise<void> {
  requireDepth(depth)
  for (const name of await from.names()) {
    copying.signal?.throwIfAborted()
    await copyEntry(from.entry(name), Buffer.concat([to, SLASH, name]), depth, copying)
  }
}

const SLASH = Buffer.from('/')
/** For a name whose entry changes each time it is read. */
const TRIES_MAX = 10

async function copyEntry(from: Buffer, to: Buffer, depth: number, copying: Copying): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await withHeld(from, async held => {
        if (held.stats.isSymbolicLink()) await copyLink(held, from, to)
        else await copyHeld(held, to, depth, copying)
      })
    } catch (reason) {
      if (!(reason instanceof Changed)) return ignoreVanished(from, reason as NodeJS.ErrnoException)
      if (tries >= TRIES_MAX) throw reason
    }
}

/** Skips what was removed since its directory was read. */
function ignoreVanished(from: Buffer, reason: NodeJS.ErrnoException): void {
  if (reason.code !== 'ENOENT' || reason.syscall !== 'open' || reason.path !== from.toString()) throw reason
}

class Changed extends Error {
  override name = 'Changed'
}

async function copyLink({ stats }: HeldEntry, from: Buffer, to: Buffer): Promise<void> {
  const target = await readlink(from, { encoding: 'buffer' }).catch((reason: NodeJS.ErrnoException) => {
    if (reason.code !== 'EINVAL' && reason.code !== 'ENOENT') throw reason
    throw new Changed(`${from} keeps changing between a link and something else`)
  })
  await symlink(target, to)
  await tryChown(to, stats)
}

async function copyHeld(held: HeldEntry, to: Buffer, depth: number, copying: Copying): Promise<void> {
  const { stats } = held
  if (stats.isDirectory()) {
    // Its own mode comes last: it may forbid writing into it.
    await mkdir(to, { mode: 0o700 })
    await copyEntries(held, to, depth + 1, copying)
  } else if (stats.isFile()) {
    copying.bytesLeft -= stats.size
    if (copying.bytesLeft < 0) throw new Error('the files are larger than the whole file system')
    await copyContent(held, to, copying.signal)
  } else return
  await giveFacts(held, to)
}

const SET_ID = 0o6000
const BLOCK = 512

/**
 * At most as much as the file had when it was opened. Keeps holes, so a copy takes no more space than the file. Libuv would
 * set set-id bits at once, before the owner is right and where the sandbox forbids them.
 */
async function copyContent(held: HeldEntry, to: Buffer, signal: AbortSignal | undefined): Promise<void> {
  const { size, blocks, mode } = held.stats
  if ((mode & SET_ID) !== 0) return copyBlocks(held, to, signal)
  if (blocks * BLOCK >= size) return copyFile(held.path, to, CLONE)
  await copyFile(held.path, to, CLONE_ONLY).catch((reason: NodeJS.ErrnoException) => {
    if (!CANNOT_CLONE.includes(reason.code ?? '')) throw reason
    return copyBlocks(held, to, signal)
  })
}

const CLONE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL
const CLONE_ONLY = constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL
const CANNOT_CLONE = ['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'ENOSYS', 'EINVAL', 'EXDEV', 'EPERM', 'EACCES']
const CHUNK = 1024 * 1024

async function copyBlocks(
  { path, stats }: HeldEntry,
  to: Buffer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const source = await open(path, constants.O_RDONLY)
  try {
    const target = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      const chunk = Buffer.alloc(Math.min(CHUNK, stats.size))
      const zeros = Buffer.alloc(chunk.length)
      await target.truncate(stats.size)
      for (let at = 0; at < stats.size; ) {
        signal?.throwIfAborted()
        const wanted = Math.min(chunk.length, stats.size - at)
        const { bytesRead } = await source.read(chunk, 0, wanted, at)
        if (bytesRead === 0) break
        const isHole = zeros.compare(chunk, 0, bytesRead, 0, bytesRead) === 0
        if (!isHole) await writeWhole(target, chunk, bytesRead, at)
        at += bytesRead
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function writeWhole(
  target: Awaited<ReturnType<typeof open>>,
  chunk: Buffer,
  length: number,
  position: number,
): Promise<void> {
  for (let done = 0; done < length; )
    done += (await target.write(chunk, done, length - done, position + done)).bytesWritten
}

/** Owner, mode and times. Set-id bits only if the owner is the same. */
async function giveFacts({ stats }: HeldEntry, to: Buffer): Promise<void> {
  const isOwned = await tryChown(to, stats)
  const mode = stats.mode & 0o7777
  const isKept = stats.isDirectory() || isOwned || (mode & SET_ID) === 0
  await chmod(to, isKept ? mode : mode & ~SET_ID).catch(async (reason: NodeJS.ErrnoException) => {
    if (reason.code !== 'EPERM') throw reason
    await chmod(to, mode & ~SET_ID)
  })
  await utimes(to, stats.atime, stats.mtime)
}

/** Only root can change owners. Returns whether the owner is the same now. */
async function tryChown(to: Buffer, { uid, gid }: { uid: number; gid: number }): Promise<boolean> {
  return lchown(to, uid, gid).then(
    () => true,
    () => false,
  )
}
