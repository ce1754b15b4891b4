import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError } from 'commander'
import { systemClock } from '../../../kernel/clock.ts'
import type { Ledger } from '../../../openstack/placement/ledger.ts'
import { readExportBytes } from '../../../openstack/placement/read-export.ts'
import { type Fixed, fixFindings, listUnfixable, undoRepairs } from '../../../openstack/reconcile/fix.ts'
import { isKind, KIND_NAMES, KINDS, type Kind } from '../../../openstack/reconcile/kinds.ts'
import { NovaReader } from '../../../openstack/reconcile/read-nova.ts'
import { type Reconciled, reconcile } from '../../../openstack/reconcile/reconcile.ts'
import { makeReport } from '../../../openstack/reconcile/report.ts'
import { BadUndoFile, readUndoFile, UndoFile } from '../../../openstack/reconcile/undo-file.ts'
import type { RepairTarget } from '../../../openstack/reconcile/write-repair.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { type ExitCode, exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { fixedText, reportText } from '../../render/reconcile-report.ts'
import type { Describe } from '../describe-command.ts'
import { addCloudOption, openCloud, withCloudFailures } from './cloud-option.ts'

interface Options {
  readonly cloud?: string
  readonly fix?: readonly Kind[]
  readonly undo?: string
  readonly undoFile?: string
  readonly settle: number
  readonly unknownAreServers?: true
}

const SETTLE_S = 5
const SETTLE_S_MAX = 600

const KINDS_TEXT = Object.entries(KINDS)
  .map(([name, text]) => `  ${name.padEnd(26)}${text}`)
  .join('\n')

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Compares the ledger of the server with the servers, migrations, computes and host aggregates of Nova, and tells what the ledger ' +
      'has wrong: each finding with what Nova says, what the ledger says, the remedy and its command. Without --fix nothing is ' +
      'written. What is being built, moved or deleted is left alone, and every finding is looked at twice. Consumers that are ' +
      'not those of servers and migrations are never touched.',
    notes:
      `The cloud is one of clouds.yaml, where openstack clients find it too; its user needs the role admin.\n\nKinds:\n${KINDS_TEXT}\n\n` +
      'Nova gives its consumers no type. One without a type that Nova neither has nor remembers as a deleted server is not judged, ' +
      'as it may belong to another service; --unknown-are-servers says that there is none.\n\n' +
      '--fix writes each repair in one commit, which is refused if anything changed since the second look, and keeps what was ' +
      'there before in an undo file, before it writes. --undo restores it: what was changed since then is left as it is.',
    json:
      '{"cloud", "started_at", "finished_at", "compared": {counts}, "counts": {KIND: number}, "findings": [{"kind", "subject":\n' +
      '{"type", "id", "name"}, "nova", "ledger", "remedy", "command", "fixable"}], "not_judged": [{"subject", "reason"}], "passed"},\n' +
      'with --fix also "fixed": [{"kind", "subject", "outcome", "reason"}] and "undo_file"; with --undo {"undone": [...]}.',
    examples: [
      'berth reconcile --cloud production',
      'berth reconcile --cloud production --fix orphaned-deleted --fix doubled',
      'berth reconcile --cloud production --fix all --undo-file before.ndjson',
      'berth reconcile --undo before.ndjson',
    ],
    exits: [exitCodes.differences, exitCodes.output, exitCodes.conflict],
  })
  addCloudOption(command)
    .option(
      '--fix <kind>',
      'Repair the findings of this kind, or `all`; may be given more than once.',
      addKind,
    )
    .option('--undo-file <file>', 'Where --fix keeps what was there before. (default: a new file here)')
    .option('--undo <file>', 'Restore what a repair changed, from its undo file.')
    .option('--settle <seconds>', 'How long to wait between the two looks.', parseSettle, SETTLE_S)
    .option(
      '--unknown-are-servers',
      'Take consumers without a type that hold processors or memory for servers.',
    )
  whenRun(command, around, end, (session, options: Options) =>
    options.undo === undefined
      ? withCloudFailures(() => run(session, options))
      : undo(session, options.undo, options),
  )
}

function addKind(name: string, before: readonly Kind[] = []): readonly Kind[] {
  if (name === 'all') return KIND_NAMES
  if (!isKind(name)) throw new InvalidArgumentError(`'${name}' is not a kind; the help lists them.`)
  return [...before, name]
}

function parseSettle(text: string): number {
  const seconds = Number(text)
  if (!(text.trim() !== '' && seconds >= 0 && seconds <= SETTLE_S_MAX))
    throw new InvalidArgumentError(`Write seconds, 0 to ${SETTLE_S_MAX}.`)
  return seconds
}

