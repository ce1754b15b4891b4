import type { Failure, FailureCase } from '../../wire/failure.ts'
import { serverTitle } from '../../words/server-title.ts'
import { flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

const serversText = (count: number): string => `${count} ${count === 1 ? 'server' : 'servers'}`

/** Whether all find a place, the cases in which some do not, and the servers of the worst case. */
export function failureText(failure: Failure, look: Look): string {
  const { style } = look
  const { worst, failing, failing_left_out, untried } = failure
  const parts = [
    headline(failure, look),
    failure.cases > 1 && failing.length > 0 ? caseTable(failing, look) : '',
    failing_left_out > 0 ? style.dim(`and ${failing_left_out} more cases like these\n`) : '',
    worst === null || worst.stuck === 0 ? '' : `${style.bold(worstTitle(worst))}\n${moveTable(worst, look)}`,
    worst !== null && worst.others > 0
      ? `${worst.others} other consumers there are no servers and cannot move.\n`
      : '',
    untried > 0 ? style.dim(`${untried} cases were not tried to the end; --servers N tries more\n`) : '',
  ]
  return parts.filter(part => part !== '').join('\n')
}

function headline({ what, survives, worst, cases, failing, revision }: Failure, { style }: Look): string {
  const at = style.dim(`at revision ${revision}`)
  const said = escapeControls(what)
  const most = worst === null ? '' : `, at most ${serversText(worst.servers)} at a time`
  if (survives === 'yes')
    return `${style.good(`yes: ${said}: all servers find another place`)}${most} ${at}\n`
  if (survives === 'unknown')
    return `${style.bad(`not known: ${said}: no server without a place was found so far`)} ${at}\n`
  const stuck = worst === null ? 0 : worst.stuck
  const often = cases === 1 ? '' : ` in ${failing.length} of ${cases} cases, in the worst`
  return `${style.bad(`no: ${said}: some servers find no place${often}: ${stuck} of ${serversText(worst?.servers ?? 0)}`)} ${at}\n`
}

const hostsOf = ({ hosts }: Pick<FailureCase, 'hosts'>): string => hosts.map(({ host }) => host).join(', ')

const caseTable = (failing: Failure['failing'], look: Look): string =>
  table(
    [flexible('FAILED'), right('SERVERS'), right('WITHOUT PLACE'), right('GIB')],
    failing.map(one => [hostsOf(one), one.servers, one.stuck, one.gib_stuck]),
    look,
  )

const worstTitle = (worst: FailureCase): string =>
  `Without a place if ${escapeControls(hostsOf(worst))} ${worst.hosts.length === 1 ? 'fails' : 'fail'}:`

function moveTable({ moves, moves_left_out }: FailureCase, { style }: Look): string {
  const lines = moves
    .filter(({ to }) => to === null)
    .map(
      ({ instance, name, from, text }) =>
        `  ${escapeControls(serverTitle(instance, name))} on ${escapeControls(from)}: ${escapeControls(text ?? '')}\n`,
    )
  return `${lines.join('')}${moves_left_out > 0 ? style.dim(`${moves_left_out} servers are not listed\n`) : ''}`
}
