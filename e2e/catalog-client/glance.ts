/** The `glance` command, one process for each call, as people and scripts use it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ANSWER_MS_MAX = 30_000

type Row = Readonly<Record<string, string>>

export class Glance {
  readonly #endpoint: string
  readonly #token: string
  /** Holds the client's cache and files to import. */
  readonly #home: string

  private constructor(endpoint: string, token: string, home: string) {
    this.#endpoint = endpoint
    this.#token = token
    this.#home = home
  }

  static async at(endpoint: string, token: string): Promise<Glance> {
    return new Glance(endpoint, token, await mkdtemp(join(tmpdir(), 'berth-glance-')))
  }

  async end(): Promise<void> {
    await rm(this.#home, { recursive: true, force: true })
  }

  /** The output of a command that must succeed. */
  async say(...words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await this.#run(words)
    assert.equal(stderr, '', `'${words.join(' ')}' complains`)
    return stdout
  }

  /** The rows of the table that a command prints. */
  async rows(...words: readonly string[]): Promise<Row[]> {
    return rowsOf(await this.say(...words))
  }

  /** A table of names and values as one object. */
  async shown(...words: readonly string[]): Promise<Row> {
    const rows = await this.rows(...words)
    return Object.fromEntries(rows.map(row => [row.Property as string, row.Value as string]))
  }

  /** Runs a command that must succeed without output. */
  async quiet(...words: readonly string[]): Promise<void> {
    assert.equal(await this.say(...words), '', `'${words.join(' ')}' prints something`)
  }

  /** The error of a command that must fail. */
  async refused(...words: readonly string[]): Promise<string> {
    const failure = await this.#run(words).then(
      () => null,
      (error: { stderr: string }) => error,
    )
    assert(failure !== null, `'${words.join(' ')}' is not refused`)
    return failure.stderr
  }

  /** A file for `--file`. */
  async file(name: string, content: unknown): Promise<string> {
    const path = join(this.#home, name)
    await writeFile(path, JSON.stringify(content))
    return path
  }

  #run(words: readonly string[]) {
    const options = ['--os-image-url', this.#endpoint, '--os-auth-token', this.#token, ...words]
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: this.#home,
      PYTHONWARNINGS: 'ignore',
      LC_ALL: 'C.UTF-8',
      COLUMNS: '500',
    }
    return run('glance', options, { env, timeout: ANSWER_MS_MAX })
  }
}

/** `| a | b |` lines between rulers; the first of them has the titles. */
function rowsOf(text: string): Row[] {
  const lines = text.split('\n').filter(line => line.startsWith('|'))
  const cells = (line: string) =>
    line
      .slice(1, line.lastIndexOf('|'))
      .split('|')
      .map(cell => cell.trim())
  const [titles = [], ...rows] = lines.map(cells)
  return rows.map(row => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? ''])))
}
