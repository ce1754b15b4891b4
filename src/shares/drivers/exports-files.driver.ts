import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ShareAccess } from './driver.ts'
import { Epochs } from './epochs.driver.ts'
import {
  ExportIds,
  escapeOctal,
  listClients,
  type NfsExport,
  renderExportsLine,
  renderGaneshaBlock,
  type Squash,
} from './nfs-exports.ts'

const run = promisify(execFile)

interface ExportsParts {
  /** Of the back end: unique per installation. */
  readonly id: string
  readonly backend: string
  readonly epoch: number
  readonly settings: Readonly<Record<string, unknown>>
  readonly pathOf: (share: ShareAccess) => string
}

/** Writes the access rules for NFS servers, and makes the servers reload them. */
export class ExportsFiles {
  readonly #parts: ExportsParts
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  constructor(parts: ExportsParts) {
    this.#parts = parts
  }

  /** One at a time. Requests during a write share the next one. */
  update(list: () => Iterable<ShareAccess>): Promise<void> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = null
        this.#last = this.#write(list)
        return this.#last
      })
    return this.#next
  }

  async #write(list: () => Iterable<ShareAccess>): Promise<void> {
    const { settings } = this.#parts
    await this.#replace(settings.exports_file as string, this.#renderExports(list()))
    if (settings.ganesha_file !== undefined)
      await this.#replace(settings.ganesha_file as string, this.#renderGanesha(list()))
    await reload((settings.reload_command as readonly string[] | undefined) ?? [])
  }

  /** Appears whole or not at all, and only while no other process has taken over. */
  async #replace(file: string, parts: Iterable<string>): Promise<void> {
    const { id, epoch } = this.#parts
    const epochs = new Epochs(join(dirname(file), '.berth-exports', id), file)
    await epochs.adopt(epoch)
    const stage = join(epochs.staging(epoch), randomUUID())
    try {
      const handle = await open(stage, 'wx', 0o644)
      try {
        for (const chunk of joinChunks(parts)) await handle.writeFile(chunk)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(stage, file)
    } catch (reason) {
      await unlink(stage).catch(() => undefined)
      epochs.orSuperseded(epoch, reason as NodeJS.ErrnoException)
    }
  }

  *#renderExports(list: Iterable<ShareAccess>): Generator<string> {
    yield this.#renderHead()
    for (const one of this.#listExports(list)) yield renderExportsLine(one)
  }

  *#renderGanesha(list: Iterable<ShareAccess>): Generator<string> {
    const ids = new ExportIds()
    yield this.#renderHead()
    for (const one of this.#listExports(list)) yield renderGaneshaBlock(one, ids.next(one.number))
  }

  #renderHead(): string {
    return `# Berth writes this for back end ${escapeOctal(this.#parts.backend)}: changes are lost.\n`
  }

  *#listExports(list: Iterable<ShareAccess>): Generator<NfsExport> {
    const squash = (this.#parts.settings.squash as Squash | undefined) ?? 'no_root_squash'
    for (const one of list) {
      const clients = one.protocol === 'NFS' ? listClients(one.rules) : []
      if (clients.length === 0) continue
      yield { path: this.#parts.pathOf(one), share: one.share, number: one.number, clients, squash }
    }
  }
}

const CHUNK_CHARACTERS = 65_536

/** Yields to other work between two chunks. */
function* joinChunks(parts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const part of parts) {
    chunk += part
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

const RELOAD_MS_MAX = 30_000
const SHOWN_MAX = 200

async function reload([command, ...args]: readonly string[]): Promise<void> {
  if (command === undefined) return
  await run(command, args, { timeout: RELOAD_MS_MAX, killSignal: 'SIGKILL' }).catch(reason => {
    const { code, killed, stderr } = reason as { code?: number | string; killed?: boolean; stderr?: string }
    const why = killed === true ? `it took more than ${RELOAD_MS_MAX / 1000} s` : `code ${String(code)}`
    const said = (stderr ?? '').trim().slice(0, SHOWN_MAX)
    throw new Error(`reload_command ${command} failed: ${[why, said].filter(text => text !== '').join(': ')}`)
  })
}
