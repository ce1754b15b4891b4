import { closeSync, openSync } from 'node:fs'
import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const OTHERS = 0o077
const OURS = /^(berth\.|admin-)/

/**
 * Creates a file that only its owner may read. Does not open an existing one: closing a handle would drop SQLite's
 * locks.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It exists, or SQLite meets the same error when it opens the file and reports it better.
  }
}

/**
 * Removes the rights of group and others from the files of a data directory. Returns a line for each file that had
 * them, and for the directory, which stays as it is.
 */
export async function tightenDataDirectory(directory: string): Promise<string[]> {
  const found = await lstat(directory).catch(() => null)
  if (found === null || !found.isDirectory()) return []
  const warnings: string[] = []
  if ((found.mode & OTHERS) !== 0)
    warnings.push(
      `the data directory ${directory} has mode ${toOctal(found.mode)}, so others on this machine can reach into it: chmod 700 ${directory}`,
    )
  for (const name of (await readdir(directory)).filter(one => OURS.test(one)).sort())
    warnings.push(...(await tighten(join(directory, name))))
  return warnings
}

async function tighten(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => null)
  if (found === null || !found.isFile() || (found.mode & OTHERS) === 0) return []
  const was = `${path} had mode ${toOctal(found.mode)}`
  try {
    await chmod(path, found.mode & 0o700)
    return [
      `${was}; it is ${toOctal(found.mode & 0o700)} now. If others use this machine, assume that they know its content`,
    ]
  } catch {
    return [`${was}, and this user may not change it: chmod 600 ${path} as its owner`]
  }
}

const toOctal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0')
