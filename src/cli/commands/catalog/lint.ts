import type { Command } from 'commander'
import { countText } from '../../../kernel/count-text.ts'
import type { Json } from '../../../kernel/json.ts'
import { ownValue } from '../../../kernel/records.ts'
import type { CatalogDrift, DriftAsk } from '../../../wire/catalog-check.ts'
import { inputName, inputText } from '../../args/input-text.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { type ExitCode, exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Column, flexible, type Look, table } from '../../render/table.ts'
import { remark } from '../questions/advice.ts'
import { repairCommaForms, repairSummary, repairText } from './fix.ts'

export function describeCatalogLint(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists what flavors, aggregates and share types use against the catalog: keys that nothing ' +
      'defines, values outside their enum or range, operators that a property does not declare or its reader ' +
      'does not know. Checks those of the server, or those in files. With --fix it repairs what dashboards ' +
      'wrote with commas on the server (`<or> a,b`, `undefined a,b`), and nothing else.',
    notes:
      'Files:\n' +
      '  {"flavors": [{"name", "extra_specs": {...}}], "aggregates": [{"name", "metadata": {...}}],\n' +
      '   "share_types": [{"name", "extra_specs": {...}}]}: one of them or all. Everything else is\n' +
      '  ignored, so answers of Nova and Manila can be checked unchanged.',
    json:
      '{"checked": {"flavor", "aggregate", "share-type"}, "counts": {CODE: NUMBER}, "findings": [{"kind", "name",\n' +
      '"key", "value", "code", "text", "namespace", "suggestion"}], "truncated"}. With --fix: {"dry_run", "repairs":\n' +
      '[{"kind", "name", "key", "before", "after", "done"}]}.',
    examples: [
      'berth catalog lint',
      'berth catalog lint flavors.json aggregates.json',
      'berth catalog lint - --json',
      'berth catalog lint --fix --dry-run',
    ],
    exits: [exitCodes.differences],
  })
    .argument('[file...]', 'Files to check instead of the server; - is standard input.')
    .option('--fix', 'Repair what dashboards wrote with commas, on the server.')
    .option('--dry-run', 'With --fix: only print what would be repaired.')
  whenRun(command, around, end, async (session, options: FixOptions, files: string[] = []) => {
    if (options.fix === true || options.dryRun === true) return fix(session, options, files)
    const report = await session.berth.drift(files.length === 0 ? null : await readAll(around, files))
    session.print(report, look => driftText(report, look))
    session.remark(summary(report))
    return report.findings.length === 0 ? exitCodes.ok : exitCodes.differences
  })
}

interface FixOptions {
  readonly fix?: true
  readonly dryRun?: true
}

async function fix(
  session: Session,
  { fix, dryRun }: FixOptions,
  files: readonly string[],
): Promise<ExitCode> {
  if (fix !== true) throw makeUsageError('--dry-run needs --fix: without it nothing is changed anyway')
  if (files.length > 0) throw makeUsageError('--fix repairs the server, not files')
  const isDry = dryRun === true
  const repairs = await repairCommaForms(session, isDry)
  session.print({ dry_run: isDry, repairs }, look => repairText(repairs, look))
  session.remark(repairSummary(repairs, isDry))
  return repairs.every(({ done }) => done) ? exitCodes.ok : exitCodes.differences
}

async function readAll(around: ProcessEnvironment, files: readonly string[]): Promise<DriftAsk> {
  const all: DriftAsk[] = []
  for (const file of files) all.push(specsIn(inputName(file), await inputText(around, file)))
  return {
    flavors: all.flatMap(one => one.flavors ?? []),
    aggregates: all.flatMap(one => one.aggregates ?? []),
    share_types: all.flatMap(one => one.share_types ?? []),
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function specsIn(file: string, text: string): DriftAsk {
  const whole = parseJson(file, text)
  const lists = ['flavors', 'aggregates', 'share_types'].filter(name => Object.hasOwn(whole, name))
  if (lists.length === 0) throw makeError(file, 'it has none of flavors, aggregates and share_types')
  return {
    flavors: listNamed(file, whole, 'flavors', 'extra_specs'),
    aggregates: listNamed(file, whole, 'aggregates', 'metadata'),
    share_types: listNamed(file, whole, 'share_types', 'extra_specs'),
  }
}

function parseJson(file: string, text: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw makeError(file, `it is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) throw makeError(file, 'it is not a JSON object')
  return value
}

type Named<Field extends string> = { readonly name: string } & {
  readonly [F in Field]: Readonly<Record<string, string>>
}

/** The name and the specs of each entry. */
function listNamed<Field extends string>(
  file: string,
  whole: Json,
  list: string,
  field: Field,
): Named<Field>[] {
  const entries = ownValue(whole, list) ?? []
  if (!Array.isArray(entries)) throw makeError(file, `${list} is not a list`)
  return entries.map((entry: unknown, at) => {
    const place = `${list}[${at}]`
    if (!isObject(entry)) throw makeError(file, `${place} is not an object`)
    const { name, [field]: specs } = entry
    if (typeof name !== 'string') throw makeError(file, `${place} has no name`)
    if (!isObject(specs)) throw makeError(file, `${place} (${name}) has no ${field}`)
    const odd = Object.entries(specs).find(([, value]) => typeof value !== 'string')
    if (odd !== undefined)
      throw makeError(
        file,
        `${place} (${name}): ${odd[0]} is ${JSON.stringify(odd[1])}, and values must be strings`,
      )
    return { name, [field]: specs } as Named<Field>
  })
}

const makeError = (file: string, reason: string): Stopped =>
  new Stopped(`${file}: ${reason}`, exitCodes.invalid)

const COLUMNS: readonly Column[] = ['KIND', 'NAME', 'KEY', flexible('VALUE'), flexible('FINDING')]

function driftText({ findings }: CatalogDrift, look: Look): string {
  return table(
    COLUMNS,
    findings.map(({ kind, name, key, value, ...finding }) => [
      kind,
      name,
      key,
      value ?? '-',
      remark(finding),
    ]),
    look,
  )
}

function summary({ checked, counts, truncated, findings }: CatalogDrift): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const found = all === 0 ? 'no findings in' : `${countText(all, 'finding')} in`
  const what = [
    countText(checked.flavor, 'flavor'),
    countText(checked.aggregate, 'aggregate'),
    countText(checked['share-type'], 'share type'),
  ]
  return `${found} ${what.join(', ')}${truncated ? `; the first ${findings.length} are shown` : ''}`
}
