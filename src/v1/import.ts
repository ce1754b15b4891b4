import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ImportCounts, type Imported, noCounts, sumOf } from '../placement/transfer/import.ts'
import { type CloudLine, type LineKind, lineKinds, subjectOf } from '../placement/transfer/lines.ts'
import { type AnyLine, parseLine } from './import-line.ts'
import type { NumberedLine } from './ndjson.ts'
import { Problem } from './problem.ts'
import { refusalText } from './refusal-text.ts'

/** What one import answers. */
export interface ImportReport extends ImportCounts {
  readonly lines: number
}

const LINES_PER_COMMAND = 256
/** So many are worth a command of their own while none is under way: nobody shall wait for lines that could be read meanwhile. */
const LINES_WORTH_A_COMMAND = 64
const BYTES_PER_COMMAND = 1024 * 1024

/** Lines that are taken in by one command; none of them is about the same thing as another. */
export class Chunk {
  readonly lines: CloudLine[] = []
  readonly #numbers: number[] = []
  readonly #subjects = new Set<string>()
  readonly #linesMax: number
  #bytes = 0

  constructor(linesMax: number) {
    this.#linesMax = linesMax
  }

  /** False: the line has to go into the next chunk. */
  take(line: CloudLine, { number, bytes }: NumberedLine): boolean {
    const { kind, key } = subjectOf(line)
    const subject = `${kind} ${key}`
    if (this.lines.length >= this.#linesMax || this.#subjects.has(subject)) return false
    if (this.#bytes > 0 && this.#bytes + bytes.length > BYTES_PER_COMMAND) return false
    this.#subjects.add(subject)
    this.lines.push(line)
    this.#numbers.push(number)
    this.#bytes += bytes.length
    return true
  }

  numberOf(at: number): number {
    return this.#numbers[at] as number
  }
}

type Submit = (lines: readonly CloudLine[]) => Promise<Imported>

/** Goes through a body line by line: what is whole goes to `submit`, and what is wrong stops it. */
export class ImportRun {
  readonly #submit: Submit
  readonly #linesPerCommand: number
  #counts: ImportCounts = noCounts()
  readonly #seen: Record<LineKind, number> = { resource_classes: 0, traits: 0, providers: 0, consumers: 0 }
  #chunk: Chunk
  /** The command under way: lines are read while it is committed. */
  #pending: Promise<Problem | null> = Promise.resolve(null)
  #isUnderWay = false
  #lines = 0
  /** Whether the body began as an export does, so that it must end like one. */
  #hasHead = false
  #hasEnd = false

  constructor(submit: Submit, linesPerCommand = LINES_PER_COMMAND) {
    this.#submit = submit
    this.#linesPerCommand = linesPerCommand
    this.#chunk = new Chunk(linesPerCommand)
  }

  /** The lines that still wait once all were read: the last command's. */
  get rest(): readonly CloudLine[] {
    return this.#chunk.lines
  }

  /** Reads all lines; whatever stops it, those before are in. */
  async read(lines: AsyncIterable<readonly NumberedLine[]>): Promise<void> {
    try {
      for await (const some of lines) for (const line of some) await this.#line(line)
      if (this.#hasHead && !this.#hasEnd)
        throw new Problem(
          400,
          'import.cut-short',
          'The last line of the export is missing: it was cut short.',
        )
      await this.#settled()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      // An earlier line may be refused yet; then that is what stopped it.
      await this.#flush()
      await this.#settled()
      throw this.#withReport(error)
    }
  }

  /** What there is to answer after the last command. May be asked more than once. */
  ending(last: Imported): { readonly report: ImportReport; readonly problem: Problem | null } {
    const counts = sumOf(this.#counts, last.counts)
    return { report: { ...counts, lines: this.#lines }, problem: this.#problemIn(this.#chunk, last, counts) }
  }

  async #line(line: NumberedLine): Promise<void> {
    const parsed = parseLine(line)
    this.#checkPlace(parsed, line.number)
    this.#lines++
    if ('berth_export' in parsed || 'end' in parsed) return
    this.#seen[subjectOf(parsed).kind]++
    if (!this.#chunk.take(parsed, line)) {
      await this.#flush()
      this.#chunk.take(parsed, line)
    } else if (!this.#isUnderWay && this.#chunk.lines.length >= LINES_WORTH_A_COMMAND) await this.#flush()
  }

  #checkPlace(line: AnyLine, number: number): void {
    const bad = (what: string) =>
      new Problem(400, 'import.bad-line', `Line ${number}: ${what}`, { line: number })
    if (this.#hasEnd) throw bad('there must be no line after the end.')
    if ('berth_export' in line) {
      if (this.#lines > 0) throw bad('the head of an export comes first.')
      this.#hasHead = true
    }
    if ('end' in line) {
      const wrong = lineKinds.find(kind => line.end[kind] !== this.#seen[kind])
      if (wrong !== undefined)
        throw bad(`there should be ${line.end[wrong]} ${wrong}, but ${this.#seen[wrong]} came.`)
      this.#hasEnd = true
    }
  }

  async #flush(): Promise<void> {
    await this.#settled()
    const chunk = this.#chunk
    if (chunk.lines.length === 0) return
    this.#chunk = new Chunk(this.#linesPerCommand)
    this.#isUnderWay = true
    this.#pending = this.#submit(chunk.lines)
      .then(imported => {
        this.#counts = sumOf(this.#counts, imported.counts)
        return this.#problemIn(chunk, imported, this.#counts)
      })
      .finally(() => {
        this.#isUnderWay = false
      })
    // Whoever looks next gets to know.
    this.#pending.catch(() => undefined)
    // A body may come quicker than its lines are read, and then nobody else would ever get a turn.
    await nextTurn()
  }

  async #settled(): Promise<void> {
    const pending = this.#pending
    this.#pending = Promise.resolve(null)
    const problem = await pending
    if (problem === null) return
    // Lines that were read meanwhile come after the refused one.
    this.#chunk = new Chunk(this.#linesPerCommand)
    throw problem
  }

  #problemIn(chunk: Chunk, { stopped }: Imported, counts: ImportCounts): Problem | null {
    if (stopped === null) return null
    const line = chunk.numberOf(stopped.at)
    const { kind, ...facts } = stopped.refusal
    const detail = `Line ${line}: ${refusalText(stopped.refusal)}`
    return new Problem(409, 'import.refused', detail, { line, reason: kind, ...facts, done: counts })
  }

  /** What was done before it stopped stays, and is told. */
  #withReport(problem: Problem): Problem {
    if ('done' in problem.facts) return problem
    const facts = { ...problem.facts, done: this.#counts }
    return new Problem(problem.status, problem.code, problem.message, facts)
  }
}
