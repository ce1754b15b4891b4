import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { encodeQuery } from '../../../client/placement.ts'
import type { DecisionPage, ListedDecision } from '../../../wire/decisions.ts'
import { projectId, serverId, shareId } from '../../args/names.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { decisionLine, decisionTable } from '../../render/decision.ts'
import { definedFields, whole } from './server-ask.ts'

const LIMIT_DEFAULT = 100
const EVERY_MS = 2_000
/** More than this in one interval are not printed. */
const WATCHED_MAX = 1_000
const SEEN_MAX = 5_000

interface ListOptions {
  readonly kind?: string
  readonly outcome?: string
  readonly project?: string
  readonly instance?: string
  readonly share?: string
  readonly request?: string
  readonly flavor?: string
  readonly search?: string
  readonly since?: string
  readonly watch?: true
  readonly limit?: number
  readonly after?: string
}

export function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists decisions, the newest first: what was asked, by whom, what came of it, and why not. --search finds words in ids, names, ' +
      'flavors, hosts, projects, users and reasons.',
    json:
      'An array of decisions: {"id", "kind", "outcome", "project_id", "user_id", "at", "asked", "placed", "reason", ...}. With --watch, one ' +
      'decision in a line.',
    examples: [
      'berth decision list --outcome refused --since 1h',
      'berth decision list --search "m1.large rack-b2"',
      'berth decision list --outcome refused --watch',
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
    .option('--instance <server>', 'Only those about this server, by name or uuid, placed or refused.')
    .option('--share <share>', 'Only those about this share, by id or name.')
    .option('--request <id>', 'Only those that Nova’s request led to, by its global id.')
    .option('--flavor <name>', 'Only those with this flavor or share type.')
    .option('--search <words>', 'Only those with all of these words; or a uuid or request id.')
    .option('--since <time>', 'Not older than this: so long ago, such as 12h, or a time, such as 2026-11-18.')
    .option('--watch', 'Print new ones as they come, until Ctrl-C.')
    .option('--limit <number>', 'How many, 1000 at most. (default: 100)', whole)
    .option('--after <id>', 'Only decisions after this one in the list.')
  whenRun(command, around, end, async (session, options: ListOptions) => {
    const query = await queryOf(session, options)
    const page = await readFound(session, query, options.limit ?? LIMIT_DEFAULT)
    if (options.watch === true) return watch(session, query, page.decisions)
    const { decisions, next, searched_to } = page
    session.print(decisions, look => decisionTable(decisions, look))
    if (session.asJson) return
    if (decisions.length === 0) session.note('no decision')
    if (next !== null) session.note(`there may be more before ${searched_to}: --after ${next} shows them`)
  })
}

async function queryOf(session: Session, options: ListOptions): Promise<Record<string, unknown>> {
  const { kind, outcome, instance, request, flavor, search, since, limit, after } = options
  return definedFields({
    kind,
    outcome,
    project_id: options.project === undefined ? undefined : await projectId(session, options.project),
    share: options.share === undefined ? undefined : await shareId(session, options.share),
    instance: instance === undefined ? undefined : await serverId(session, instance),
    global_request_id: request,
    flavor,
    q: search,
    since,
    limit,
    marker: after,
  })
}

const readPage = (session: Session, query: Readonly<Record<string, unknown>>): Promise<DecisionPage> =>
  session.berth.decisions(encodeQuery(Object.entries(query).map(([name, value]) => [name, String(value)])))

/** One answer of a search looks at some thousand decisions: goes on until there is something to show. */
async function readFound(
  session: Session,
  query: Readonly<Record<string, unknown>>,
  limit: number,
): Promise<DecisionPage> {
  const decisions: ListedDecision[] = []
  let page = await readPage(session, query)
  for (;;) {
    decisions.push(...page.decisions)
    if (page.next === null || decisions.length >= limit) return { ...page, decisions }
    page = await readPage(session, { ...query, marker: page.next, limit: limit - decisions.length })
  }
}

/** Asks again and again; what is new is printed, the oldest first. */
async function watch(
  session: Session,
  query: Readonly<Record<string, unknown>>,
  first: readonly ListedDecision[],
): Promise<void> {
  const { stdout } = session.around
  let seen = new Set<string>()
  let decisions: readonly ListedDecision[] = first
  for (;;) {
    for (const one of decisions.toReversed())
      if (!seen.has(one.id))
        stdout.write(session.asJson ? `${JSON.stringify(one)}\n` : `${decisionLine(one, session.look)}\n`)
    seen = new Set([...decisions.map(({ id }) => id), ...[...seen].slice(0, SEEN_MAX)])
    if (stdout.closed.aborted) return
    await pause(EVERY_MS, undefined, { signal: stdout.closed })
    const { marker: _, ...newest } = query
    decisions = (await readPage(session, { ...newest, limit: WATCHED_MAX })).decisions
  }
}
