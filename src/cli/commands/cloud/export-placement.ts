import { inParallel } from '../../../client/in-parallel.ts'
import { countText } from '../../../kernel/count-text.ts'
import { PlacementApi } from '../../../openstack/placement/placement-api.ts'
import { type ImportPlan, planImport } from '../../../openstack/placement/plan-import.ts'
import { PlacementWriter } from '../../../openstack/placement/write-api.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { RowProgress } from '../../render/progress.ts'
import type { Describe } from '../describe-command.ts'
import {
  addTokenOption,
  planText,
  readOwnLedger,
  readSource,
  type SourceOptions,
  untakableText,
} from './placement-source.ts'

interface Options extends SourceOptions {
  readonly to: string
  readonly dryRun?: true
  readonly mirror?: true
}

export const describeExportPlacement: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Writes the ledger of the server into a Placement of OpenStack through its API, for the way back from Berth. Only what ' +
      'differs is written. The Placement assigns the generations, and consumers without allocations cannot be written; ' +
      'what it refuses is listed with its reason, and the rest is written.',
    json: '{"dry_run", "lines", "refused": [{"what", "reason"}], "only_there": {"providers", "consumers"}}.',
    examples: [
      'berth export placement --to https://controller:8778 --dry-run',
      'berth export placement --to https://controller:8778 --mirror',
    ],
    exits: [exitCodes.differences],
  }).requiredOption('--to <url>', 'The address of the API of the Placement.')
  addTokenOption(command)
    .option('--dry-run', 'Write nothing; tell what would be done.')
    .option('--mirror', 'Also remove providers, consumers and custom names that Berth does not have.')
  whenRun(command, around, end, async (session, options: Options) => {
    const there = await readSource(session, options.to, options)
    const here = await readOwnLedger(session, there)
    const plan = planImport(here, there.ledger, { mirror: options.mirror === true, generations: false })
    const isDry = options.dryRun === true
    const refused = isDry ? [] : await writePlan(session, plan, options)
    const outcome = {
      dry_run: isDry,
      lines: plan.lines.length,
      refused,
      only_there: plan.onlyHere,
    }
    session.print(outcome, () => {
      const { providers, consumers } = plan.onlyHere
      const kept = `only in the Placement: ${countText(providers, 'provider')}, ${countText(consumers, 'consumer')}\n`
      const failures = refused.length === 0 ? '' : `Refused: ${refused.length}\n${untakableText(refused)}`
      return `${isDry ? 'to write' : 'written'}: ${planText(plan)}\n${kept}${failures}`
    })
    if (isDry) session.remark('dry run: nothing was written')
    return refused.length > 0 ? exitCodes.differences : exitCodes.ok
  })
}

const CONSUMERS_AT_ONCE = 8

/** The consumers at the end are independent of each other; everything before them is written in order. */
async function writePlan(
  session: Session,
  { lines, namesToRemove }: ImportPlan,
  { to, placementToken }: Options,
) {
  const writer = new PlacementWriter(await PlacementApi.connect(to, placementToken ?? null))
  const progress = new RowProgress(session.around)
  progress.beginPhase('write', lines.length + namesToRemove.length)
  const write = async (line: ImportPlan['lines'][number]) => {
    await writer.write(line)
    progress.addRows(1)
  }
  const lastOther = lines.findLastIndex(line => !('consumer' in line))
  try {
    for (const line of lines.slice(0, lastOther + 1)) await write(line)
    await inParallel(lines.slice(lastOther + 1), CONSUMERS_AT_ONCE, write)
    for (const name of namesToRemove) {
      await writer.removeName(name)
      progress.addRows(1)
    }
    return writer.refused
  } finally {
    progress.clear()
  }
}
