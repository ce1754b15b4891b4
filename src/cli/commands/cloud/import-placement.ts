import { isRefused } from '../../../client/http.ts'
import { countText } from '../../../kernel/count-text.ts'
import { countLedger, type LedgerCounts, type Untakable } from '../../../openstack/placement/ledger.ts'
import { type ImportPlan, planImport } from '../../../openstack/placement/plan-import.ts'
import { keepTakable } from '../../../openstack/placement/takable.ts'
import type { ImportReport } from '../../../wire/transfer.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { ProgressBar } from '../../render/progress.ts'
import { facts } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { reportTable } from './import-report.ts'
import {
  addSourceOptions,
  planText,
  readOwnLedger,
  readSource,
  SOURCE_NOTES,
  type SourceOptions,
  untakableText,
} from './placement-source.ts'

interface Options extends SourceOptions {
  readonly from?: string
  readonly dryRun?: true
  readonly mirror?: true
  readonly skipInvalid?: true
}

export const describeImportPlacement: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Takes over the ledger of a running Placement of OpenStack: resource classes, traits, providers with trees and generations, ' +
      'inventories, aggregates, consumers with their types, projects, users, generations and allocations. Only what differs ' +
      'is written, so it can be repeated while the cloud runs. Whatever cannot be imported is listed with its reason before ' +
      'anything is written. Standard traits that Berth does not know yet are learned.',
    notes: SOURCE_NOTES,
    json:
      '{"source": {counts}, "dry_run", "lines", "learned": [string], "untakable": [{"what", "reason"}],\n' +
      '"only_here": {"providers", "consumers"}, "report": null or that of `berth import`}.',
    examples: [
      'berth import placement --from mysql+pymysql://placement@db1/placement --dry-run',
      'berth import placement --from sqlite:////var/lib/placement/placement.db',
      'berth import placement --from placement.sql --mirror',
      'berth import placement --from https://controller:8778 --placement-token "$(openstack token issue -f value -c id)"',
    ],
    exits: [exitCodes.differences, exitCodes.conflict],
  })
  addSourceOptions(command, '--from <placement>', 'The Placement to read.')
    .option('--dry-run', 'Write nothing; tell what would be done.')
    .option('--mirror', 'Also remove providers, consumers and custom names that the Placement does not have.')
    .option('--skip-invalid', 'Import the rest if something cannot be imported.')
  whenRun(command, around, end, async (session, options: Options) => {
    await refuseBeforePlacement(session)
    const source = await readSource(session, options.from, options)
    const { ledger } = source
    const here = await readOwnLedger(session, source)
    const mirror = options.mirror === true
    const takable = keepTakable(ledger, here, { mirror })
    const plan = planImport(takable.ledger, here, { mirror })
    const untakable = [...source.untakable, ...takable.untakable]
    const isStopped = untakable.length > 0 && options.skipInvalid !== true
    const isDry = options.dryRun === true
    const report = isDry || isStopped ? null : await importPlan(session, plan)
    printOutcome(session, { counts: countLedger(ledger), plan, untakable, report, isDry, isStopped })
    return untakable.length > 0 ? exitCodes.differences : exitCodes.ok
  })
}

/** While Berth answers writes, Placement is the copy, and may lack what is still queued for it. */
async function refuseBeforePlacement(session: Session): Promise<void> {
  const shadow = await session.berth.shadow()
  if (shadow?.writes === 'berth' && !shadow.is_ended)
    throw new Stopped(
      'Berth answers writes, so its ledger is right and that of Placement a copy: nothing was imported. ' +
        'Switch back first, with berth shadow set writes=placement',
      exitCodes.conflict,
    )
}

async function importPlan(session: Session, plan: ImportPlan): Promise<ImportReport> {
  const { traitsToLearn, lines } = plan
  if (traitsToLearn.length > 0) await session.berth.learnTraits(traitsToLearn)
  const texts = lines.map(line => `${JSON.stringify(line)}\n`)
  const bytesTotal = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const progress = new ProgressBar(session.around, 'import', { bytesTotal, countsLines: true })
  try {
    const report = await session.berth.import(progress.countBytes(encode(texts)), { exactGenerations: true })
    await removeNames(session, plan)
    return report
  } finally {
    progress.clear()
  }
}

/** Keeps a name that is still in use, for example by a share back end. */
async function removeNames(session: Session, { namesToRemove }: ImportPlan): Promise<void> {
  const { own: placement } = await session.placement()
  for (const { kind, name } of namesToRemove)
    try {
      await (kind === 'trait' ? placement.deleteTrait(name) : placement.deleteResourceClass(name))
    } catch (error) {
      if (!isRefused(error, 409)) throw error
      session.remark(`kept ${kind.replace('_', ' ')} ${name}: ${error.message}`)
    }
}

const LINES_PER_CHUNK = 256

async function* encode(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < texts.length; at += LINES_PER_CHUNK)
    yield Buffer.from(texts.slice(at, at + LINES_PER_CHUNK).join(''))
}

interface Outcome {
  readonly counts: LedgerCounts
  readonly plan: ImportPlan
  readonly untakable: readonly Untakable[]
  readonly report: ImportReport | null
  readonly isDry: boolean
  readonly isStopped: boolean
}

function printOutcome(session: Session, outcome: Outcome): void {
  const { counts, plan, untakable, report, isDry, isStopped } = outcome
  const { lines, traitsToLearn: learned, onlyHere: only_here } = plan
  session.print(
    { source: counts, dry_run: isDry, lines: lines.length, learned, untakable, only_here, report },
    look => {
      const parts = [facts(countFacts(counts, plan), look)]
      if (untakable.length > 0)
        parts.push(`\nCannot be imported: ${untakable.length}\n${untakableText(untakable)}`)
      if (report !== null) parts.push(`\n${reportTable(report, look)}`)
      return parts.join('')
    },
  )
  if (isStopped && !isDry)
    session.remark(
      'nothing was written: correct what cannot be imported, or leave it out with --skip-invalid',
    )
  else if (isDry) session.remark('dry run: nothing was written')
}

function countFacts(counts: LedgerCounts, plan: ImportPlan): [string, string][] {
  const { providers, consumers } = plan.onlyHere
  return [
    ...Object.entries(counts).map(([name, count]): [string, string] => [
      name.replaceAll('_', ' '),
      String(count),
    ]),
    ['to write', planText(plan)],
    ['traits to learn', plan.traitsToLearn.join(', ') || '-'],
    ['only in Berth', `${countText(providers, 'provider')}, ${countText(consumers, 'consumer')}`],
  ]
}
