import type { Command } from 'commander'
import { Refused } from '../../../client/failure.ts'
import { countText } from '../../../kernel/count-text.ts'
import type { ShadowDifferences, ShadowStatus, ShadowSwitch, ShadowSwitched } from '../../../wire/shadow.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Look, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'The Placement that the server shadows (`berth serve --shadow-of`): how the two compare, and which of them answers.',
  )
  describeStatus(group.command('status').summary('who answers, and how the answers compare'), around, end)
  describeDifferences(group.command('differences').summary('answers that differed, and repairs'), around, end)
  describeSweep(group.command('sweep').summary('compare both ledgers at once'), around, end)
  describeSet(group.command('set').summary('switch reads or writes'), around, end)
  describeEnd(group.command('end').summary('stop writing to Placement'), around, end)
}

type Shadow = NonNullable<ShadowStatus['shadow']>

function describeStatus(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Shows which side answers reads and writes, how the answers compare, and the work that is left. With several processes, each counts separately; metrics cover all.',
    json: 'The status as `GET /v1/shadow` gives it, below "shadow".',
    examples: ['berth shadow status', 'berth shadow status --json'],
    exits: [exitCodes.differences],
  })
  whenRun(command, around, end, async session => {
    const shadow = requireShadow(await session.berth.shadow())
    session.print(shadow, look => statusText(shadow, look))
    return shadow.differences > 0 ? exitCodes.differences : exitCodes.ok
  })
}

function requireShadow(shadow: ShadowStatus['shadow']): Shadow {
  if (shadow !== null) return shadow
  throw new Stopped('no Placement is shadowed: start the server with --shadow-of', exitCodes.missing)
}

const latencyText = (side: Shadow['latency']['berth']): string =>
  side === null ? '-' : `${side.p50_ms} ms, p99 ${side.p99_ms} ms`

function statusText(shadow: Shadow, look: Look): string {
  const { sweep, backlog, latency } = shadow
  const pass = `${sweep.checked} of ${countText(sweep.total, 'provider')}, ${countText(sweep.passes, 'pass', 'passes')}`
  const rows: [string, string][] = [
    ['placement', shadow.placement],
    ['reads', `answered by ${shadow.reads}`],
    ['writes', shadow.is_ended ? 'answered by Berth; the shadow has ended' : `answered by ${shadow.writes}`],
    ['differences', `${shadow.differences} since ${shadow.since.slice(0, 19)}`],
    ['known bugs', String(shadow.known)],
    ['repairs', String(shadow.repairs)],
    ...(shadow.orphaned === 0
      ? []
      : [
          [
            'lost consumers',
            `on ${countText(shadow.orphaned, 'provider')}; run placement-manage db online_data_migrations, then berth shadow sweep`,
          ] satisfies [string, string],
        ]),
    ['sweep', sweep.failure ?? (sweep.hurry === null ? pass : `${pass}, at once: ${sweep.hurry}`)],
    [
      'to do',
      Object.entries(backlog)
        .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
        .join(', '),
    ],
    ['Placement took', latencyText(latency.placement)],
    ['Berth took', latencyText(latency.berth)],
  ]
  const counts = shadow.counts.map(({ method, route, outcome, count }) => [method, route, outcome, count])
  return `${table(['', ''], rows, look)}\n${table(['method', 'route', 'outcome', 'count'], counts, look)}`
}

function describeDifferences(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists requests that the two sides answered differently, with both answers, and differences between the ledgers that were repaired. The server keeps the latest 1,000 of each; its log has them all.',
    json: '{"total", "differences": [...], "repairs": [...]}, the newest first.',
    examples: ['berth shadow differences', 'berth shadow differences --known --json'],
    exits: [exitCodes.differences],
  }).option('--known', 'Also list differences that known bugs of Placement explain.')
  whenRun(command, around, end, async (session, { known }: { known?: true }) => {
    const found = await session.berth.shadowDifferences(known === true)
    session.print(found, look => differencesText(found, look))
    return found.total > 0 ? exitCodes.differences : exitCodes.ok
  })
}

