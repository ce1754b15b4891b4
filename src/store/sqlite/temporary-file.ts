import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Backup, Head } from '../store.ts'

const BYTES_PER_READ = 256 * 1024

/** An unlinked file: it lasts until it was read, or reading ended. */
export class TemporaryFile implements Backup {
  readonly head: Head
  readonly bytes: number
  readonly #file: FileHandle
  #closed: Promise<void> | null = null

  private constructor(file: FileHandle, bytes: number, head: Head) {
    this.#file = file
    this.bytes = bytes
    this.head = head
  }

  static async open(path: string, head: Head): Promise<TemporaryFile> {
    const file = await open(path)
    try {
      await rm(path)
      return new TemporaryFile(file, (await file.stat()).size, head)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(BYTES_PER_READ))
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await this.close()
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#file.close()
    return this.#closed
  }
}
