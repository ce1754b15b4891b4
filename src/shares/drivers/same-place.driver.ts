import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** One directory, by whatever name or mount, or one in the other. */
export async function touches(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([realOf(one), realOf(other)])
  if (isWithin(a, b) || isWithin(b, a)) return true
  const [id, otherId] = await Promise.all([identityOf(a), identityOf(b)])
  return id !== null && id === otherId
}

export async function touchesAny(ones: readonly string[], other: string): Promise<boolean> {
  for (const one of ones) if (await touches(one, other)) return true
  return false
}

/**
 * Berth's own files must not be where tenants can read or replace them, nor shares among Berth's files. Where a path leads
 * can change, so this is asked when a back end is declared, at each start, and before it is worked on.
 */
export async function requireApartFromOwn(root: string, ownPaths: readonly string[]): Promise<void> {
  // A root that cannot be looked at cannot be used either.
  for (const own of ownPaths)
    if (await touches(root, own).catch(() => false))
      throw new Error(
        `the root ${root} and Berth's own ${own} must not be in one place, nor one inside the other: choose another root`,
      )
}

/** Of what is not there: where it would be. */
export async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (reason) {
    unlessMissing(reason as NodeJS.ErrnoException)
    return dirname(path) === path ? path : join(await realOf(dirname(path)), basename(path))
  }
}

/** Whatever it is called and wherever it is mounted; null for what is not there. */
export async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (reason) {
    unlessMissing(reason as NodeJS.ErrnoException)
    return null
  }
}

const isWithin = (outer: string, inner: string): boolean =>
  outer === '/' || `${inner}/`.startsWith(`${outer}/`)

export const unlessMissing = (reason: NodeJS.ErrnoException): void => {
  if (reason.code !== 'ENOENT') throw reason
}
