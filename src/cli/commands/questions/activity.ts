import { setTimeout as pause } from 'node:timers/promises'
import { InvalidArgumentError } from 'commander'
import type { Activity, ActivityEntry } from '../../../wire/activity.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { activityText } from '../../render/activity.ts'
import type { Describe } from '../describe-command.ts'

const PAGE_MAX = 200
const EVERY_MS = 2_000

interface ActivityOptions {
  readonly user?: string
  readonly about?: string
  readonly limit: number
  readonly follow?: true
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It is not a whole number above 0.')
  return Number(text)
}

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints what changed, by whom, in words, the newest first. What somebody did several times in a row is one line with a ' +
      'count. It goes back as far as changes are kept. `berth watch` prints every change as it happens, `berth audit` every request.',
    json: 'An array of entries, each as GET /v1/activity returns it; with --follow one a line.',
    examples: ['berth activity', 'berth activity --about cmp-7', 'berth activity --user admin --follow'],
  })
    .option('--user <id>', 'Only what this user did.')
    .option('--about <text>', 'Only entries with this in their words.')
    .option('--limit <count>', 'How many at most.', parseCount, 30)
    .option('--follow', 'Then print what comes, the oldest first, until Ctrl-C.')
  whenRun(command, around, end, async (session, options: ActivityOptions) => {
    const { entries, revision, isWhole } = await readPages(session, options)
    if (options.follow === true) {
      printLines(session, entries.toReversed())
      await follow(session, options, revision)
      return
    }
    session.print(entries, look => activityText(entries, look))
    if (session.asJson) return
    if (entries.length === 0) session.note('nothing changed, or the changes are no longer kept')
    else if (!isWhole) session.note('there are older entries; --limit N shows more')
  })
}

interface Pages {
  readonly entries: readonly ActivityEntry[]
  readonly revision: number
  readonly isWhole: boolean
}

/** A page may be empty although there is more, if a filter leaves little. */
async function readPages(
  session: Session,
  options: ActivityOptions,
  after: number | null = null,
): Promise<Pages> {
  const entries: ActivityEntry[] = []
  let first: Activity | null = null
  let before: string | null = null
  do {
    const limit = Math.min(PAGE_MAX, options.limit - entries.length)
    const page: Activity = await session.berth.activity(buildQuery(options, { limit, before, after }))
    first ??= page
    entries.push(...page.entries)
    before = page.next
  } while (before !== null && entries.length < options.limit)
  return { entries, revision: first.revision, isWhole: before === null }
}

function buildQuery(
  { user, about }: ActivityOptions,
  fields: Readonly<Record<string, string | number | null>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ user, about, ...fields }))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return query.toString()
}

async function follow(session: Session, options: ActivityOptions, from: number): Promise<void> {
  const { stdout } = session.around
  let after = from
  while (!stdout.closed.aborted) {
    await pause(EVERY_MS, undefined, { signal: stdout.closed })
    const { entries, revision } = await readPages(
      session,
      { ...options, limit: Number.POSITIVE_INFINITY },
      after,
    )
    printLines(session, entries.toReversed())
    after = revision
  }
}

function printLines(session: Session, entries: readonly ActivityEntry[]): void {
  if (session.asJson) for (const entry of entries) session.around.stdout.write(`${JSON.stringify(entry)}\n`)
  else if (entries.length > 0) session.print(entries, look => activityText(entries, look, false))
}
