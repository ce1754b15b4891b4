import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ownValue } from '../../kernel/records.ts'
import { syncDirectory } from '../../store/files/sync-directory.ts'
import { Stopped } from '../connection/client-failures.ts'
import { exitCodes } from '../connection/exit-codes.ts'
import type { ProcessEnvironment, Signal } from '../process-environment.ts'

const SIGNAL_EXIT: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 }

interface WholeFile {
  readonly path: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** Checks the written content before the file gets its name. */
  readonly check?: (draft: string) => Promise<void>
}

/**
 * Writes a file completely or not at all, readable only by its owner. `check` sees the content before the
 * file gets its name. Returns the size in bytes.
 */
export async function writeWholeFile(
  around: ProcessEnvironment,
  path: string,
  overwrite: boolean,
  chunks: AsyncIterable<Uint8Array>,
  check: (draft: string) => Promise<void> = async () => undefined,
): Promise<number> {
  const [bytes] = await writeWholeFiles(around, [{ path, chunks, check }], overwrite)
  return bytes as number
}

/** The same for several files: none gets its name before all are written. */
export async function writeWholeFiles(
  around: ProcessEnvironment,
  files: readonly WholeFile[],
  overwrite: boolean,
): Promise<number[]> {
  if (!overwrite) for (const { path } of files) await refuseExisting(path)
  const drafts = files.map(file => ({
    ...file,
    draft: `${file.path}.${randomBytes(4).toString('hex')}.part`,
  }))
  const removeDrafts = () => {
    for (const { draft } of drafts) rmSync(draft, { force: true })
  }
  around.onSignal(signal => {
    removeDrafts()
    around.exit(SIGNAL_EXIT[signal])
  })
  let at = ''
  try {
    const sizes: number[] = []
    for (const { path, draft, chunks, check } of drafts) {
      at = path
      sizes.push(await writeDraft(draft, chunks))
      await check?.(draft)
    }
    for (const { path, draft } of drafts) {
      at = path
      await rename(draft, path)
    }
    for (const directory of new Set(drafts.map(({ path }) => dirname(path)))) await syncDirectory(directory)
    return sizes
  } catch (error) {
    removeDrafts()
    throw asStopped(error, at)
  }
}

async function refuseExisting(path: string): Promise<void> {
  const there = await lstat(path).then(
    () => true,
    () => false,
  )
  if (there) throw new Stopped(`${path} already exists: name another file, or give --force`, exitCodes.output)
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
  ENOTDIR: 'a part of the path is not a directory',
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
  return new Stopped(`${path} cannot be written: ${ownValue(REASONS, code)}`, exitCodes.output)
}
