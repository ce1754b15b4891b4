import { type Command, Option } from 'commander'
import type { LandingTarget } from '../../../client/berth-api.ts'
import { countText } from '../../../kernel/count-text.ts'
import type { FlavorLanding, LandingReason } from '../../../wire/landing.ts'
import { serverTitle } from '../../../words/server-title.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { flexible, right, table } from '../../render/table.ts'

/** What the commands about a host and those about a host aggregate share. */
interface LandingSubject {
  /** The name of the command group, such as `host`. */
  readonly group: string
  readonly argument: readonly [name: string, description: string]
  readonly example: string
  readonly what: string
  target(text: string): LandingTarget
}

export const describeLanding = (
  group: Command,
  around: ProcessEnvironment,
  end: End,
  subject: LandingSubject,
): void => {
  describeFlavors(
    group.command('flavors').summary('list which flavors may land there, and why not'),
    around,
    end,
    subject,
  )
  describeViolations(
    group.command('violations').summary('list the servers that break its present rules'),
    around,
    end,
    subject,
  )
}

interface FlavorsOptions {
  readonly project?: string
  readonly verdict?: FlavorLanding['verdict']
}

const VERDICTS = ['fits', 'not-now', 'forbidden'] as const

function describeFlavors(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  subject: LandingSubject,
): void {
  describeClientCommand(command, {
    description:
      `Lists all flavors and whether a new server of each may land on ${subject.what}: it fits; not now, because of ` +
      'what is used or disabled; or forbidden by a rule or by the size, with the reason of most hosts first.',
    json: `{"hosts", "hosts_left_out", "flavors", "truncated"}, as GET /v1/${subject.group}s/NAME/flavors returns it.`,
    examples: [
      `berth ${subject.group} flavors ${subject.example}`,
      `berth ${subject.group} flavors ${subject.example} --verdict fits`,
    ],
  })
    .argument(...subject.argument)
    .option('--project <id>', 'For a server of this project. (default: that of the token)')
    .addOption(new Option('--verdict <verdict>', 'Only flavors with this verdict.').choices(VERDICTS))
  whenRun(command, around, end, async (session, options: FlavorsOptions, text: string) => {
    const all = await session.berth.landings(subject.target(text), options.project)
    const { verdict } = options
    const flavors = all.flavors.filter(one => verdict === undefined || one.verdict === verdict)
    session.print({ ...all, flavors }, look =>
      table(
        ['flavor', 'verdict', right('hosts'), flexible('why not')],
        flavors.map(one => [one.name, one.verdict, `${one.fits}/${hostsOf(one)}`, whyNot(one)]),
        look,
      ),
    )
    if (session.asJson) return
    if (flavors.length === 0) session.note('no flavor')
    if (all.hosts_left_out > 0)
      session.note(`${countText(all.hosts_left_out, 'more host was', 'more hosts were')} not checked`)
  })
}

const hostsOf = ({ fits, not_now, forbidden }: FlavorLanding): number => fits + not_now + forbidden

const reasonText = ({ filter, text }: LandingReason): string =>
  filter === null ? text : `${filter}: ${text}`

function whyNot({ reasons }: FlavorLanding): string {
  const [first, ...others] = reasons
  if (first === undefined) return '-'
  return others.length === 0 ? reasonText(first) : `${reasonText(first)} (and ${others.length} more)`
}

function describeViolations(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  subject: LandingSubject,
): void {
  describeClientCommand(command, {
    description:
      `Lists servers that the rules of ${subject.what} would no longer allow: the request of each server when ` +
      'it was scheduled is compared with the hosts as they are now.',
    json: `{"servers", "unknown", "violations", "next"}, as GET /v1/${subject.group}s/NAME/violations returns it.`,
    examples: [`berth ${subject.group} violations ${subject.example}`],
  }).argument(...subject.argument)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const found = await session.berth.violations(subject.target(text))
    session.print(found, look =>
      table(
        ['server', 'host', 'flavor', flexible('what it breaks')],
        found.violations.map(({ instance, name, host, flavor, reasons }) => [
          ...[serverTitle(instance, name), host, flavor || '-', reasons.map(reasonText).join(' ')],
        ]),
        look,
      ),
    )
    if (session.asJson) return
    const { servers, unknown, violations } = found
    session.note(
      `${violations.length} of ${countText(servers, 'server')} ${violations.length === 1 ? 'breaks' : 'break'} a rule`,
    )
    if (unknown > 0) session.note(`${unknown} were not scheduled here, so their requests are unknown`)
  })
}
