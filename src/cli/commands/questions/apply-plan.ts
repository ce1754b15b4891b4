import type { Command } from 'commander'
import { isRefused } from '../../../client/http.ts'
import { inParallel } from '../../../client/in-parallel.ts'
import { countText } from '../../../kernel/count-text.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { PLAN_MOVES_MAX, type ServerPlan } from '../../../wire/plan.ts'
import { inputName, inputText } from '../../args/input-text.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { escapeControls } from '../../render/text-width.ts'

type Move = Pick<ServerPlan['moves'][number], 'instance' | 'from' | 'to' | 'to_provider' | 'wave'>

interface ApplyOptions {
  readonly openstack?: true
}

export function describeApply(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Runs a plan: one move after the other, each checked again when it is claimed. At the beginning all servers of the plan have to be ' +
      'where the plan has them, and each once more in the claim of its move. Before each step all moves that are left are tried on a copy of ' +
      'the state. Stops at the first that does not hold, ' +
      'and after Ctrl-C when the move under way is done. The same command goes on from there: moves that are done are skipped. Servers that were pulled from a ' +
      'cloud are moved by that cloud only: --openstack prints the commands for it.',
    json: '{"done", "moved": [{"instance", "from", "to"}], "left": [...], "stopped": TEXT or null}; with --openstack {"commands": [...]}.',
    examples: ['berth plan apply drain.json', 'berth plan apply drain.json --openstack > drain.sh'],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<file>', 'The plan, as --out or --json wrote it; - for standard input.')
    .option('--openstack', 'Print openstack commands for what is left to do, and move nothing.')
  whenRun(command, around, end, async (session, { openstack }: ApplyOptions, file: string) => {
    const moves = parsePlan(await inputText(session.around, file), inputName(file))
    return openstack === true ? printCommands(session, moves) : run(session, moves)
  })
}

function parsePlan(text: string, file: string): Move[] {
  const stop = (why: string) => new Stopped(`${file} is no plan: ${why}`, exitCodes.invalid)
  let plan: Partial<ServerPlan> | null
  try {
    plan = JSON.parse(text)
  } catch {
    throw stop('it is not JSON')
  }
  const moves = plan?.moves
  if (!Array.isArray(moves)) throw stop('it has no list "moves"')
  if (moves.length > PLAN_MOVES_MAX) throw stop(`it has more than ${PLAN_MOVES_MAX} moves`)
  for (const [at, move] of moves.entries())
    for (const field of ['instance', 'from', 'to', 'to_provider'] as const)
      if (typeof move?.[field] !== 'string') throw stop(`move ${at + 1} has no text "${field}"`)
  return moves
}

const AT_ONCE = 8

/** The moves that are still to be made. Throws Stopped if a server is nowhere on its way. */
async function listLeft({ berth }: Session, moves: readonly Move[]): Promise<Move[]> {
  const servers = [...new Set(moves.map(({ instance }) => instance))]
  const found = await inParallel(servers, AT_ONCE, async instance => {
    const own = moves.filter(move => move.instance === instance)
    const hosts = await berth.consumer(instance).then(
      consumer => consumer.hosts.map(({ name }) => name),
      error => {
        if (isRefused(error, 404)) return null
        throw error
      },
    )
    return own.slice(countDone(instance, own, hosts))
  })
  const left = new Set(found.flat())
  return moves.filter(move => left.has(move))
}

/** No server comes back to a host in a plan, so its host says how many of its moves are done. */
function countDone(instance: string, own: readonly Move[], hosts: readonly string[] | null): number {
  const way = [own[0]?.from as string, ...own.map(({ to }) => to)]
  const [host] = hosts ?? []
  const done = hosts?.length === 1 ? way.lastIndexOf(host as string) : -1
  if (done !== -1) return done
  const where = hosts === null ? 'holds nothing any more' : `is on ${hosts.join(' and ') || 'no host'}`
  throw new Stopped(
    `the plan does not hold any more: server ${instance} ${where}, and the plan has it on ${way.join(' or ')}; make a new plan`,
    exitCodes.conflict,
  )
}

