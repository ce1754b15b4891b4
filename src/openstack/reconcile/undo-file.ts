import { type FileHandle, open, readFile } from 'node:fs/promises'
import { ownValue } from '../../kernel/records.ts'
import type { Finding, Repair } from './finding.ts'

/** A repair that was written, or was about to be. */
export interface UndoEntry {
  readonly kind: string
  readonly subject: Finding['subject']
  readonly repair: Repair
}

const HEAD = { berth_reconcile_undo: 1 }

/** Records what each repair changes, one a line, before it is written. */
export class UndoFile {
  readonly path: string
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /** Refuses an existing file. */
  static async create(
    path: string,
    about: { readonly cloud: string; readonly at: string },
  ): Promise<UndoFile> {
    const file = await open(path, 'wx', 0o600)
    const undo = new UndoFile(path, file)
    await undo.#append({ ...HEAD, ...about })
    return undo
  }

  /** Durable when it returns: a repair must never be written that cannot be undone. */
  add(entry: UndoEntry): Promise<void> {
    return this.#append(entry)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #append(value: object): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(value)}\n`)
    await this.#file.datasync()
  }
}

/** A file that is no undo file. */
export class BadUndoFile extends Error {
  override name = 'BadUndoFile'
}

/** The entries of a file, the last one first. A last line that a crash cut short belongs to no repair. */
export async function readUndoFile(path: string): Promise<UndoEntry[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  lines.pop()
  const [head, ...entries] = lines.map((line, at) => parseLine(path, line, at + 1))
  if (head === undefined || ownValue(head, 'berth_reconcile_undo') !== 1)
    throw new BadUndoFile(`${path} is not an undo file of berth reconcile`)
  for (const [at, entry] of entries.entries())
    if (!isEntry(entry)) throw new BadUndoFile(`${path}, line ${at + 2}: it is not a repair`)
  return (entries as unknown[] as UndoEntry[]).reverse()
}

function parseLine(path: string, line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new BadUndoFile(`${path}, line ${number}: it is not a JSON object`)
}

function isEntry({ kind, subject, repair }: Record<string, unknown>): boolean {
  const { of, changes } = (repair ?? {}) as { of?: unknown; changes?: unknown }
  return (
    typeof kind === 'string' &&
    typeof subject === 'object' &&
    subject !== null &&
    (of === 'consumers' || of === 'providers') &&
    Array.isArray(changes) &&
    changes.every(one => typeof one === 'object' && one !== null && 'before' in one && 'after' in one)
  )
}
