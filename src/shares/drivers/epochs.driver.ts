import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Superseded } from './driver.ts'
import { removeTree } from './remove-tree.driver.ts'
import { ignoreMissing } from './same-place.driver.ts'

/**
 * A directory with one directory for each epoch of a back end. Everything is created there and renamed into place. Once the
 * directory of an epoch is gone, late work of a process that was thought dead fails.
 */
export class Epochs {
  readonly #books: string
  readonly #what: string

  constructor(books: string, what: string) {
    this.#books = books
    this.#what = what
  }

  staging(epoch: number): string {
    return join(this.#books, `epoch-${epoch}`)
  }

  /** Removes earlier epochs. Rejects if there is a later one. */
  async adopt(epoch: number): Promise<void> {
    await mkdir(this.#books, { recursive: true, mode: 0o700 })
    await this.#requireNewest(epoch)
    await mkdir(this.staging(epoch), { recursive: true, mode: 0o700 })
    // Of two processes that start at the same time, one sees the other.
    await this.#requireNewest(epoch).catch(async reason => {
      await rmdir(this.staging(epoch)).catch(() => undefined)
      throw reason
    })
    for (const older of await this.#list())
      if (older < epoch) {
        const dead = join(this.#books, `dead-${randomUUID()}`)
        await rename(this.staging(older), dead).catch(ignoreMissing)
      }
    for (const name of await readdir(this.#books))
      if (name.startsWith('dead-')) await removeTree(join(this.#books, name))
  }

  /** If the staging directory is missing, another process has taken over. */
  orSuperseded(epoch: number, reason: NodeJS.ErrnoException): never {
    if (reason.code === 'ENOENT') throw this.#superseded(epoch)
    throw reason
  }

  async #list(): Promise<number[]> {
    const names = await readdir(this.#books)
    return names.flatMap(name => (name.startsWith('epoch-') ? [Number(name.slice('epoch-'.length))] : []))
  }

  async #requireNewest(epoch: number): Promise<void> {
    if ((await this.#list()).some(other => other > epoch)) throw this.#superseded(epoch)
  }

  #superseded(epoch: number): Superseded {
    return new Superseded(`epoch ${epoch} of ${this.#what} has ended: another server took over`)
  }
}
