import { setImmediate as nextTurn } from 'node:timers/promises'
import { countText } from '../../kernel/count-text.ts'
import { type ImportCounts, type Imported, noCounts, sumOf } from '../../placement/transfer/import.ts'
import { type CloudLine, type LineKind, lineKinds, subjectOf } from '../../placement/transfer/lines.ts'
import type { RowLine, RowTable } from '../../transfer/exported-tables.ts'
import type { Did, ImportedRows, RowCounts } from '../../transfer/import-rows.ts'
import type { NumberedLine } from '../api/ndjson.ts'
import { Problem } from '../api/problem.ts'
import { describeLineRefusal } from '../api/refusal-text.ts'
import { type AnyLine, parseLine } from './import-line.ts'

/** The answer of an import. */
interface ImportReport extends AllCounts {
  readonly lines: number
  /** What remains to be done by hand. */
  readonly notes: readonly string[]
}

interface AllCounts extends ImportCounts {
  readonly rows: RowCounts
}

/** A line with data, not the head or the end. */
type DataLine = CloudLine | RowLine

const isRow = (line: DataLine): line is RowLine => 'table' in line

/** The result of one command. */
export type ImportedLines = Imported | ImportedRows

const LINES_PER_COMMAND = 256
/** With no command running, this many lines start one, so that lines are committed and parsed in parallel. */
const LINES_WORTH_A_COMMAND = 64
const BYTES_PER_COMMAND = 1024 * 1024

/** The input of one command: rows, or lines of Placement of which no two are about the same thing. */
export type ChunkLines =
  | { readonly kind: 'placement:import-lines'; readonly lines: readonly CloudLine[] }
  | { readonly kind: 'import-rows'; readonly rows: readonly RowLine[] }

/** The lines of one command. */
class Chunk {
  readonly #lines: DataLine[] = []
  readonly #numbers: number[] = []
  readonly #subjects = new Set<string>()
  readonly #linesMax: number
  #bytes = 0

  constructor(linesMax: number) {
    this.#linesMax = linesMax
  }

  get size(): number {
    return this.#lines.length
  }

