import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Whether both are one directory, through any path or mount, or one contains the other. */
export async function touches(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([resolvePath(one), resolvePath(other)])
  if (isWithin(a, b) || isWithin(b, a)) return true
  const [id, otherId] = await Promise.all([readIdentity(a), readIdentity(b)])
  return id !== null && id === otherId
}

export async function touchesAny(ones: readonly string[], other: string): Promise<boolean> {
  for (const one of ones) if (await touches(one, other)) return true
  return false
}

/**
 * Berth's own files must not be where tenants can read or replace them, nor shares among Berth's files. Links can change, so
 * this is checked when a back end is declared, at each start, and before each step.
 */
export async function requireApartFromOwn(root: string, ownPaths: readonly string[]): Promise<void> {
  // A root that cannot be read cannot be used either.
  for (const own of ownPaths)
    if (await touches(root, own).catch(() => false))
      throw new Error(
        `the root ${root} and Berth's own ${own} must not be the same directory, nor one inside the other: choose another root`,
      )
}

/** For a missing path: where it would be. */
export async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (reason) {
    ignoreMissing(reason as NodeJS.ErrnoException)
    return dirname(path) === path ? path : join(await resolvePath(dirname(path)), basename(path))
  }
}

/** The same for every name and mount; null if missing. */
export async function readIdentity(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (reason) {
    ignoreMissing(reason as NodeJS.ErrnoException)
    return null
  }
}

const isWithin = (outer: string, inner: string): boolean =>
  outer === '/' || `${inner}/`.startsWith(`${outer}/`)

export const ignoreMissing = (reason: NodeJS.ErrnoException): void => {
  if (reason.code !== 'ENOENT') throw reason
}
