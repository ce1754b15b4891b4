import { open } from 'node:fs/promises'
import { isRefused } from '../../../client/http.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { unreadable } from '../../connection/unreadable.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { ProgressBar } from '../../render/progress.ts'
import type { Describe } from '../describe-command.ts'
import { describeImportPlacement } from './import-placement.ts'
import { reportTable } from './import-report.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Reads a file of `berth export`: creates what does not exist, updates the rest to match the file, and ' +
      'keeps what the file does not mention. Existing back ends, pools, shares and snapshots must match ' +
      'the file. New users have no password until one is set, and new shares no files. A line that the ' +
      'server refuses ends the import; the lines before it stay, and importing again is harmless.',
    json:
      '{"resource_classes", "traits", "providers", "consumers": {"created", "updated", "unchanged"}, ' +
      '"rows": {table: {"created", "updated", "unchanged"}}, "lines", "notes"}.',
    examples: ['berth import cloud.ndjson', 'zstdcat cloud.ndjson.zst | berth import -'],
    exits: [exitCodes.conflict],
  }).argument('<file>', 'The file to read; - is standard input.')
  describeImportPlacement(
    command.command('placement').summary("take over the ledger of OpenStack's Placement"),
    around,
    end,
  )
  whenRun(command, around, end, async (session, _options, file: string) => {
    const source = await sourceOf(around, file)
    const progress = new ProgressBar(around, 'import', { bytesTotal: source.bytesTotal, countsLines: true })
    try {
      const report = await session.berth.import(progress.countBytes(source.chunks))
      session.print(report, look => reportTable(report, look))
      // An older server has none.
      for (const note of report.notes ?? []) around.stderr.write(`berth: ${note}\n`)
    } catch (error) {
      throw withoutChange(error)
    } finally {
      progress.clear()
      await source.close()
    }
  })
}

interface Source {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly bytesTotal: number | null
  close(): Promise<void>
}

const CHUNK_BYTES = 256 * 1024

async function sourceOf({ stdin }: ProcessEnvironment, path: string): Promise<Source> {
  if (path === '-') {
    if (stdin.isTerminal) throw makeUsageError('standard input is a terminal: name a file, or pipe one in')
    return { chunks: stdin.chunks(), bytesTotal: null, close: async () => undefined }
  }
  try {
    const file = await open(path, 'r')
    const { size } = await file.stat()
    const chunks = file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })
    return { chunks, bytesTotal: size > 0 ? size : null, close: () => file.close() }
  } catch (error) {
    throw unreadable(error, path)
  }
}

/** Names the line, and says that the import can be repeated. */
function withoutChange(error: unknown): unknown {
  if (!isRefused(error, 409) && !isRefused(error, 400)) return error
  const { line } = error.facts
  const isNamed = typeof line !== 'number' || error.message.toLowerCase().includes(`line ${line}`)
  const where = isNamed ? '' : `line ${line}: `
  return new Stopped(
    `${where}${error.message} (the lines before it were imported)`,
    error.status === 409 ? exitCodes.conflict : exitCodes.invalid,
  )
}
