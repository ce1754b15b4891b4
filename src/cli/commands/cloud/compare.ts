import { countText } from '../../../kernel/count-text.ts'
import { compareLedgers, type LedgerDifference } from '../../../openstack/placement/compare.ts'
import { countLedger } from '../../../openstack/placement/ledger.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import type { Look } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import {
  addSourceOptions,
  readOwnLedger,
  readSource,
  SHOWN_MAX,
  SOURCE_NOTES,
  type SourceOptions,
} from './placement-source.ts'

interface Options extends SourceOptions {
  readonly with?: string
  readonly ignoreGenerations?: true
}

/** A running cloud changes between two readings; only differences in both of them are real. */
const ROUNDS_MAX = 3

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Compares the ledger of the server with that of a Placement: names, providers, trees, generations, inventories, traits, ' +
      'aggregates, consumers, allocations. Where they differ both are read again, up to three times, and only what differs each ' +
      'time is reported: a running cloud writes meanwhile.',
    notes: SOURCE_NOTES,
    json:
      '{"equal": boolean, "placement": {counts}, "berth": {counts},\n' +
      '"differences": [{"kind", "name", "key", "field", "left": in Placement, "right": in Berth}], "unreadable": [{"what", "reason"}]}.',
    examples: [
      'berth compare --with postgresql://placement@db1/placement',
      'berth compare --with https://controller:8778 --json',
    ],
    exits: [exitCodes.differences],
  })
  addSourceOptions(command, '--with <placement>', 'The Placement to compare with.').option(
    '--ignore-generations',
    'Leave generations out: after `berth export placement` they are the Placement’s own.',
  )
  whenRun(command, around, end, async (session, options: Options) => {
    const { differences, ...rest } = await compareOften(session, options)
    const isEqual = differences.length === 0
    session.print({ equal: isEqual, ...rest, differences }, look =>
      isEqual
        ? `equal: ${countText(rest.berth.providers, 'provider')}, ${countText(rest.berth.consumers, 'consumer')}, ${countText(rest.berth.allocations, 'allocation')}\n`
        : differencesText(differences, look),
    )
    for (const { what, reason } of rest.unreadable) session.remark(`not compared: ${what}: ${reason}`)
    return isEqual ? exitCodes.ok : exitCodes.differences
  })
}

async function compareOften(session: Session, options: Options) {
  let stable: LedgerDifference[] | null = null
  for (let round = 1; ; round++) {
    const source = await readSource(session, options.with, options)
    const { ledger, untakable: unreadable } = source
    const here = await readOwnLedger(session, source)
    const found = compareLedgers(ledger, here, { generations: options.ignoreGenerations !== true })
    const seen: Set<string> | null = stable === null ? null : new Set(stable.map(keyOf))
    stable = seen === null ? found : found.filter(one => seen.has(keyOf(one)))
    if (stable.length === 0 || round === ROUNDS_MAX)
      return { placement: countLedger(ledger), berth: countLedger(here), unreadable, differences: stable }
  }
}

const keyOf = ({ kind, key, field }: LedgerDifference): string => `${kind} ${key} ${field}`

function differencesText(differences: readonly LedgerDifference[], { style }: Look): string {
  const lines = differences.slice(0, SHOWN_MAX).flatMap(({ kind, name, key, field, left, right }) => {
    const title = name === key ? `${kind} ${name}` : `${kind} ${name} (${key})`
    return [
      style.bold(`${title}: ${field}`),
      `  placement  ${JSON.stringify(left)}`,
      `  berth      ${JSON.stringify(right)}`,
    ]
  })
  const left = differences.length - SHOWN_MAX
  if (left > 0) lines.push(`and ${left} more; --json lists all`)
  return `${countText(differences.length, 'difference')}\n${lines.join('\n')}\n`
}