  get lines(): ChunkLines {
    const [first] = this.#lines
    return first !== undefined && isRow(first)
      ? { kind: 'import-rows', rows: this.#lines as RowLine[] }
      : { kind: 'placement:import-lines', lines: this.#lines as CloudLine[] }
  }

  /** Returns false if the line must go into the next chunk. */
  take(line: DataLine, { number, bytes }: NumberedLine): boolean {
    const [first] = this.#lines
    if (this.size >= this.#linesMax || (first !== undefined && isRow(first) !== isRow(line))) return false
    if (this.#bytes > 0 && this.#bytes + bytes.length > BYTES_PER_COMMAND) return false
    if (!isRow(line)) {
      const { kind, key } = subjectOf(line)
      const subject = `${kind} ${key}`
      if (this.#subjects.has(subject)) return false
      this.#subjects.add(subject)
    }
    this.#lines.push(line)
    this.#numbers.push(number)
    this.#bytes += bytes.length
    return true
  }

  getNumber(at: number): number {
    return this.#numbers[at] as number
  }
}

type Submit = (lines: ChunkLines) => Promise<ImportedLines>

/** Throws a problem if this caller may not import the row, or if this machine cannot hold it. */
type Admit = (line: RowLine, number: number) => Promise<void> | void

/** Reads a body line by line: submits whole chunks, and stops at an error. */
export class ImportRun {
  readonly #submit: Submit
  readonly #linesPerCommand: number
  readonly #admit: Admit
  #counts: AllCounts = { ...noCounts(), rows: {} }
  #sharesUnderWay: readonly string[] = []
  readonly #seen: Record<LineKind, number> = { resource_classes: 0, traits: 0, providers: 0, consumers: 0 }
  readonly #seenRows = new Map<string, number>()
  #chunk: Chunk
  /** The running command: lines are parsed while it is committed. */
  #pending: Promise<Problem | null> = Promise.resolve(null)
  #isUnderWay = false
  #lines = 0
  /** The body started like an export, so it must end like one. */
  #hasHead = false
  #hasEnd = false

  constructor(submit: Submit, admit: Admit, linesPerCommand = LINES_PER_COMMAND) {
    this.#submit = submit
    this.#admit = admit
    this.#linesPerCommand = linesPerCommand
    this.#chunk = new Chunk(linesPerCommand)
  }

  /** The lines that are left at the end, for the last command. */
  get rest(): ChunkLines {
    return this.#chunk.lines
  }

  /** Reads all lines. If something stops it, the lines before are imported. */
  async read(lines: AsyncIterable<readonly NumberedLine[]>): Promise<void> {
    try {
      for await (const some of lines) for (const line of some) await this.#readLine(line)
      if (this.#hasHead && !this.#hasEnd)
        throw new Problem(
          400,
          'import.cut-short',
          'The last line of the export is missing: it was cut short.',
        )
      await this.#settle()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      // If an earlier line is refused too, that is the error to report.
      await this.#flush()
      await this.#settle()
      throw this.#addReport(error)
    }
  }

  /** The answer after the last command. May be called more than once. */
  makeReport(last: ImportedLines): { readonly report: ImportReport; readonly problem: Problem | null } {
    const counts = addCounts(this.#counts, last)
    const notes = listNotes(counts, [...this.#sharesUnderWay, ...listUnderWay(last)])
    return {
      report: { ...counts, lines: this.#lines, notes },
      problem: this.#findProblem(this.#chunk, last, counts),
    }
  }

  async #readLine(line: NumberedLine): Promise<void> {
    const parsed = parseLine(line)
    this.#checkPlace(parsed, line.number)
    this.#lines++
    if ('berth_export' in parsed || 'end' in parsed) return
    if (isRow(parsed)) {
      await this.#admit(parsed, line.number)
      this.#seenRows.set(parsed.table, (this.#seenRows.get(parsed.table) ?? 0) + 1)
    } else this.#seen[subjectOf(parsed).kind]++
    if (!this.#chunk.take(parsed, line)) {
      await this.#flush()
      this.#chunk.take(parsed, line)
    } else if (!this.#isUnderWay && this.#chunk.size >= LINES_WORTH_A_COMMAND) await this.#flush()
  }

  #checkPlace(line: AnyLine, number: number): void {
    const makeProblem = (what: string) =>
      new Problem(400, 'import.bad-line', `Line ${number}: ${what}`, { line: number })
    if (this.#hasEnd) throw makeProblem('there must be no line after the end.')
    if ('berth_export' in line) {
      if (this.#lines > 0) throw makeProblem('the head of an export comes first.')
      this.#hasHead = true
    }
    if ('end' in line) {
      const wrong = this.#checkCounts(line.end)
      if (wrong !== null) throw makeProblem(wrong)
      this.#hasEnd = true
    }
  }

  #checkCounts(end: EndCounts): string | null {
    const text = (kind: string, wanted: number, came: number) =>
      wanted === came ? null : `there should be ${wanted} ${kind}, but ${came} came.`
    for (const kind of lineKinds) {
      const wrong = text(kind, end[kind], this.#seen[kind])
      if (wrong !== null) return wrong
    }
    for (const table of new Set([...Object.keys(end.rows ?? {}), ...this.#seenRows.keys()])) {
      const wrong = text(table, end.rows?.[table] ?? 0, this.#seenRows.get(table) ?? 0)
      if (wrong !== null) return wrong
    }
    return null
  }

  async #flush(): Promise<void> {
    await this.#settle()
    const chunk = this.#chunk
    if (chunk.size === 0) return
    this.#chunk = new Chunk(this.#linesPerCommand)
    this.#isUnderWay = true
    this.#pending = this.#submit(chunk.lines)
      .then(imported => {
        this.#counts = addCounts(this.#counts, imported)
        this.#sharesUnderWay = [...this.#sharesUnderWay, ...listUnderWay(imported)].slice(0, SHARES_NAMED_MAX)
        return this.#findProblem(chunk, imported, this.#counts)
      })
      .finally(() => {
        this.#isUnderWay = false
      })
    // The next call handles the error; this only prevents an unhandled rejection.
    this.#pending.catch(() => undefined)
    // The body may arrive faster than lines are parsed; without a pause, other requests would never run.
    await nextTurn()
  }

  async #settle(): Promise<void> {
    const pending = this.#pending
    this.#pending = Promise.resolve(null)
    const problem = await pending
    if (problem === null) return
    // Drops the lines that were read meanwhile: they come after the refused one.
    this.#chunk = new Chunk(this.#linesPerCommand)
    throw problem
  }

  #findProblem(chunk: Chunk, { stopped }: ImportedLines, counts: AllCounts): Problem | null {
    if (stopped === null) return null
    const line = chunk.getNumber(stopped.at)
    const { kind, ...facts } = stopped.refusal
    const detail = `Line ${line}: ${describeLineRefusal(stopped.refusal)}`
    return new Problem(409, 'import.refused', detail, { line, reason: kind, ...facts, done: counts })
  }

  /** Reports what was imported before the stop; it stays. */
  #addReport(problem: Problem): Problem {
    if ('done' in problem.facts) return problem
    const facts = { ...problem.facts, done: this.#counts }
    return new Problem(problem.status, problem.code, problem.message, facts)
  }
}

type EndCounts = Extract<AnyLine, { readonly end: unknown }>['end']

const listUnderWay = (imported: ImportedLines): readonly string[] =>
  'sharesUnderWay' in imported ? imported.sharesUnderWay : []

function addCounts(some: AllCounts, imported: ImportedLines): AllCounts {
  if (!('sharesUnderWay' in imported)) return { ...sumOf(some, imported.counts), rows: some.rows }
  const rows: { [N in RowTable]?: Record<Did, number> } = { ...some.rows }
  for (const [name, more] of Object.entries(imported.counts)) {
    const table = name as RowTable
    const { created = 0, updated = 0, unchanged = 0 } = rows[table] ?? {}
    rows[table] = {
      created: created + more.created,
      updated: updated + more.updated,
      unchanged: unchanged + more.unchanged,
    }
  }
  return { ...some, rows }
}

const SHARES_NAMED_MAX = 20

function listNotes({ rows }: AllCounts, sharesUnderWay: readonly string[]): string[] {
  const notes: string[] = []
  const users = rows.users?.created ?? 0
  if (users > 0)
    notes.push(
      `${countText(users, 'new user has', 'new users have')} no password, and cannot sign in until one is set: ` +
        'an export has no secrets.',
    )
  const shares = rows.shares?.created ?? 0
  if (shares > 0) notes.push(`The files of ${countText(shares, 'new share')} were not imported.`)
  if (sharesUnderWay.length > 0)
    notes.push(
      'Work on these shares was under way when they were exported, and no worker continues it here; an admin can set ' +
        `their status: ${sharesUnderWay.slice(0, SHARES_NAMED_MAX).join(', ')}.`,
    )
  return notes
}
