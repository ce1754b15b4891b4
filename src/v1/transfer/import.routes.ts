import type { BerthRules } from '../../commands.ts'
import type { Policy } from '../../http/policy.ts'
import { realRootsOf } from '../../shares/backends/backends.file.ts'
import { requireApartFromOwn } from '../../shares/drivers/same-place.driver.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { RowLine } from '../../transfer/exported-tables.ts'
import { object, yesOrNo } from '../../wire/shape.ts'
import { importReportShape } from '../../wire/transfer.ts'
import type { Outcome } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { splitLines } from '../api/ndjson.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import { NDJSON } from '../api/streaming.ts'
import { TRANSFER_EXAMPLE } from './export.routes.ts'
import { type ChunkLines, type ImportedLines, ImportRun } from './import.ts'
import { requireImportRight } from './transfer-rights.ts'

const LINE_BYTES_MAX = 4 * 1024 * 1024

const importQuery = object(
  'Options.',
  {},
  {
    exact_generations: yesOrNo(
      'Give providers and consumers that exist the generation of their line, instead of the next one: for a mirror of ' +
        'another ledger.',
    ),
  },
)

interface ImportContext {
  readonly world: World
  readonly policy: Policy
  readonly sequencer: () => Pick<Sequencer<BerthRules>, 'submit'>
  /** Files and directories of Berth itself, which shares must be outside of. */
  readonly ownPaths: () => readonly string[]
}

/** Imports a cloud from lines. */
export function importRoutes(context: ImportContext): V1Route[] {
  const { world, policy, sequencer } = context
  return [
    v1Write({
      method: 'POST',
      path: '/import',
      operation: 'berth:import',
      summary: 'Import a cloud from lines of JSON',
      description:
        'Takes the lines that `GET /v1/export` writes and imports them as they arrive; also files of version 1, which have ' +
        'only Placement data. Creates what is new, with the generation, ids and times of its line. Changes what differs, which ' +
        'raises its generation. Leaves alone what is equal, and what no line names. Imports consumers ' +
        'as they are: unlike a claim, a line may hold more than there is room for. The same holds for shares, whose files are not in an ' +
        'export: each must hold in the ledger what its line says, and its back end must exist or come before it. Back ends, pools, ' +
        'shares and snapshots that exist must equal their lines. Creates users without a password. ' +
        'Each line needs the right to do what it does; `berth:import` alone covers Placement data. The first ' +
        'refused line stops the import; the lines before it stay, and importing them again does no harm. ' +
        'Lines `{"remove_provider": {"uuid"}}` and `{"remove_consumer": {"uuid"}}` remove what they name; a provider ' +
        'must then have no children and no allocations. ' +
        'If the first line is the head of an export, the last must be its end: so a truncated file is refused.',
      query: importQuery,
      rawBody: NDJSON,
      rawBodyExample: TRANSFER_EXAMPLE,
      answer: { description: 'The result, by kind of line.', shape: importReportShape },
      problems: {
        400: `A line is malformed, longer than ${LINE_BYTES_MAX} bytes, or missing; \`line\` is its number.`,
        403: 'The caller may not write what a line has; `line` is its number, `operation` what is missing.',
        409: 'A line does not fit what is there; `line` is its number, `reason` says why, `done` what was done.',
      },
      async write({ query, bytes, once, reauthenticate, credentials }) {
        let caller = credentials
        const exactGenerations = query.exact_generations === true
        const submit = async (chunk: ChunkLines): Promise<ImportedLines> => {
          // The body may take so long that the token expires.
          const now = await reauthenticate()
          if (now === null)
            throw new Problem(401, 'identity.token-needed', 'The token expired during the import.')
          caller = now
          return getAnswer(
            chunk.kind === 'placement:import-lines'
              ? await sequencer().submit({ ...chunk, exactGenerations })
              : await sequencer().submit(await resolveRoots(world, chunk)),
          )
        }
        const run = new ImportRun(submit, async (line, number) => {
          requireImportRight(policy, caller, line.table, number)
          await requireUsableRoot(line, number, context.ownPaths())
        })
        await run.read(splitLines(bytes, LINE_BYTES_MAX))
        const { rest } = run
        const endWith = (outcome: Outcome<ImportedLines, ImportedLines>) => {
          const { report, problem } = run.makeReport(getAnswer(outcome))
          return problem ?? { status: 200, body: report }
        }
        return rest.kind === 'placement:import-lines'
          ? once.submit({ ...rest, exactGenerations }, endWith)
          : once.submit(await resolveRoots(world, rest), endWith)
      },
    }),
  ]
}

/** A refused import still reports the lines that were imported before. */
const getAnswer = (outcome: Outcome<ImportedLines, ImportedLines>): ImportedLines =>
  outcome.ok ? outcome.answer : outcome.refusal

type Rows = Extract<ChunkLines, { readonly kind: 'import-rows' }>

/** Resolves symbolic links first. */
async function resolveRoots(world: World, chunk: Rows) {
  const backends = chunk.rows
    .filter(({ table }) => table === 'share_backends')
    .map(({ row }) => ({ driver: row.driver as string, settings: JSON.parse(row.settings as string) }))
  return backends.length === 0 ? chunk : { ...chunk, realRoots: await realRootsOf(world, { backends }) }
}

async function requireUsableRoot(
  { table, row }: RowLine,
  line: number,
  ownPaths: readonly string[],
): Promise<void> {
  if (table !== 'share_backends' || row.driver !== 'directory') return
  const { root } = JSON.parse(row.settings as string) as { readonly root: string }
  await requireApartFromOwn(root, ownPaths).catch((reason: Error) => {
    throw new Problem(400, 'import.bad-line', `Line ${line}: ${table}: ${reason.message}.`, { line, table })
  })
}
