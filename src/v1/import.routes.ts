import type { PlacementRules } from '../placement/rules.ts'
import type { Imported } from '../placement/transfer/import.ts'
import { type CloudLine, lineKinds } from '../placement/transfer/lines.ts'
import type { Sequencer } from '../store/sequencer.ts'
import { TRANSFER_EXAMPLE } from './export.routes.ts'
import { ImportRun } from './import.ts'
import { linesOf } from './ndjson.ts'
import { Problem } from './problem.ts'
import { type V1Route, v1Write } from './route.ts'
import { object, type Shape, whole } from './shape.ts'
import { NDJSON } from './streaming.ts'

const LINE_BYTES_MAX = 1024 * 1024

const counts = object('How many.', {
  created: whole('New.'),
  updated: whole('Changed to be as the line says.'),
  unchanged: whole('As the line says already.'),
})

const report = object('What came of the lines.', {
  ...(Object.fromEntries(lineKinds.map(kind => [kind, counts])) as Record<string, Shape<unknown>>),
  lines: whole('How many lines there were, head and end included, empty ones not.'),
})

/** Takes over a cloud from lines. */
export function importRoutes(sequencer: () => Pick<Sequencer<PlacementRules>, 'submit'>): V1Route[] {
  return [
    v1Write({
      method: 'POST',
      path: '/import',
      operation: 'berth:import',
      summary: 'Take in a cloud from lines of JSON',
      description:
        'Lines as `GET /v1/export` writes them, read and taken in as they come. What is new is made with the ' +
        'generation of its line; what is there is changed to be as its line says, which raises its generation; ' +
        'what is so already stays as it is, and what no line names stays too. Consumers are taken over as they ' +
        'are: unlike a claim, a line may hold more than there is room for. The first line that cannot be taken ' +
        'stops the import; the lines before it stay, and importing them again does no harm. Where the head of an ' +
        'export comes first its end must come last, so that a file that was cut short is found out.',
      rawBody: NDJSON,
      rawBodyExample: TRANSFER_EXAMPLE,
      answer: { description: 'What came of the lines.', shape: report },
      problems: {
        400: `A line is malformed, longer than ${LINE_BYTES_MAX} bytes, or missing; \`line\` is its number.`,
        409: 'A line does not fit what is there; `line` is its number, `reason` says why, `done` what was done.',
      },
      async write({ bytes, once, again }) {
        const submit = async (lines: readonly CloudLine[]): Promise<Imported> => {
          // A body may take as long as its sender likes.
          if ((await again()) === null)
            throw new Problem(401, 'identity.token-needed', 'The token ended while lines were taken in.')
          const outcome = await sequencer().submit({ kind: 'import-lines', lines })
          return outcome.ok ? outcome.answer : outcome.refusal
        }
        const run = new ImportRun(submit)
        await run.read(linesOf(bytes, LINE_BYTES_MAX))
        return once.submit({ kind: 'import-lines', lines: run.rest }, outcome => {
          const { report, problem } = run.ending(outcome.ok ? outcome.answer : outcome.refusal)
          return problem ?? { status: 200, body: report }
        })
      },
    }),
  ]
}
