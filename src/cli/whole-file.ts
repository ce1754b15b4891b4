import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../store/durable.ts'
import { Stopped } from './client-failures.ts'
import { exitCodes } from './exit-codes.ts'
import type { Signal, Surroundings } from './surroundings.ts'

const SIGNAL_EXIT: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 }

/**
 * Writes a file that is there as a whole or not at all, readable by its owner only; `check` looks at what was
 * written before it gets its name. Returns how many bytes it has.
 */
export async function writeWholeFile(
  around: Surroundings,
  path: string,
  overwrite: boolean,
  chunks: AsyncIterable<Uint8Array>,
  check: (draft: string) => Promise<void> = async () => undefined,
): Promise<number> {
  if (!overwrite) await refuseExisting(path)
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  around.onSignal(signal => {
    rmSync(draft, { force: true })
    around.exit(SIGNAL_EXIT[signal])
  })
  try {
    const bytes = await writeDraft(draft, chunks)
    await check(draft)
    await rename(draft, path)
    await syncDirectory(dirname(path))
    return bytes
  } catch (error) {
    rmSync(draft, { force: true })
    throw asStopped(error, path)
  }
}

async function refuseExisting(path: string): Promise<void> {
  const there = await lstat(path).then(
    () => true,
    () => false,
  )
  if (there)
    throw new Stopped(`${path} is there already: name another file, or give --force`, exitCodes.output)
}

async function writeDraft(draft: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(draft, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      bytes += chunk.length
    }
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'a part of the path is no directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  EDQUOT: 'the quota is used up',
}

function asStopped(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || !(code in REASONS)) return error
  return new Stopped(`${path} cannot be written: ${REASONS[code]}`, exitCodes.output)
}
