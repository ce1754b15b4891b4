import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { isRefused } from '../../../client/http.ts'
import { parseExactly } from '../../../kernel/exact-json.ts'
import { inputName, inputText } from '../../args/input-text.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import { unreadable } from '../../connection/unreadable.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { catalogReportText } from '../../render/catalog-report.ts'

export function describeCatalogImport(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Imports definition files: those that Glance ships, and those that `berth catalog export` writes. All ' +
      'namespaces are imported, or none if one of them is refused. Existing namespaces stay as they are unless ' +
      '--merge says otherwise.',
    notes:
      'Merging:\n' +
      '  skip        do not change an existing namespace\n' +
      '  add         add what only the file has\n' +
      '  prefer-new  also replace what both have by that of the file\n' +
      '  overwrite   make it exactly like the file, protected or not\n\n' +
      'Lines start with + for additions, ~ for changes, - for removals, and = for what stays although\n' +
      'the file differs.',
    json:
      '{"dry_run", "namespaces": [{"namespace", "outcome": "created", "updated", "unchanged" or "skipped",\n' +
      '"differences": [{"part", "name", "action", "before", "after"}]}]}.',
    examples: [
      'berth catalog import /etc/glance/metadefs --dry-run',
      'berth catalog import compute-quota.json --merge prefer-new',
      'berth catalog import --builtin --merge prefer-new',
      'berth catalog export Acme::Storage | berth catalog import - --url http://other:8778',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('[file...]', 'Files, directories of .json files, or - for standard input.')
    .option('--builtin', 'The definitions that come with this version of Berth.')
    .addOption(
      new Option('--merge <how>', 'What to do with an existing namespace.')
        .choices(['skip', 'add', 'prefer-new', 'overwrite'])
        .default('skip'),
    )
    .option('--dry-run', 'Only print what would be done.')
  whenRun(
    command,
    around,
    end,
    async (session, { merge, dryRun, builtin }: Options, paths: string[] = []) => {
      if (paths.length === 0 && builtin !== true) throw makeUsageError('name a file, or give --builtin')
      const definitions = [
        ...(builtin === true ? await readBuiltin() : []),
        ...(await readAll(around, paths)),
      ]
      const query = new URLSearchParams({ merge, dry_run: dryRun === true ? 'true' : 'false' }).toString()
      try {
        const texts = definitions.map(one => one.text)
        const report = await session.berth.importDefinitions(texts, query)
        session.print(report, look => catalogReportText(report, look))
      } catch (error) {
        throw withFile(error, definitions)
      }
    },
  )
}

interface Options {
  readonly merge: string
  readonly dryRun?: true
  readonly builtin?: true
}

/** One definition and its source. */
interface DefinitionSource {
  readonly file: string
  readonly text: string
}

/** Loaded only if requested. */
async function readBuiltin(): Promise<DefinitionSource[]> {
  const { definitionFiles } = await import('../../../catalog/definitions/index.ts')
  return definitionFiles.map(one => ({ file: `built-in ${one.namespace}`, text: JSON.stringify(one) }))
}

async function readAll(around: ProcessEnvironment, paths: readonly string[]): Promise<DefinitionSource[]> {
  const found: DefinitionSource[] = []
  for (const path of paths)
    for (const file of await filesAt(path))
      for (const text of definitionsIn(file, await inputText(around, file))) found.push({ file, text })
  return found
}

async function filesAt(path: string): Promise<string[]> {
  if (path === '-') return [path]
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const names = (await readdir(path)).filter(name => name.endsWith('.json')).sort()
    if (names.length > 0) return names.map(name => join(path, name))
  } catch (error) {
    throw unreadable(error, path)
  }
  throw new Stopped(`${path} has no .json file in it`, exitCodes.missing)
}

/** A file has one definition, or several below `definitions`. */
function definitionsIn(file: string, text: string): string[] {
  const name = inputName(file)
  let value: unknown
  try {
    value = parseExactly(text)
  } catch (error) {
    throw new Stopped(`${name} is not JSON: ${(error as Error).message}`, exitCodes.invalid)
  }
  if (typeof value !== 'object' || value === null)
    throw new Stopped(`${name} is not a definition`, exitCodes.invalid)
  const { definitions } = value as { definitions?: unknown }
  const list = Array.isArray(definitions) ? definitions : [value]
  return list.map(one => JSON.stringify(one))
}

/** The server counts definitions, but people have files. */
function withFile(error: unknown, definitions: readonly DefinitionSource[]): unknown {
  if (!isRefused(error, 400)) return error
  const { definition } = error.facts
  const found = typeof definition === 'number' ? definitions[definition - 1] : undefined
  if (found === undefined) return error
  const message = error.message.replace(/^Definition \d+: /, '')
  return new Stopped(`${inputName(found.file)}: ${message}`, exitCodes.invalid)
}
