import { setTimeout as pause } from 'node:timers/promises'
import { InvalidArgumentError } from 'commander'
import type { Attention } from '../../../wire/attention.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { attentionText } from '../../render/attention.ts'
import type { Describe } from '../describe-command.ts'

/** Items per finding: for programs, for a screen, for a file. */
const countItems = ({ asJson, around }: Session): number => (asJson ? 100 : around.stdout.isTerminal ? 20 : 5)

const EVERY_S = 5
const CLEAR_SCREEN = '\x1b[H\x1b[2J\x1b[3J'

interface StatusOptions {
  readonly watch?: true
  readonly every?: number
}

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints what is wrong right now, the worst first: what is over capacity, full, down, refused, broken or ends soon, ' +
      'each with the command that leads to the remedy. On a terminal it fits on the screen.',
    notes: 'Exits with 1 if something is critical or a warning; notes do not count.',
    json: 'The answer of GET /v1/attention: {"at", "revision", "worst", "findings", "passed", "not_allowed", "failed"}.',
    examples: ['berth status', 'berth status --watch', 'berth status > /dev/null || page-somebody'],
    exits: [exitCodes.differences],
  })
    .option('--watch', 'Print it again and again, until Ctrl-C.')
    .option('--every <seconds>', `With --watch: how often. (default: ${EVERY_S})`, parseSeconds)
  whenRun(command, around, end, async (session, options: StatusOptions) => {
    const seen = await session.berth.attention(countItems(session))
    print(session, seen, options.watch === true)
    if (options.watch === true) {
      await watch(session, seen, (options.every ?? EVERY_S) * 1000)
      return exitCodes.ok
    }
    return isWrong(seen) ? exitCodes.differences : exitCodes.ok
  })
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('Write a whole number of seconds, 1 or more.')
  return Number(text)
}

const isWrong = ({ worst, failed }: Attention): boolean =>
  worst === 'critical' || worst === 'warning' || failed.length > 0

function print(session: Session, attention: Attention, isWatched: boolean): void {
  const { stdout } = session.around
  if (isWatched && stdout.isTerminal && !session.asJson) stdout.write(CLEAR_SCREEN)
  const rows = stdout.isTerminal ? stdout.rows : Number.POSITIVE_INFINITY
  if (session.asJson && isWatched) stdout.write(`${JSON.stringify(attention)}\n`)
  else session.print(attention, look => attentionText(attention, look, rows))
}

/** Redraws a terminal; prints only changes elsewhere. */
async function watch(session: Session, first: Attention, everyMs: number): Promise<void> {
  const { stdout } = session.around
  let last = render(first)
  while (!stdout.closed.aborted) {
    await pause(everyMs, undefined, { signal: stdout.closed })
    const seen = await session.berth.attention(countItems(session))
    const now = render(seen)
    if (now !== last || stdout.isTerminal) print(session, seen, true)
    last = now
  }
}

const render = ({ findings, failed }: Attention): string => JSON.stringify([findings, failed])
