import type { Command } from 'commander'
import { encoded } from '../client/placement.ts'
import type { DecisionDetail, ListedDecision, ReplayedDecision } from '../client/scheduling-shapes.ts'
import type { Describe } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { filterFunnel } from './render/funnel.ts'
import { facts, type Look, table } from './render/table.ts'
import { harmless } from './render/text-width.ts'
import { said, whole } from './server-ask.ts'
import { describeClientCommand, type End, whenRun } from './session.ts'
import type { Surroundings } from './surroundings.ts'

export const describeDecision: Describe = (group, around, end) => {
  group.description('Decisions of the scheduler, which are kept for 14 days.')
  describeList(group.command('list').summary('list decisions, the newest first'), around, end)
  describeShow(group.command('show').summary('show what was asked, chosen from and chosen'), around, end)
  describeReplay(group.command('replay').summary('decide it again on the state of then'), around, end)
}

const SHAPE = 'as GET /v1/decisions/ID tells it'
const ID_ARGUMENT = 'The id of the decision.'

interface ListOptions {
  readonly kind?: string
  readonly outcome?: string
  readonly project?: string
  readonly instance?: string
  readonly limit?: number
  readonly after?: string
}

function describeList(command: Command, around: Surroundings, end: End): void {
  describeClientCommand(command, {
    description: 'Lists decisions, the newest first.',
    json: 'An array of decisions: {"id", "kind", "outcome", "project_id", "at", "revision", "decided_revision", "placed"}.',
    examples: [
      'berth decision list --outcome refused',
      'berth decision list --instance 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c',
    ],
  })
    .option('--kind <kind>', 'Only these: schedule, move, rebuild or dry-run.')
    .option('--outcome <outcome>', 'Only these: placed or refused.')
    .option('--project <id>', 'Only those of this project.')
    .option('--instance <uuid>', 'The one that placed this server where it is.')
    .option('--limit <number>', 'At most so many, 1000 at most. (default: 100)', whole)
    .option('--after <id>', 'Those after this one.')
  whenRun(command, around, end, async (session, options: ListOptions) => {
    const { kind, outcome, project, instance, limit, after } = options
    const query = said({ kind, outcome, project_id: project, instance, limit, marker: after })
    const decisions = await session.berth.decisions(
      encoded(Object.entries(query).map(([name, value]) => [name, String(value)])),
    )
    session.print(decisions, look => decisionTable(decisions, look))
    if (session.asJson) return
    if (decisions.length === 0) session.note('no decision')
    if (decisions.length === (limit ?? 100))
      session.note(`there may be more: --after ${decisions.at(-1)?.id} shows them`)
  })
}

const placedText = ({ placed }: Pick<ListedDecision, 'placed'>): string =>
  placed.map(({ host }) => host).join(', ') || '-'

const decisionTable = (decisions: readonly ListedDecision[], look: Look): string =>
  table(
    [
      ...[{ title: 'ID' }, { title: 'AT' }, { title: 'KIND' }, { title: 'OUTCOME' }],
      { title: 'PROJECT', flexible: true },
      { title: 'HOSTS', flexible: true },
    ],
    decisions.map(one => [
      ...[one.id, one.at, one.kind, one.outcome, one.project_id ?? '-', placedText(one)],
    ]),
    look,
  )

function describeShow(command: Command, around: Surroundings, end: End): void {
  describeClientCommand(command, {
    description:
      'Shows a decision: what came of it, and how far each filter narrowed what it was chosen from.',
    json: `The decision, ${SHAPE}, with the whole request.`,
    examples: ['berth decision show 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
  }).argument('<decision>', ID_ARGUMENT)
  whenRun(command, around, end, async (session, _options, id: string) => {
    const decision = await session.berth.decision(id)
    session.print(decision, look => decisionText(decision, look))
  })
}

function decisionText(decision: DecisionDetail, look: Look): string {
  const { choice } = decision
  return [
    facts(
      [
        ['id', decision.id],
        ['at', decision.at],
        ['kind', decision.kind],
        ['outcome', decision.outcome],
        ['project', decision.project_id ?? '-'],
        ['chosen from revision', String(decision.revision)],
        ['claimed on revision', String(decision.decided_revision)],
        ['seed', String(decision.seed)],
        ...refusalFacts(decision),
      ],
      look,
    ),
    placedTable(decision.placed, look),
    ...(choice === null
      ? []
      : [
          filterFunnel(choice.funnel, look),
          table(
            [
              { title: 'HOST', flexible: true },
              { title: 'WEIGHT', right: true },
            ],
            choice.top.map(({ host, weight }) => [host, weight.toFixed(3)]),
            look,
          ),
        ]),
  ]
    .filter(part => part !== '')
    .join('\n')
}

const refusalFacts = ({ refusal }: Pick<DecisionDetail, 'refusal'>): [string, string][] =>
  refusal === null ? [] : [['refusal', JSON.stringify(refusal)]]

const placedTable = (placed: ListedDecision['placed'], look: Look): string =>
  table(
    [{ title: 'SERVER' }, { title: 'HOST', flexible: true }],
    placed.map(({ instance, host }) => [instance, host]),
    look,
  )

function describeReplay(command: Command, around: Surroundings, end: End): void {
  describeClientCommand(command, {
    description:
      'Decides a decision again, on the state as it was then, which is made from the present one by taking back every ' +
      'change since. Nothing is written.',
    json: 'The answer of POST /v1/decisions/ID/replay: {"decision", "same", "outcome", "placed", "choice", "refusal"}.',
    examples: ['berth decision replay 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
    exits: [exitCodes.differences],
  }).argument('<decision>', ID_ARGUMENT)
  whenRun(command, around, end, async (session, _options, id: string) => {
    const replayed = await session.berth.replay(id)
    session.print(replayed, look => replayText(replayed, look))
    return replayed.same ? exitCodes.ok : exitCodes.differences
  })
}

function replayText(replayed: ReplayedDecision, look: Look): string {
  const { same, outcome, placed } = replayed
  const head = same ? look.style.good('It comes to the same') : look.style.bad('It comes to something else')
  const refused = refusalFacts(replayed).map(([, text]) => `${harmless(text)}\n`)
  return [`${head}: ${outcome}\n`, placedTable(placed, look), ...refused]
    .filter(part => part !== '')
    .join('\n')
}
