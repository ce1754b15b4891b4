/**
 * The real Placement from Debian's packages, on MariaDB, by the scripts in ../shared/bench/real. They keep databases and
 * logs beside themselves, so they run from a copy, which keeps a loaded cloud for the next run.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shape } from './clouds.ts'
import type { Target } from './measure.ts'
import { placementRows } from './placement-rows.ts'

const SCRIPTS = fileURLToPath(new URL('../../shared/bench/real/', import.meta.url))
const PORT = 18_220

export class RealPlacement implements Target {
  readonly name: string
  readonly url = `http://127.0.0.1:${PORT}`
  /** What the scripts call its database. */
  readonly database: string
  readonly #directory: string

  constructor(name: string, directory = join(tmpdir(), 'berth-bench-peer')) {
    this.name = name
    this.database = `placement_${name.replaceAll('-', '_')}`
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

  get dataDirectory(): string {
    return join(this.#directory, 'data', this.name)
  }

  pids(): readonly number[] {
    return [this.#pid(`data/${this.name}/uwsgi.pid`), this.databasePid()]
  }

  databasePid(): number {
    return this.#pid('data/mariadb/mariadbd.pid')
  }

  /** Writes a cloud into its empty database. */
  loadRows(shape: Shape, hosts: number): void {
    this.#client('mariadb', [this.database], `BEGIN;\n${[...placementRows(shape, hosts)].join('')}COMMIT;\n`)
  }

  copyDatabase(to: string): void {
    const dump = this.#client('mariadb-dump', ['--single-transaction', this.database], '')
    this.#client('mariadb', [], `DROP DATABASE IF EXISTS ${to}; CREATE DATABASE ${to} CHARACTER SET utf8;`)
    this.#client('mariadb', [to], dump)
  }

  stop(): void {
    this.#run('stop-real-placement', this.name, '--keep-db')
  }

  /** With the database server. */
  static stopAll(directory = join(tmpdir(), 'berth-bench-peer')): void {
    if (existsSync(join(directory, 'real')))
      new RealPlacement('--all', directory).#run('stop-real-placement', '--all')
  }

  #pid(file: string): number {
    return Number(readFileSync(join(this.#directory, file), 'utf8').trim())
  }

  /** Runs a client of its database server and returns what it prints. */
  #client(program: string, args: readonly string[], input: string): string {
    const socket = join(this.#directory, 'data/mariadb/mysqld.sock')
    return execFileSync(program, ['--no-defaults', '-uroot', '-S', socket, ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
  }

  #run(script: string, ...args: string[]): void {
    execFileSync(join(this.#directory, 'real', script), args, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
}
