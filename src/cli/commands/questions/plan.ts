import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { repeatable } from '../../args/repeatable.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { planText } from '../../render/plan.ts'
import { writeWholeFile } from '../../render/whole-file.ts'
import type { Describe } from '../describe-command.ts'
import { describeApply } from './apply-plan.ts'
import { type AskOptions, addAskOptions, askOf, definedFields, SPEC_NOTES, whole } from './server-ask.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Plans: moves that empty hosts or make room, in an order in which each is possible and breaks no group, hint or rule. ' +
      'Planning writes nothing; `berth plan apply` runs a plan.',
  )
  describeDrain(group.command('drain').summary('moves that empty hosts'), around, end)
  describeConsolidate(group.command('consolidate').summary('moves that free whole hosts'), around, end)
  describeMakeRoom(group.command('make-room').summary('moves that make room for servers'), around, end)
  describeDefragment(
    group.command('defragment').summary('moves that make room for as many servers as can be'),
    around,
    end,
  )
  describeApply(group.command('apply').summary('run a plan, or print it for OpenStack'), around, end)
}

interface PlanOptions {
  readonly maxMoves?: number
  readonly maxGib?: number
  readonly atOnce?: number
  readonly never?: readonly string[]
  readonly steps?: number
  readonly seed?: number
  readonly out?: string
}

const PLAN_JSON =
  'The answer of POST /v1/plan: {"goal", "what", "revision", "is_reached", "is_shortest", "moves": [{"instance", "from", "to",\n' +
  '"from_provider", "to_provider", "flavor", "gib", "wave"}], "cost", "gain", "stuck", "others", "steps", "is_exhausted",\n' +
  '"warnings"}.'

const NOTES = `A fast search finds a plan. In clouds with at most 10,000 pairs of server and host, all shorter plans are tried next, until --steps
is reached. GiB are the memory and disk that a server holds. Moves of one wave may be under way together.`

function addPlanOptions(command: Command): Command {
  return command
    .option('--max-moves <number>', 'Maximum number of moves. (default: 2000)', whole)
    .option('--max-gib <number>', 'Maximum of memory and disk to move, in GiB.', parseGib)
    .option(
      '--at-once <number>',
      'Maximum number of moves from or to one host that are under way at a time. (default: 1)',
      whole,
    )
    .option('--never <server>', 'A server that must not move, by its uuid. Repeatable.', repeatable)
    .option('--steps <number>', 'How many moves the search tries, at most 100000. (default: 5000)', whole)
    .option('--seed <number>', 'Seed of the random choices. (default: 0)', whole)
    .option('--out <file>', 'Also write the plan to this new file, for berth plan apply.')
}

function parseGib(text: string): number {
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('It is not a number of GiB.')
  return Number(text)
}

const EXITS = [exitCodes.nothing, exitCodes.output]

function describeDrain(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Plans moves of all servers off these hosts, and names the servers that cannot leave, with the reason. ' +
      'Disable the hosts before you apply the plan, so that no new servers are placed there.',
    notes: NOTES,
    json: PLAN_JSON,
    examples: [
      'berth plan drain compute-1 --out drain.json',
      'berth plan drain compute-1 compute-2 --at-once 2',
    ],
    exits: EXITS,
  }).argument('<host...>', 'The hosts, by name or uuid.')
  addPlanOptions(command)
  whenRun(command, around, end, (session, options: PlanOptions, hosts: readonly string[]) =>
    plan(session, options, { goal: 'drain', hosts }),
  )
}

function describeConsolidate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Plans moves that empty hosts.',
    notes: NOTES,
    json: PLAN_JSON,
    examples: ['berth plan consolidate --free 2 --max-moves 50'],
    exits: EXITS,
  }).requiredOption('--free <number>', 'How many hosts to free.', whole)
  addPlanOptions(command)
  whenRun(command, around, end, (session, options: PlanOptions & { readonly free: number }) =>
    plan(session, options, { goal: 'consolidate', free: options.free }),
  )
}

function describeMakeRoom(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Plans moves that make room for servers of a flavor.',
    notes: `${NOTES}\n\n${SPEC_NOTES}`,
    json: PLAN_JSON,
    examples: ['berth plan make-room m1.xlarge', 'berth plan make-room m1.xlarge --count 4 --max-gib 500'],
    exits: EXITS,
  })
  addPlanOptions(addAskOptions(command).option('--count <number>', 'How many must fit. (default: 1)', whole))
  whenRun(
    command,
    around,
    end,
    async (
      session,
      options: PlanOptions & AskOptions & { readonly count?: number },
      flavor: string | undefined,
    ) => {
      const request = await askOf(session, flavor, options)
      return plan(session, options, {
        goal: 'make-room',
        request,
        ...definedFields({ count: options.count }),
      })
    },
  )
}

function describeDefragment(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Plans moves that make room for as many servers of a flavor as possible, with few moves. Without a flavor: of the largest flavor in use for ' +
      'which moves help, of the five largest.',
    notes: `${NOTES}\n\n${SPEC_NOTES}`,
    json: PLAN_JSON,
    examples: ['berth plan defragment', 'berth plan defragment m1.xlarge --max-moves 20'],
    exits: EXITS,
  })
  addPlanOptions(addAskOptions(command))
  whenRun(
    command,
    around,
    end,
    async (session, options: PlanOptions & AskOptions, flavor: string | undefined) =>
      plan(session, options, {
        goal: 'defragment',
        ...(isAsked(flavor, options) ? { request: await askOf(session, flavor, options) } : {}),
      }),
  )
}

const isAsked = (flavor: string | undefined, options: AskOptions): boolean =>
  [flavor, ...ASKS.map(one => options[one])].some(one => one !== undefined)

/** An option that needs a flavor, or says what is asked for instead. */
const ASKS = ['vcpus', 'ram', 'disk', 'resources', 'requestGroup', 'zone', 'host', 'hint'] as const

async function plan(session: Session, options: PlanOptions, goal: Readonly<Record<string, unknown>>) {
  const { maxMoves, maxGib, atOnce, never, steps, seed, out } = options
  const budget = { moves_max: maxMoves, gib_max: maxGib, at_once: atOnce, never, steps_max: steps, seed }
  const found = await session.berth.plan({ ...goal, ...definedFields(budget) })
  if (out !== undefined) await writeWholeFile(session.around, out, false, bytesOf(found))
  session.print(found, look => planText(found, look))
  for (const { text } of found.warnings) session.note(`warning: ${text}`)
  if (out !== undefined) session.remark(`to run it: berth plan apply ${out}`)
  return found.is_reached ? exitCodes.ok : exitCodes.nothing
}

async function* bytesOf(found: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(found, null, 2)}\n`)
}
