import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseExactly } from '../../../kernel/exact-json.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { writeWholeFiles } from '../../render/whole-file.ts'

export function describeCatalogExport(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Writes namespaces as definition files, without the fields that the server added. `berth catalog ' +
      'import` reads them, and so does Glance, one at a time.',
    notes:
      'One namespace is written as a definition, several as {"definitions": [...]}. Into a directory, each\n' +
      'namespace gets its own file, named after it.',
    json: 'With --output: [{"file", "namespaces": [NAME, ...]}, ...].',
    examples: [
      'berth catalog export OS::Compute::Quota',
      'berth catalog export --output definitions/',
      'berth catalog export Acme::Storage Acme::Compute --output acme.json',
    ],
    exits: [exitCodes.output],
  })
    .argument('[namespace...]', 'The names; default: all that the token may see.')
    .option('--output <path>', 'A file, or a directory: one that exists, or whose name ends in /.')
    .option('--force', 'Replace existing files.')
  whenRun(
    command,
    around,
    end,
    async (session, { output, force }: { output?: string; force?: true }, names: string[] = []) => {
      const query = names.map(name => `namespace=${encodeURIComponent(name)}`).join('&')
      const { definitions } = parseExactly(await session.berth.exportDefinitions(query)) as Exported
      if (output === undefined) {
        around.stdout.write(fileText(definitions))
        return
      }
      if (output.endsWith('/')) await mkdir(output, { recursive: true })
      const files = (await isDirectory(output))
        ? nameFiles(output, definitions)
        : [{ file: output, definitions }]
      await writeWholeFiles(
        around,
        files.map(one => ({ path: one.file, chunks: bytes(fileText(one.definitions)) })),
        force === true,
      )
      const written = files.map(one => ({
        file: one.file,
        namespaces: one.definitions.map(({ namespace }) => namespace),
      }))
      session.print(written, () =>
        written.map(({ file, namespaces }) => `${file}: ${namespaces.join(', ')}\n`).join(''),
      )
    },
  )
}

interface Definition {
  readonly namespace: string
}

interface Exported {
  readonly definitions: readonly Definition[]
}

function fileText(definitions: readonly Definition[]): string {
  const [only] = definitions
  return `${JSON.stringify(definitions.length === 1 ? only : { definitions }, null, 2)}\n`
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
}

/** One file per namespace, with a readable name that is easy to type. Equal names get a number. */
function nameFiles(directory: string, definitions: readonly Definition[]) {
  const taken = new Set<string>()
  return definitions.map(one => {
    const plain = one.namespace
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
    let name = plain || 'namespace'
    for (let number = 2; taken.has(name); number++) name = `${plain || 'namespace'}-${number}`
    taken.add(name)
    return { file: join(directory, `${name}.json`), definitions: [one] }
  })
}