function differencesText({ total, differences, repairs }: ShadowDifferences, { style }: Look): string {
  const lines = [`${countText(total, 'difference')}, ${countText(repairs.length, 'repair')}`]
  for (const { at, request_id, method, path, version, what, known, placement, berth } of differences) {
    const title = `${method} ${path}${version === null ? '' : ` (${version})`}: ${known ?? what}`
    lines.push(
      style.bold(title),
      `  request    ${request_id} at ${at}`,
      `  placement  ${placement === null ? 'no answer' : `${placement.status} ${placement.body}`}`,
      `  berth      ${berth === null ? 'no answer' : `${berth.status} ${berth.body}`}`,
    )
  }
  for (const { at, why, what, repaired } of repairs)
    lines.push(
      style.bold(`${at} ${repaired === null ? 'not repaired' : `repaired in ${repaired}`}: ${why}`),
      `  ${what}`,
    )
  return `${lines.join('\n')}\n`
}

function describeSweep(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Makes the server compare both ledgers at full speed. `berth shadow status` shows the progress.',
    json: 'The status as `GET /v1/shadow` gives it.',
    examples: ['berth shadow sweep'],
    exits: [exitCodes.conflict],
  })
  whenRun(command, around, end, async session => {
    const status = await session.berth.sweepShadow()
    session.print(status, () => 'the comparison has begun\n')
  })
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Switches which side answers. The server first compares both ledgers and holds writes until none is under way. It refuses if the ledgers differ, and prints the differences. Switch reads before writes: `reads=berth`, then `writes=berth`. The same command switches back.',
    json: '{"reads", "writes", "is_ended", "lost": [differences], "unsent", "not_compared"}.',
    examples: [
      'berth shadow set reads=berth',
      'berth shadow set writes=berth',
      'berth shadow set writes=placement reads=placement',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<setting...>', 'reads=berth, reads=placement, writes=berth, writes=placement.')
    .option('--force', 'Switch even if the ledgers differ, and print what is lost.')
  whenRun(command, around, end, async (session, { force }: { force?: true }, settings: string[]) => {
    const wanted = parseSettings(settings)
    await printSwitched(session, () => session.berth.setShadow({ ...wanted, force: force === true }))
  })
}

function parseSettings(settings: readonly string[]): ShadowSwitch {
  const wanted: { reads?: 'placement' | 'berth'; writes?: 'placement' | 'berth' } = {}
  for (const setting of settings) {
    const [, group, side] = /^(reads|writes)=(placement|berth)$/.exec(setting) ?? []
    if (group === undefined)
      throw makeUsageError(
        `${setting} is not one of reads=berth, reads=placement, writes=berth, writes=placement`,
      )
    wanted[group as 'reads'] = side as 'berth'
  }
  return wanted
}

function describeEnd(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Ends the shadow: Berth answers alone, and Placement gets no further writes. This is the last step. While the ledgers are still equal, `berth shadow set writes=berth` starts the shadow again.',
    json: '{"reads", "writes", "is_ended", "lost": [differences], "unsent", "not_compared"}.',
    examples: ['berth shadow end'],
    exits: [exitCodes.conflict],
  }).option('--force', 'End even if writes are still queued for Placement.')
  whenRun(command, around, end, async (session, { force }: { force?: true }) => {
    await printSwitched(session, () => session.berth.endShadow(force === true))
  })
}

/** The refusal lists the differences that caused it. */
async function printSwitched(session: Session, doSwitch: () => Promise<ShadowSwitched>): Promise<void> {
  try {
    const switched = await doSwitch()
    session.print(switched, () => switchedText(switched))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const differences = (error.facts.differences ?? []) as ShadowSwitched['lost']
    for (const one of differences) session.note(differenceText(one))
    throw error
  }
}

function switchedText({ reads, writes, is_ended, lost, unsent, not_compared }: ShadowSwitched): string {
  const lines = [`reads: ${reads}, writes: ${writes}${is_ended ? ', Placement gets no further writes' : ''}`]
  if (unsent > 0) lines.push(`lost: ${unsent} writes that Placement did not get`)
  for (const one of lost) lines.push(`lost: ${differenceText(one)}`)
  if (not_compared !== null)
    lines.push(`not known what else: the ledgers could not be compared (${not_compared})`)
  return `${lines.join('\n')}\n`
}

const differenceText = ({ kind, name, field, left, right }: ShadowSwitched['lost'][number]): string =>
  `${kind} ${name}: ${field} is ${JSON.stringify(left)} in Placement and ${JSON.stringify(right)} in Berth`
