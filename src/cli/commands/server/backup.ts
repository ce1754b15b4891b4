import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { bytesText, ProgressBar } from '../../render/progress.ts'
import { writeWholeFile } from '../../render/whole-file.ts'
import type { Describe } from '../describe-command.ts'
import { checkDatabaseFile } from './database-file.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Copies the database of a running server into a file, as of one revision, while the server ' +
      'continues. `berth restore` makes a data directory from it. It does not contain the admin token.',
    json: '{"file", "bytes", "revision": null or number}.',
    examples: [
      'berth backup berth-2031-05-01.sqlite',
      'berth backup --server lab /srv/backup/lab.sqlite --force',
    ],
    exits: [exitCodes.output],
  })
    .argument('<file>', 'The file to write. It must not exist.')
    .option('--force', 'Replace an existing file.')
  whenRun(command, around, end, async (session, options: { force?: true }, file: string) => {
    const { revision, bytesTotal, bytes: chunks } = await session.berth.backup()
    const progress = new ProgressBar(around, 'backup', { bytesTotal, countsLines: false })
    const bytes = await writeWholeFile(
      around,
      file,
      options.force === true,
      progress.countBytes(chunks),
      draft => checkDatabaseFile(draft, `what ${session.connection.url} sent`),
    )
    const at = revision === null ? '' : `, revision ${revision}`
    session.print({ file, bytes, revision }, () => `${file}: ${bytesText(bytes)}${at}\n`)
  })
}
