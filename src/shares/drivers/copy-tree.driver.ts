import { constants } from 'node:fs'
import { copyFile, lchown, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Copies what is in a directory into one that is there. Nothing above it is ever made: where it vanishes, because
 * somebody else has taken over, the copy fails instead of coming back to life. It is given up between two entries.
 */
export async function copyTree(from: string, to: string, signal?: AbortSignal): Promise<void> {
  for (const { name } of await readdir(from, { withFileTypes: true })) {
    signal?.throwIfAborted()
    await copyEntry(join(from, name), join(to, name), signal)
  }
  const { atime, mtime } = await lstat(from)
  await utimes(to, atime, mtime)
}

async function copyEntry(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const found = await lstat(from)
  if (found.isDirectory()) {
    await mkdir(to, { mode: found.mode & 0o7777 })
    await copyTree(from, to, signal)
  } else if (found.isSymbolicLink()) await symlink(await readlink(from), to)
  else if (found.isFile()) {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    await utimes(to, found.atime, found.mtime)
  }
  // Only root can give files away; others keep what they copy.
  if (!found.isSocket() && !found.isFIFO()) await lchown(to, found.uid, found.gid).catch(() => undefined)
}