async function run(session: Session, moves: readonly Move[]) {
  let isStopping = false
  session.around.onSignal(() => {
    isStopping = true
  })
  const moved: Move[] = []
  let left = await listLeft(session, moves)
  const skipped = moves.length - left.length
  if (skipped > 0) session.remark(`${doneText(skipped, moves.length)} already`)
  let stopped: string | null = null
  const check = new Check(session)
  while (left.length > 0 && stopped === null) {
    if (isStopping) stopped = 'stopped; the same command goes on from here'
    else {
      const move = left[0] as Move
      stopped = (await check.findFault(left)) ?? (await makeMove(session, move))
      if (stopped === null) {
        moved.push(move)
        if (!session.asJson) session.around.stdout.write(`${moveText(move)}\n`)
        left = left.slice(1)
      }
    }
  }
  const done = moves.length - left.length
  if (session.asJson) session.print({ done, moved, left, stopped }, () => '')
  session.remark(doneText(done, moves.length))
  if (stopped !== null) session.note(stopped)
  // Also after Ctrl-C: what follows in a script, such as switching the host off, has to wait for all moves.
  return stopped === null ? exitCodes.ok : exitCodes.nothing
}

/** Checks the moves that are left before each step; they are tried again only if others changed something. */
class Check {
  readonly #session: Session
  /** The revision after the own move, if nothing else was written since the last look. */
  #heldAt: number | null = null

  constructor(session: Session) {
    this.#session = session
  }

  async findFault(left: readonly Move[]): Promise<string | null> {
    const checked = await this.#session.berth.checkPlan({
      moves: left.map(({ instance, from, to_provider: to }) => ({ instance, from, to })),
      ...(this.#heldAt !== null && { held_at: this.#heldAt }),
    })
    this.#heldAt = checked.revision + 1
    if (checked.holds) return null
    const move = left[checked.at ?? 0] as Move
    return `the plan does not hold any more: ${moveText(move)}: ${checked.text}`
  }
}

const doneText = (done: number, all: number): string =>
  `${done} of ${countText(all, 'move')} ${done === 1 || all === 1 ? 'is' : 'are'} done`

/** Why it cannot be made; null if it was. */
async function makeMove({ berth }: Session, move: Move): Promise<string | null> {
  try {
    await berth.move({ instance: move.instance, from_host: move.from, host: move.to_provider })
    return null
  } catch (error) {
    if (!isRefused(error, 409)) throw error
    return `the plan does not hold any more: ${moveText(move)}: ${error.message}`
  }
}

const moveText = ({ instance, from, to }: Move): string =>
  escapeControls(`server ${instance} from ${from} to ${to}`)

async function printCommands(session: Session, moves: readonly Move[]) {
  const left = await listLeft(session, moves)
  const commands = left.map(
    ({ instance, to }) =>
      `openstack --os-compute-api-version 2.30 server migrate --live-migration --wait --host ${shellWord(to)} ${shellWord(instance)}`,
  )
  session.print({ commands }, () => scriptText(left, commands))
  return exitCodes.ok
}

/** `--wait` ends well also if a live migration failed: the server is active then, where it was. */
const SCRIPT_START = `set -e
must_be_on() {
  host=$(openstack server show -f value -c OS-EXT-SRV-ATTR:host "$1")
  [ "$host" = "$2" ] && return
  echo "stopped: server $1 is on $host, not on $2; print what is left with berth plan apply --openstack" >&2
  return 1
}`

/** Moves of one wave run side by side; the next wave begins only if all of them succeeded. */
function scriptText(left: readonly Move[], commands: readonly string[]): string {
  const lines = [SCRIPT_START]
  for (const [at, { instance, from, to, wave }] of left.entries()) {
    const mustBeOn = (host: string) => `must_be_on ${shellWord(instance)} ${shellWord(host)}`
    const steps = [mustBeOn(from), commands[at] as string, mustBeOn(to)]
    const isTogether = left.filter(one => one.wave === wave).length > 1
    if (isTogether && left[at - 1]?.wave !== wave) lines.push('moves=')
    if (isTogether) lines.push('(', ...steps, ') & moves="$moves $!"')
    else lines.push(...steps)
    // A `wait` for all of them succeeds whatever became of them.
    if (isTogether && left[at + 1]?.wave !== wave) lines.push('for move in $moves; do wait "$move"; done')
  }
  return `${lines.join('\n')}\n`
}
