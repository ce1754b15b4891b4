/** The `manila` command, one process for each call, as older scripts use it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ANSWER_MS_MAX = 60_000

type Row = Readonly<Record<string, string>>

export class Manila {
  readonly #endpoint: string
  readonly #token: string

  constructor(endpoint: string, token: string) {
    this.#endpoint = endpoint
    this.#token = token
  }

  /** The output of a command that must succeed. */
  async say(...words: readonly string[]): Promise<string> {
    const known = ['--os-token', this.#token, '--bypass-url', this.#endpoint]
    const { stdout } = await run('manila', [...known, ...words], {
      timeout: ANSWER_MS_MAX,
      env: { ...process.env, PYTHONWARNINGS: 'ignore', LC_ALL: 'C.UTF-8' },
    })
    return stdout
  }

  /** The rows of the table that a command prints. */
  async rows(...words: readonly string[]): Promise<Row[]> {
    const lines = (await this.say(...words)).split('\n').filter(line => line.startsWith('|'))
    const [head = [], ...rows] = lines.map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )
    return rows.map(row => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])))
  }

  /** A table of names and values as one object. */
  async shown(...words: readonly string[]): Promise<Row> {
    const rows = await this.rows(...words)
    return Object.fromEntries(rows.map(row => [row.Property ?? '', row.Value ?? '']))
  }

  async refused(...words: readonly string[]): Promise<string> {
    const failure = await this.say(...words).then(
      () => null,
      error => String(error.stderr),
    )
    assert.notEqual(failure, null, `'${words.join(' ')}' is not refused`)
    return failure ?? ''
  }
}
