/** The files of recorded arrivals. They are kept outside of this repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export class TraceMissing extends Error {}

export class Traces {
  readonly #directory: string

  constructor(directory: string) {
    if (!existsSync(directory))
      throw new TraceMissing(
        `no traces in ${directory}: name their folder with --traces, or in BERTH_TRACES (see docs/packing.md)`,
      )
    this.#directory = directory
  }

  /** The lines of a table, each with its values by column. */
  read(name: string): Readonly<Record<string, string>>[] {
    const path = join(this.#directory, `${name}.csv.gz`)
    if (!existsSync(path)) throw new TraceMissing(`no trace ${path}`)
    const [head = '', ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split(/\r?\n/)
    const columns = head.split(',')
    return lines.map(line => {
      const values = line.split(',')
      return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']))
    })
  }

  /** The names that begin so, without the ending of the file. */
  list(prefix: string): string[] {
    const ending = '.csv.gz'
    return readdirSync(this.#directory)
      .filter(name => name.startsWith(prefix) && name.endsWith(ending))
      .map(name => name.slice(0, -ending.length))
      .sort()
  }
}
