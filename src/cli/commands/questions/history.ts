import { type Command, Option } from 'commander'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { forecastText, historyText } from '../../render/history.ts'
import type { Describe } from '../describe-command.ts'

interface ScopeOptions {
  readonly zone?: string
  readonly hostAggregate?: string
  readonly host?: string
  readonly class?: string
}

interface HistoryOptions extends ScopeOptions {
  readonly span: string
}

/** As many steps as a line of characters can show; programs get all. */
const POINTS_SHOWN = 48
const POINTS_MAX = 1_500

const addScopeOptions = (command: Command): Command =>
  command
    .option('--zone <zone>', 'Of this availability zone.')
    .option('--host-aggregate <aggregate>', 'Of this host aggregate, by name, number or uuid.')
    .option('--class <class>', 'Only this resource class.')

const buildQuery = (fields: Readonly<Record<string, string | number | undefined>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  ).toString()

const buildScopeQuery = ({ zone, hostAggregate, host, class: unit }: ScopeOptions) => ({
  zone,
  aggregate: hostAggregate,
  host,
  resource_class: unit,
})

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints usage over time by class: of the cloud, a zone, a host aggregate, or how full the tightest class of a host is. ' +
      'LATEST is the mean of the last step of the trend; a blank in a trend is a time in which nothing was recorded.',
    json: 'The answer of GET /v1/history, with up to 1,500 steps.',
    examples: [
      'berth history',
      'berth history --zone a --span month',
      'berth history --host cmp-7',
      'berth history --class VCPU --json',
    ],
  })
  addScopeOptions(command)
    .option('--host <host>', 'Of this host.')
    .addOption(new Option('--span <span>', 'How far back.').choices(['day', 'month', 'year']).default('day'))
  whenRun(command, around, end, async (session, options: HistoryOptions) => {
    const points = session.asJson ? POINTS_MAX : POINTS_SHOWN
    const query = { ...buildScopeQuery(options), span: options.span, points }
    const found = await session.berth.history(buildQuery(query))
    session.print(found, look => historyText(found, look))
    if (found.recorded_from === null)
      session.note('nothing was recorded yet: it takes a minute after the first start')
    noteMadeUp(session, found.made_up_until)
  })
}

export const describeForecasts: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints when each resource class ends, with its uncertainty: of the cloud and each zone, or of one zone or host aggregate. ' +
      'The trend is that of the last 28 whole days; fewer than seven give no forecast. It assumes that the capacity stays as it ' +
      'is. A class ends when all of it is used: a large request finds no host before that, see `berth fit`.',
    json: 'The answer of GET /v1/forecast: {"at", "method", "forecasts"}.',
    examples: ['berth forecast', 'berth forecast --zone b', 'berth forecast --class MEMORY_MB'],
  })
  addScopeOptions(command)
  whenRun(command, around, end, async (session, options: ScopeOptions) => {
    const found = await session.berth.forecast(buildQuery(buildScopeQuery(options)))
    session.print(found, look => forecastText(found, look))
    if (found.forecasts.length === 0) session.note('there is no capacity of it')
    if (!session.asJson && found.forecasts.some(one => one.made_up))
      session.note('the days that this is made from were made up by the demo')
  })
}

function noteMadeUp(session: Session, until: string | null): void {
  if (until !== null && !session.asJson)
    session.note(`until ${until.replace(/:\d\d\.\d+Z$/, 'Z')} usage was made up by the demo`)
}
