import type { Command } from 'commander'
import { encodeQuery } from '../../../client/placement.ts'
import type { DecisionDetail, ListedDecision, ReplayedDecision } from '../../../wire/decisions.ts'
import { projectId, shareId } from '../../args/names.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { filterFunnel, inWords } from '../../render/funnel.ts'
import { facts, flexible, type Look, right, table } from '../../render/table.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'
import { definedFields, whole } from './server-ask.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Decisions of the scheduler, which are kept for 14 days.')
  describeList(group.command('list').summary('list decisions, the newest first'), around, end)
  describeShow(group.command('show').summary('show the request, the choice and the result'), around, end)
  describeReplay(group.command('replay').summary('replay it on the state at that time'), around, end)
}

const SHAPE = 'as GET /v1/decisions/ID returns it'
const ID_ARGUMENT = 'The id of the decision.'

interface ListOptions {
  readonly kind?: string
  readonly outcome?: string
  readonly project?: string
  readonly instance?: string
  readonly share?: string
  readonly request?: string
  readonly limit?: number
  readonly after?: string
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists decisions, the newest first.',
    json: 'An array of decisions: {"id", "kind", "outcome", "project_id", "at", "revision", "decided_revision", "placed"}.',
    examples: [
      'berth decision list --outcome refused',
      'berth decision list --instance 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c',
      'berth decision list --share 6c0e1f8a-93d4-4c55-8a7e-1d2e3f4a5b6c',
    ],
  })
    .option(
      '--kind <kind>',
      'Only these: schedule, move, rebuild, share, share-move, dry-run, nova-filter, manila-filter, manila-place, candidates or claim.',
    )
    .option('--outcome <outcome>', 'Only these: placed, passed or refused.')
    .option('--project <project>', 'Only those of this project, by id or name.')
    .option('--instance <uuid>', 'Only those about this server, placed or refused.')
    .option('--share <share>', 'Only those about this share, by id or name.')
    .option('--request <id>', 'Only those that Nova’s request led to, by its global id.')
    .option('--limit <number>', 'How many, 1000 at most. (default: 100)', whole)
    .option('--after <id>', 'Those after this one.')
  whenRun(command, around, end, async (session, options: ListOptions) => {
    const { kind, outcome, instance, request, limit, after } = options
    const project = options.project === undefined ? undefined : await projectId(session, options.project)
    const share = options.share === undefined ? undefined : await shareId(session, options.share)
    const query = definedFields({
      kind,
      outcome,
      project_id: project,
      instance,
      share,
      global_request_id: request,
      limit,
      marker: after,
    })
    const decisions = await session.berth.decisions(
      encodeQuery(Object.entries(query).map(([name, value]) => [name, String(value)])),
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
      ...['ID', 'AT', 'KIND', 'OUTCOME'],
      flexible('FLAVOR'),
      flexible('SERVERS OR QUERY'),
      flexible('HOSTS, OR WHY NOT'),
    ],
    decisions.map(one => [
      ...[
        one.id,
        one.at,
        one.kind,
        one.outcome,
        one.asked.flavor ?? '-',
        one.asked.query ?? one.asked.instances.join(', '),
        one.reason ?? placedText(one),
      ],
    ]),
    look,
  )

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a decision: its result, and how many hosts each filter left.',
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
        ['request', decision.request_id ?? '-'],
        ['global request', decision.global_request_id ?? '-'],
        ['chosen from revision', String(decision.revision)],
        ['claimed on revision', String(decision.decided_revision)],
        ['seed', String(decision.seed)],
        ...askedFacts(decision.asked),
        ...(decision.reason === null ? [] : [['refused because', decision.reason] as [string, string]]),
      ],
      look,
    ),
    placedTable(decision.placed, look),
    ...(choice === null ? [] : [filterFunnel(choice.funnel, look, inWords), scoreTable(choice.top, look)]),
  ]
    .filter(part => part !== '')
    .join('\n')
}

/** The best hosts, with a column for each weigher. */
function scoreTable(top: NonNullable<DecisionDetail['choice']>['top'], look: Look): string {
  const weighers = (top[0]?.weighers ?? []).map(({ weigher }) => weigher)
  const best = top[0]?.weight ?? 0
  return table(
    [
      flexible('HOST'),
      right('WEIGHT'),
      right('BEHIND'),
      ...weighers.map(name => right(name.replace(/Weigher$/, ''))),
    ],
    top.map(one => [
      one.host,
      one.weight.toFixed(3),
      (best - one.weight).toFixed(3),
      ...weighers.map(name => one.weighers.find(({ weigher }) => weigher === name)?.weight.toFixed(3) ?? ''),
    ]),
    look,
  )
}

function askedFacts(asked: ListedDecision['asked']): [string, string][] {
  const { instances, flavor, zone, host, server_group, hints, gigabytes, query } = asked
  const facts: [string, string | null][] = [
    ['asked for', query ?? instances.join(', ')],
    ['flavor', flavor],
    ['GB', gigabytes === null ? null : String(gigabytes)],
    ['zone', zone],
    ['on host', host],
    ['server group', server_group],
    ...Object.entries(hints).map(([name, value]): [string, string] => [
      `hint ${name}`,
      Array.isArray(value) ? value.join(', ') : JSON.stringify(value),
    ]),
  ]
  return facts.filter((pair): pair is [string, string] => pair[1] !== null)
}

const placedTable = (placed: ListedDecision['placed'], look: Look): string =>
  table(
    ['SERVER', flexible('HOST')],
    placed.map(({ instance, host }) => [instance, host]),
    look,
  )

function describeReplay(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replays a decision on the state at that time, which Berth restores by undoing every ' +
      'change since. Nothing is written.',
    json: 'The answer of POST /v1/decisions/ID/replay: {"decision", "same", "outcome", "placed", "choice", "refusal", "reason"}.',
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
  const { same, outcome, placed, reason } = replayed
  const head = same ? look.style.good('Same result') : look.style.bad('Different result')
  const refused = reason === null ? '' : `${escapeControls(reason)}\n`
  return [`${head}: ${outcome}\n`, placedTable(placed, look), refused].filter(part => part !== '').join('\n')
}
