import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../files/file-modes.ts'
import { StoreUnavailable } from '../store.ts'
import { toUseError } from './failure.ts'
import { readHead } from './head-row.ts'
import type { BackupFile } from './messages.ts'

/** Each step holds the file's pages for some milliseconds; commits go on meanwhile. */
const PAGES_PER_STEP = 256

const NAME = /^berth\.backup-\d+\.tmp(-journal|-wal|-shm)?$/

/** Deletes what a server left behind that was killed during a backup. */
export function deleteLeftovers(directory: string): void {
  for (const name of readdirSync(directory))
    if (NAME.test(name)) rmSync(join(directory, name), { force: true })
}

let made = 0

/**
 * Copies the file through SQLite, in a read transaction on its own connection: commits meanwhile neither show nor
 * restart the copy. `isUnwanted` is called between steps.
 */
export async function copyFile(
  db: DatabaseSync,
  directory: string,
  isUnwanted: () => boolean,
): Promise<BackupFile> {
  const path = join(directory, `berth.backup-${++made}.tmp`)
  try {
    db.exec('BEGIN')
    const head = readHead(db)
    createPrivateFile(path)
    await backup(db, path, {
      rate: PAGES_PER_STEP,
      progress: () => {
        if (isUnwanted()) throw new StoreUnavailable('the store is closing')
      },
    })
    return { head, path }
  } catch (error) {
    rmSync(path, { force: true, recursive: true })
    throw toUseError(error, path)
  } finally {
    db.close()
  }
}
