import { linesOf } from '../../../client/lines.ts'
import { countText } from '../../../kernel/count-text.ts'
import type { ExportEnd } from '../../../wire/transfer.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { bytesText, ProgressBar } from '../../render/progress.ts'
import { writeWholeFile } from '../../render/whole-file.ts'
import type { Describe } from '../describe-command.ts'
import { describeExportPlacement } from './export-placement.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Writes the whole cloud as NDJSON, as of one revision: resource classes, traits, providers with all their ' +
      'details, consumers with their allocations; the catalog; flavors, hosts, host aggregates, server groups and the ' +
      'stored requests of servers; users, projects, roles and their assignments; share types, back ends, pools, shares, ' +
      'snapshots and quotas. `berth import` reads it. It does not contain passwords, application credentials, tokens, the ' +
      'files of shares and work in progress on them, audit entries, decisions, and anything that the token may not read.',
    json:
      'Of a file: {"file", "bytes", "lines", "revision", "resource_classes", "traits", "providers", "consumers", ' +
      '"rows": {table: number}, "left_out", "not_exported", "shares_under_way"}.',
    examples: ['berth export cloud.ndjson', 'berth export - | zstd > cloud.ndjson.zst'],
    exits: [exitCodes.output],
  })
    .argument('<file>', 'The file to write, which must not exist; - is standard output.')
    .option('--force', 'Replace an existing file.')
  describeExportPlacement(
    command.command('placement').summary("write the ledger into OpenStack's Placement"),
    around,
    end,
  )
  whenRun(command, around, end, async (session, options: { force?: true }, file: string) => {
    const { revision, bytesTotal, bytes: chunks } = await session.berth.export()
    const progress = new ProgressBar(around, 'export', { bytesTotal, countsLines: true })
    const tail = new Tail()
    const passing = tail.keepTail(progress.countBytes(chunks))
    if (file === '-') {
      for await (const chunk of passing) around.stdout.write(chunk)
      writeNotes(around, await tail.end())
      return
    }
    const overwrite = options.force === true
    const bytes = await writeWholeFile(around, file, overwrite, passing, async () => void (await tail.end()))
    const counts = await tail.end()
    const { lines } = progress
    session.print(
      { file, bytes, lines, revision, ...counts },
      () =>
        `${file}: ${bytesText(bytes)}, revision ${revision}: ${countText(counts.resource_classes, 'resource class', 'resource classes')}, ` +
        `${countText(counts.traits, 'trait')}, ${countText(counts.providers, 'provider')}, ${countText(counts.consumers, 'consumer')}${rowsText(counts)}\n`,
    )
    writeNotes(around, counts)
  })
}

const tableWords = (name: string): string => name.replaceAll('_', ' ')

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${tableWords(name)}`)
    .join(', ')

function rowsText({ rows = {} }: ExportEnd): string {
  const text = countsText(rows)
  return text === '' ? '' : `, ${text}`
}

function writeNotes({ stderr }: ProcessEnvironment, end: ExportEnd): void {
  for (const note of notesOn(end)) stderr.write(`berth: ${note}\n`)
}

/** What is missing in the file. */
function notesOn({ left_out = [], not_exported = {}, shares_under_way = [] }: ExportEnd): string[] {
  const notes: string[] = []
  const missing = countsText(not_exported)
  if (missing !== '') notes.push(`not exported: ${missing}`)
  if (left_out.length > 0)
    notes.push(`left out, because the token may not read them: ${left_out.map(tableWords).join(', ')}`)
  if (shares_under_way.length > 0)
    notes.push(
      `work on these shares is in progress, and the file has them half done: ${shares_under_way.join(', ')}`,
    )
  return notes
}

/** The last line names up to a hundred shares. */
const KEPT_BYTES = 64 * 1024

/** Keeps the end of the stream: an export is complete only if its last line says so. */
class Tail {
  #last: Uint8Array = new Uint8Array()

  async *keepTail(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#last = Buffer.concat([this.#last, chunk]).subarray(-KEPT_BYTES)
      yield chunk
    }
  }

  async end(): Promise<ExportEnd> {
    let last = ''
    const kept = this.#last
    const once = async function* () {
      yield kept
    }
    for await (const line of linesOf(once())) if (line !== '') last = line
    const end = endIn(last)
    if (end === null)
      throw new Stopped('the export broke off: its last line is missing', exitCodes.unavailable)
    return end
  }
}

function endIn(line: string): ExportEnd | null {
  try {
    return (JSON.parse(line) as { end?: ExportEnd }).end ?? null
  } catch {
    return null
  }
}