async function run(session: Session, options: Options): Promise<ExitCode> {
  const startedMs = systemClock.nowMs()
  const cloud = await openCloud(session.around, options.cloud)
  const { name } = cloud.settings
  const nova = await NovaReader.connect(cloud)
  const compareOnce = () =>
    reconcile(
      {
        nova,
        readLedger: () => readLedger(session),
        settle: () => sleep(options.settle * 1_000),
      },
      { unknownAreServers: options.unknownAreServers === true },
    )
  const first = await compareOnce()
  const fixes = options.fix === undefined ? null : await fix(session, name, options, first, compareOnce)
  const found = fixes?.left ?? first
  const report = makeReport(found, {
    cloud: name,
    startedMs,
    finishedMs: systemClock.nowMs(),
    listedMax: Number.POSITIVE_INFINITY,
  })
  const written = fixes === null ? {} : { fixed: fixes.fixed, undo_file: fixes.undoFile }
  session.print({ ...report, ...written }, look =>
    fixes === null
      ? reportText(report, look)
      : `${fixedText(fixes.fixed, look)}${fixes.undoFile === null ? '' : `undo with: berth reconcile --undo ${fixes.undoFile}\n`}\n${reportText(report, look)}`,
  )
  return found.findings.length === 0 ? exitCodes.ok : exitCodes.differences
}

interface Fixes {
  readonly fixed: readonly Fixed[]
  readonly undoFile: string | null
  /** The findings after the repairs. */
  readonly left: Reconciled
}

/** Enough rounds for several layers of damage on the same consumer or provider. */
const ROUNDS_MAX = 10

/**
 * Repairs in an order in which one repair makes space for the next, then checks again until nothing can be
 * repaired.
 */
async function fix(
  session: Session,
  cloud: string,
  options: Options,
  first: Reconciled,
  compareAgain: () => Promise<Reconciled>,
): Promise<Fixes> {
  const listWanted = ({ findings }: Reconciled) =>
    findings.filter(({ kind }) => options.fix?.includes(kind) === true)
  if (listWanted(first).length === 0) return { fixed: [], undoFile: null, left: first }
  const target = await findTarget(session)
  const at = new Date(systemClock.nowMs()).toISOString()
  const path = options.undoFile ?? `berth-reconcile-undo-${at.replaceAll(/[:.]/g, '-')}.ndjson`
  const undoFile = await createUndoFile(path, cloud, at)
  let fixed: readonly Fixed[] = []
  let left = first
  try {
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const tried = await fixFindings(target, listWanted(left), undoFile)
      // Tries again what an earlier round refused.
      fixed = [...fixed.filter(({ outcome }) => outcome === 'done'), ...tried]
      if (tried.length > 0) left = await compareAgain()
      if (!tried.some(({ outcome }) => outcome === 'done')) break
    }
    return { fixed: [...fixed, ...listUnfixable(listWanted(left))], undoFile: path, left }
  } finally {
    await undoFile.close()
  }
}

async function findTarget(session: Session): Promise<RepairTarget> {
  const shadow = await session.berth.shadow()
  const follows = shadow !== null && shadow.writes === 'placement'
  return {
    placement: await session.placement(),
    berth: session.berth,
    importObstacle: follows
      ? 'this repair is an import into the ledger of Berth, which follows Placement while that answers writes: ' +
        'make it after berth shadow set writes=berth, or in Placement'
      : null,
  }
}

async function createUndoFile(path: string, cloud: string, at: string): Promise<UndoFile> {
  try {
    return await UndoFile.create(path, { cloud, at })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Stopped(`the undo file ${path} cannot be made (${code}): nothing was changed`, exitCodes.output)
  }
}

async function undo(session: Session, path: string, { fix: kinds }: Options): Promise<ExitCode> {
  if (kinds !== undefined) throw makeUsageError('--undo and --fix cannot be given together')
  const entries = await readUndoFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof BadUndoFile) throw new Stopped(error.message, exitCodes.invalid)
    if (error.code === undefined) throw error
    throw new Stopped(`${path} cannot be read (${error.code})`, exitCodes.missing)
  })
  const undone = await undoRepairs(await findTarget(session), entries, () => readLedger(session))
  session.print({ undone }, look => fixedText(undone, look, 'undone'))
  return undone.some(({ outcome }) => outcome === 'refused') ? exitCodes.conflict : exitCodes.ok
}

async function readLedger(session: Session): Promise<Ledger> {
  const { bytes } = await session.berth.export()
  return readExportBytes(bytes)
}
