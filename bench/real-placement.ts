/**
 * The real Placement from Debian's packages, on MariaDB, by the scripts in ../shared/bench/real. They keep databases and
 * logs beside themselves, so they run from a copy, which keeps a loaded cloud for the next run.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from './measure.ts'

const SCRIPTS = fileURLToPath(new URL('../../shared/bench/real/', import.meta.url))
const PORT = 18_220

export class RealPlacement implements Target {
  readonly name: string
  readonly url = `http://127.0.0.1:${PORT}`
  readonly #directory: string

  /** `name` is that of its database. */
  constructor(name: string, directory = join(tmpdir(), 'berth-bench-peer')) {
    this.name = name
    this.#directory = directory
  }

  /** Empty, or as it was left. */
  start({ isFresh }: { readonly isFresh: boolean }): void {
    if (!existsSync(SCRIPTS)) throw new Error(`the scripts that start Placement are not in ${SCRIPTS}`)
    mkdirSync(this.#directory, { recursive: true })
    cpSync(SCRIPTS, join(this.#directory, 'real'), { recursive: true, force: true })
    this.#run(
      'start-real-placement',
      'mariadb',
      '--name',
      this.name,
      '--port',
      String(PORT),
      ...(isFresh ? ['--fresh'] : []),
    )
  }

  pids(): readonly number[] {
    return [`data/${this.name}/uwsgi.pid`, 'data/mariadb/mariadbd.pid'].map(file =>
      Number(readFileSync(join(this.#directory, file), 'utf8').trim()),
    )
  }

  stop(): void {
    this.#run('stop-real-placement', this.name, '--keep-db')
  }

  /** With the database server. */
  static stopAll(directory = join(tmpdir(), 'berth-bench-peer')): void {
    if (existsSync(join(directory, 'real')))
      new RealPlacement('--all', directory).#run('stop-real-placement', '--all')
  }

  #run(script: string, ...args: string[]): void {
    execFileSync(join(this.#directory, 'real', script), args, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
}
