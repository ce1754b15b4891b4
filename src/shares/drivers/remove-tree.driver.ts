import { randomUUID } from 'node:crypto'
import { chmod, rename, rmdir, unlink } from 'node:fs/promises'
import { type HeldEntry, withHeld } from './held-entry.driver.ts'
import { ignoreMissing } from './same-place.driver.ts'

/** A process with an open handle may still add entries. */
const TRIES_MAX = 10

/**
 * Removes the entry with this name, and follows no link. Its directory must be Berth's own. However deep the tree is, one
 * handle is open at a time: directories are moved out beside it, and removed after it.
 */
export async function removeTree(path: string): Promise<void> {
  const left = [path]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const at = next
    await withHeld(at, held =>
      held.stats.isDirectory() ? removeDirectory(held, at, left) : unlink(at),
    ).catch(ignoreMissing)
  }
}

async function removeDirectory(held: HeldEntry, at: string, left: string[]): Promise<void> {
  await unlock(held)
  for (let tries = 1; ; tries++) {
    for (const name of await held.names()) await removeEntry(held.entry(name), at, left)
    try {
      return await rmdir(at)
    } catch (reason) {
      if ((reason as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries >= TRIES_MAX) throw reason
    }
  }
}

async function removeEntry(entry: Buffer, at: string, left: string[]): Promise<void> {
  try {
    await unlink(entry)
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== 'EISDIR')
      return ignoreMissing(reason as NodeJS.ErrnoException)
    const beside = `${at.slice(0, at.lastIndexOf('/') + 1)}dead-${randomUUID()}`
    await rename(entry, beside).catch(async (refused: NodeJS.ErrnoException) => {
      if (refused.code !== 'EACCES') throw refused
      await withHeld(entry, async held => (held.stats.isDirectory() ? unlock(held) : undefined))
      await rename(entry, beside)
    })
    left.push(beside)
  }
}

/** Its owner may have forbidden writing into it. */
async function unlock({ stats, path }: HeldEntry): Promise<void> {
  if ((stats.mode & 0o700) !== 0o700) await chmod(path, 0o700).catch(() => undefined)
}
