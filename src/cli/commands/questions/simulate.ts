import { emptyRecord } from '../../../kernel/records.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { failureText } from '../../render/failure.ts'
import { simulationText } from '../../render/simulation.ts'
import type { Describe } from '../describe-command.ts'
import { providerEnd } from '../ledger/allocation-specs.ts'
import { parseInventorySpecs } from '../ledger/inventory-specs.ts'
import { type AskOptions, addAskOptions, askOf, definedFields, SPEC_NOTES, whole } from './server-ask.ts'

interface SimulateOptions extends AskOptions {
  readonly drain?: readonly string[]
  readonly add?: readonly string[]
  readonly inventory?: readonly string[]
  readonly limit?: number
  readonly hosts?: number
  readonly fail?: readonly string[]
  readonly servers?: number
}

const NOTES = `${SPEC_NOTES}
A host to add is like=HOST, or what it has, such as VCPU=64,MEMORY_MB=262144; with name=NAME, count=NUMBER and
aggregate=NAME (which may be repeated) where they are to be otherwise.`

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Counts how many more servers fit: in all, by zone, host aggregate and host, and what limits it. With --drain, --add or ' +
      '--inventory, also after these changes, with where the servers of drained hosts would go. With --fail, instead: whether all servers would find ' +
      'a place if hosts failed, and the worst case. Nothing is written.',
    notes: NOTES,
    json:
      'The answer of POST /v1/simulate: {"revision", "before": {"fits", "hosts", "hosts_that_fit", "by_zone",\n' +
      '"by_aggregate", "by_host", "by_host_left_out", "ends", "is_cut", "is_exhausted"}, "after", "change", "added",\n' +
      '"drained", "stuck", "others", "warnings"}. With --fail that of POST /v1/simulate/failure: {"revision", "what", "survives",\n' +
      '"cases", "untried", "failing", "failing_left_out", "worst": {"hosts", "servers", "stuck", "moves", ...}, "is_exhausted"}.',
    examples: [
      'berth simulate m1.small',
      'berth simulate m1.small --drain compute-1 --drain compute-2',
      'berth simulate m1.small --add like=compute-1,count=10 --inventory compute-2:VCPU=64,allocation_ratio=8',
      'berth simulate m1.small --add name=new,count=4,VCPU=128,MEMORY_MB=524288,DISK_GB=4000,aggregate=rack-1',
      'berth simulate --fail host compute-1',
      'berth simulate --fail rack rack-1',
      'berth simulate --fail any-one-of gpu-hosts',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
  addAskOptions(command)
    .option(
      '--drain <host>',
      'Drain this host: it takes nothing new, and its servers move. Repeatable.',
      repeatable,
    )
    .option('--add <parts>', 'Add hosts. Repeatable.', repeatable)
    .option(
      '--inventory <provider:spec>',
      'Change an inventory, such as compute-1:VCPU=64,reserved=2. Repeatable.',
      repeatable,
    )
    .option('--limit <number>', 'The most servers to claim one by one. (default: 100000)', whole)
    .option('--hosts <number>', 'How many hosts to report. (default: 20)', whole)
    .option(
      '--fail <kind and name...>',
      'What fails: host HOST..., rack RACK, or any-one-of AGGREGATE. Without a flavor.',
    )
    .option('--servers <number>', 'With --fail, for how many servers to look. (default: 10000)', whole)
  whenRun(command, around, end, async (session, options: SimulateOptions, flavor: string | undefined) => {
    if (options.fail !== undefined) return simulateFailure(session, options, options.fail, flavor)
    const { drain, add, inventory, limit, hosts } = options
    const body = {
      ...(await askOf(session, flavor, options)),
      ...definedFields({ drain, add: add?.map(hostsIn), inventories: inventory?.map(inventoryIn), limit }),
      ...definedFields({ hosts_max: hosts }),
    }
    const simulation = await session.berth.simulate(body)
    session.print(simulation, look => simulationText(simulation, look))
    for (const { text } of simulation.warnings) session.note(`warning: ${text}`)
    return exitCodes.ok
  })
}

async function simulateFailure(
  session: Session,
  { servers }: SimulateOptions,
  fail: readonly string[],
  flavor: string | undefined,
) {
  if (flavor !== undefined)
    throw makeUsageError('--fail asks about the servers there are: leave the flavor out')
  const failure = await session.berth.simulateFailure({
    ...readFailure(fail),
    ...definedFields({ servers_max: servers }),
  })
  session.print(failure, look => failureText(failure, look))
  return failure.survives === 'yes' ? exitCodes.ok : exitCodes.nothing
}

function readFailure([kind, ...names]: readonly string[]): Record<string, unknown> {
  const [name] = names
  if (name !== undefined && kind === 'host') return { hosts: names }
  if (names.length === 1 && kind === 'rack') return { rack: name }
  if (names.length === 1 && kind === 'any-one-of') return { any_one_of: name }
  throw makeUsageError('--fail is followed by host HOST..., rack RACK, or any-one-of AGGREGATE')
}

/** `like=compute-1,count=3` or `name=new,VCPU=64`: keys in capitals are resource classes with their totals. */
export function hostsIn(text: string): Record<string, unknown> {
  const host: Record<string, unknown> = emptyRecord()
  const inventories: Record<string, { total: number }> = emptyRecord()
  const aggregates: string[] = []
  for (const part of text.split(',')) {
    const sign = part.search(/[=:]/)
    const [key, value] = [part.slice(0, Math.max(0, sign)), part.slice(sign + 1)]
    if (sign < 1 || value === '') throw makeUsageError(`--add: '${part}' is not KEY=VALUE`)
    if (Object.hasOwn(host, key) || Object.hasOwn(inventories, key))
      throw makeUsageError(`--add: ${key} is given twice`)
    if (key === 'aggregate') aggregates.push(value)
    else if (key === 'like' || key === 'name') host[key] = value
    else if (key === 'count') host.count = numberIn(part, value)
    else if (/^[A-Z][A-Z0-9_]*$/.test(key)) inventories[key] = { total: numberIn(part, value) }
    else
      throw makeUsageError(
        `--add: there is no ${key}; there are like, name, count, aggregate and resource classes`,
      )
  }
  return {
    ...host,
    ...(aggregates.length === 0 ? {} : { aggregates }),
    ...(Object.keys(inventories).length === 0 ? {} : { inventories }),
  }
}

function numberIn(part: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw makeUsageError(`--add: '${part}' has no whole number of 1 or more`)
  return Number(text)
}

/** A name may contain colons; a class may not. */
export function inventoryIn(text: string): Record<string, unknown> {
  const colon = providerEnd(text)
  if (colon < 1) throw makeUsageError(`--inventory: '${text}' is not PROVIDER:CLASS=TOTAL`)
  const [class_, ...rest] = text.slice(colon + 1).split(',')
  const bare = /^[A-Z0-9_]+$/.test(class_ ?? '')
  // Without a total, only the other fields change.
  const [spec] = parseInventorySpecs([bare ? `${class_}=${rest.join(',')}` : text.slice(colon + 1)])
  if (spec === undefined) throw makeUsageError(`--inventory: '${text}' is not PROVIDER:CLASS=TOTAL`)
  return { provider: text.slice(0, colon), class: spec[0], ...spec[1] }
}
