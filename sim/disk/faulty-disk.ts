/** A data directory on a disk that fails on command: see faulty-disk.c. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('./faulty-disk.c', import.meta.url))

/** The library to preload; null where there is no C compiler, or no LD_PRELOAD. */
export function faultyDiskLibrary(): string | null {
  if (process.platform !== 'linux') return null
  const digest = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16)
  const library = join(tmpdir(), `berth-faulty-disk-${digest}.so`)
  if (existsSync(library)) return library
  const draft = `${library}.${process.pid}`
  const made = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', draft, SOURCE, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  })
  if (made.error !== undefined) return null
  if (made.status !== 0) throw new Error(made.stderr)
  renameSync(draft, library)
  return library
}

export class FaultyDisk {
  readonly directory: string
  /** The environment of a process on this disk. */
  readonly env: Readonly<Record<string, string>>
  readonly #base: string
  readonly #durable: string
  readonly #control: string

  constructor(library: string) {
    this.#base = mkdtempSync(join(tmpdir(), 'berth-disk-'))
    this.directory = join(this.#base, 'data')
    this.#durable = join(this.#base, 'durable')
    this.#control = join(this.#base, 'control')
    mkdirSync(this.directory, { mode: 0o700 })
    this.env = {
      LD_PRELOAD: library,
      FAULTY_DISK_DIRECTORY: this.directory,
      FAULTY_DISK_CONTROL: this.#control,
      FAULTY_DISK_DURABLE: this.#durable,
    }
    this.#takeAsDurable()
  }

  /** Sets the faults from now on; none is a healthy disk. */
  rule(...rules: string[]): void {
    writeFileSync(`${this.#control}.part`, rules.map(rule => `${rule}\n`).join(''))
    renameSync(`${this.#control}.part`, this.#control)
  }

  /** Drops everything that was not synced. No process may run on it. */
  cutPower(): void {
    this.rule()
    const names = readFileSync(join(this.#durable, 'names'), 'utf8').split('\n').filter(Boolean)
    for (const name of readdirSync(this.directory)) rmSync(join(this.directory, name))
    for (const line of names) {
      const [, inode, name] = /^(\d+) (.*)$/.exec(line) as unknown as [string, string, string]
      const content = join(this.#durable, `content-${inode}`)
      if (existsSync(content)) copyFileSync(content, join(this.directory, name))
      else writeFileSync(join(this.directory, name), '')
    }
    this.#takeAsDurable()
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true })
  }

  #takeAsDurable(): void {
    rmSync(this.#durable, { recursive: true, force: true })
    mkdirSync(this.#durable)
    const lines = readdirSync(this.directory).map(name => {
      const { ino } = statSync(join(this.directory, name))
      copyFileSync(join(this.directory, name), join(this.#durable, `content-${ino}`))
      return `${ino} ${name}\n`
    })
    writeFileSync(join(this.#durable, 'names'), lines.join(''))
  }
}
