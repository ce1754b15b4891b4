import { InvalidArgumentError } from 'commander'
import { ndjsonOf } from '../../../client/lines.ts'
import { applyKind, type KindReport } from '../../../openstack/pull/apply-pull.ts'
import { readBerthState } from '../../../openstack/pull/berth-state.ts'
import { CloudReader } from '../../../openstack/pull/cloud-reader.ts'
import { type KindPlan, planPull } from '../../../openstack/pull/plan-pull.ts'
import { kindNames, type PullKind } from '../../../openstack/pull/pull-line.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import type { Describe } from '../describe-command.ts'
import { addCloudOption, CLOUD_NOTES, openCloud, withCloudFailures } from './cloud-option.ts'
import { followCloud, INTERVAL_S } from './follow-cloud.ts'
import { leftText, planText, summaryTable } from './pull-report.ts'

interface Options {
  readonly cloud?: string
  readonly dryRun?: true
  readonly adopt?: true
  readonly forget?: true
  readonly follow?: true
  readonly interval?: number
}

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Brings flavors with access and extra specs, the states of computes, host aggregates with their zones, server groups with members, ' +
      'the requests of servers, metadata definitions, share types, share back ends, pools and shares with their hints of a running ' +
      'cloud into Berth: why, what-if, drain, drift and capacity then speak of that cloud. What was pulled belongs to the cloud: Berth refuses to change it, the next pull ' +
      'brings it up to date, and what the cloud no longer has goes. What exists only in Berth is left alone; what has the same id or ' +
      'name is named and left out. Each kind is one commit, of at most 1,000 rows. Of the ledger only pools and shares are written; the rest is brought by ' +
      'berth import placement.',
    notes: CLOUD_NOTES,
    json:
      '{"cloud", "dry_run", "kinds": [{"kind", "created", "updated", "removed", "unchanged", "left": [{"table", "name", "reason", ' +
      '"why"}]}], "notes": [TEXT, ...]}; a dry run has {"changes": [{"action", "table", "before", "after"}]} for each kind; ' +
      'with --follow one a line for each round that changed something.',
    examples: [
      'berth pull --cloud prod --dry-run',
      'berth pull --cloud prod',
      'berth pull --cloud prod --follow --interval 60',
      'berth pull --cloud prod --forget',
    ],
    exits: [exitCodes.differences],
  })
  addCloudOption(command)
    .option('--dry-run', 'Write nothing; list what differs.')
    .option('--adopt', 'Take over what exists in Berth under the same id or name.')
    .option('--follow', 'Stay in step until stopped: read what may have changed again and again.')
    .option(
      '--interval <seconds>',
      `With --follow: the pause between rounds. (default: ${INTERVAL_S})`,
      parseInterval,
    )
    .option('--forget', 'Remove all that was pulled from this cloud. The cloud is not asked.')
  whenRun(command, around, end, async (session, options: Options) => {
    if (options.follow === true && (options.dryRun === true || options.forget === true))
      throw makeUsageError('--follow goes with neither --dry-run nor --forget')
    if (options.forget === true) return forget(session, options)
    return withCloudFailures(async () => {
      if (options.follow !== true) return pullOnce(session, options)
      await followCloud(session, options)
      return exitCodes.ok
    })
  })
}

function parseInterval(text: string): number {
  const seconds = Number(text)
  if (!(Number.isInteger(seconds) && seconds >= 5 && seconds <= 86_400))
    throw new InvalidArgumentError('Write seconds, from 5 to 86400.')
  return seconds
}

async function readHere({ berth }: Session) {
  const { bytes } = await berth.export()
  return readBerthState(ndjsonOf(bytes))
}

async function pullOnce(session: Session, options: Options) {
  const cloud = await openCloud(session.around, options.cloud)
  const { name } = cloud.settings
  const here = await readHere(session)
  const { wanted, notes } = await new CloudReader(cloud).read(here, true)
  return finish(session, options, { name, plans: planPull(wanted, here.rows, `cloud:${name}`), notes })
}

/** As if the cloud had nothing. */
async function forget(session: Session, options: Options) {
  const { cloud: name } = options
  if (name === undefined) throw makeUsageError('name the cloud with --cloud')
  const here = await readHere(session)
  const wanted = new Map(kindNames.map((kind): [PullKind, []] => [kind, []]))
  return finish(session, options, { name, plans: planPull(wanted, here.rows, `cloud:${name}`), notes: [] })
}

interface PullPlan {
  readonly name: string
  readonly plans: readonly KindPlan[]
  readonly notes: readonly string[]
}

async function finish(session: Session, { dryRun, adopt }: Options, { name, plans, notes }: PullPlan) {
  for (const note of notes) session.remark(note)
  if (dryRun === true) {
    const kinds = plans.map(({ kind, changes, unchanged }) => ({
      kind,
      unchanged,
      changes: changes.map(({ action, line, before }) => ({
        action,
        table: line.table,
        before,
        after: action === 'remove' ? null : line.row,
      })),
    }))
    session.print({ cloud: name, dry_run: true, kinds, notes }, look => planText(plans, look))
    session.remark('dry run: nothing was written')
    return exitCodes.ok
  }
  const reports: KindReport[] = []
  for (const plan of plans)
    reports.push(await applyKind(plan, body => session.berth.pull(name, body), adopt === true))
  const kinds = reports.map(({ leftKeys: _, ...report }) => report)
  session.print({ cloud: name, dry_run: false, kinds, notes }, look => summaryTable(reports, look))
  const left = reports.flatMap(report => report.left)
  if (left.length > 0 && !session.asJson) session.around.stdout.write(leftText(left))
  return left.length > 0 ? exitCodes.differences : exitCodes.ok
}
