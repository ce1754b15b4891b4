import { setTimeout as pause } from 'node:timers/promises'
import { InvalidArgumentError } from 'commander'
import { follow } from '../../../client/events.ts'
import { parseAnswer } from '../../../client/failure.ts'
import { isRefused } from '../../../client/http.ts'
import { changeText, idsIn } from '../../../v1/activity/change-text.ts'
import type { NameList } from '../../../v1/activity/row-change-text.ts'
import type { RecordedChange } from '../../../wire/changes.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { durationText } from '../../render/progress.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'
import { nameOf } from '../ledger/providers-by-name.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints every change as it happens, one line each: time, revision and what changed. A lost connection ' +
      'is opened again, and nothing is missed or printed twice. Ends with Ctrl-C.',
    json:
      'NDJSON, one change a line, as GET /v1/changes gives them: {"revision", "at", "ops": [{"table", "before",\n' +
      '"after"}]}.',
    examples: ['berth watch', 'berth watch --since 812', 'berth watch --json | jq -c .ops[]'],
  }).option('--since <revision>', 'Begin after this revision. (default: from now on)', parseRevision)
  whenRun(command, around, end, async (session, options: { since?: string }) => {
    await watch(session, options.since ?? null)
  })
}

function parseRevision(text: string): string {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number.')
  return text
}

/** Runs until the reader closes the output, or the server refuses. */
async function watch(session: Session, since: string | null): Promise<void> {
  const { stdout } = session.around
  const names = new ThingNames(session)
  const events = follow({
    open: after => session.berth.changes(after, stdout.closed),
    after: since,
    sleep: ms => pause(ms, undefined, { signal: stdout.closed }),
    onPause: (reason, ms) => session.note(`${reason}; connecting again in ${durationText(ms)}`),
  })
  try {
    for await (const { event, data } of events) {
      if (event === 'trimmed')
        throw makeTrimmedError('The server no longer keeps the next changes.', parseEvent(data))
      if (event !== 'change') continue
      stdout.write(session.asJson ? `${data}\n` : await lineOf(parseEvent(data), names))
      if (stdout.closed.aborted) return
    }
  } catch (error) {
    throw isRefused(error, 410) ? makeTrimmedError(error.message, error.facts) : error
  }
}

function makeTrimmedError(message: string, { oldest }: Readonly<Record<string, unknown>>): Stopped {
  const begin = typeof oldest === 'number' ? `begin with --since ${oldest - 1}, or ` : ''
  return new Stopped(`${message} There is a gap: ${begin}look at 'berth fleet'`, exitCodes.missing)
}

const parseEvent = <T>(data: string): T => parseAnswer<T>(data, 'what it sent')

async function lineOf(change: RecordedChange, names: ThingNames): Promise<string> {
  await names.learn(change)
  const { at, revision } = change
  return `${at}  #${revision}  ${escapeControls(changeText(change, uuid => names.of(uuid)))}\n`
}

const NAMES_MAX = 100_000

/** Changes have ids; people read names. */
class ThingNames {
  readonly #session: Session
  readonly #known = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  of(id: string): string {
    return this.#known.get(id) ?? id
  }

  async learn(change: RecordedChange): Promise<void> {
    if (this.#known.size > NAMES_MAX) this.#known.clear()
    for (const { before, after } of change.ops) {
      const row = after ?? before
      const id = row?.uuid ?? row?.flavorid ?? row?.consumer
      if (typeof id === 'string' && typeof row?.name === 'string') this.#known.set(id, row.name)
    }
    for (const [id, list] of idsIn(change)) {
      if (this.#known.has(id)) continue
      // A name only makes the line easier to read; without one, the id is shown.
      this.#known.set(id, id)
      for (const [known, name] of await this.#ask(list, id).catch(() => [])) this.#known.set(known, name)
    }
  }

  /** The name of a provider; for other kinds, fetches the names of all, because there are fewer of them. */
  async #ask(list: NameList, id: string): Promise<readonly (readonly [id: string, name: string])[]> {
    const session = this.#session
    switch (list) {
      case 'providers':
        return [[id, await nameOf(await session.placement(), id)]]
      case 'aggregates':
        return (await (await session.compute()).aggregates()).map(one => [one.uuid, one.name])
      case 'flavors':
        return (await (await session.compute()).flavors()).map(one => [one.id, one.name])
      case 'shares':
        return (await (await session.shares()).shares(true)).map(one => [one.id, one.name ?? one.id])
      case 'users':
        return (await (await session.identity()).users()).map(one => [one.id, one.name])
      case 'projects':
        return (await (await session.identity()).projects()).map(one => [one.id, one.name])
      default:
        return list satisfies never
    }
  }
}
