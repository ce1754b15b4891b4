import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config } from '../../../config/keys.ts'
import { readConfiguredStatus } from '../../../server/start.ts'
import type { StoreStatus } from '../../../store/store-status.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { describeOsloProgram } from './describe-program.ts'
import { ArgumentsRefused } from './oslo-arguments.ts'
import type { OsloProgram, Setup } from './oslo-program.ts'
import { boxes, wrapped } from './pretty-table.ts'

const HELP = `Commands:
  upgrade check   Check whether the store and the configuration are ready for this version. [--json]`

const UNEXPECTED = 255
const DETAILS_WIDTH = 58

const codes = { Success: 0, Warning: 1, Failure: 2 } as const
type Result = keyof typeof codes

interface Check {
  readonly name: string
  readonly result: Result
  readonly details: string | null
}

export const placementStatus: OsloProgram = {
  name: 'placement-status',
  usage: 'usage: placement-status [-h] [--version] [--config-dir DIR] [--config-file PATH] {upgrade} ...',
  help: HELP,
  failed: UNEXPECTED,
  choose([category, command, ...rest]) {
    if (category === undefined) return null
    if (category !== 'upgrade') throw invalidChoice(category, 'upgrade')
    if (command === undefined) return 'help'
    if (command !== 'check') throw invalidChoice(command, 'check')
    const others = rest.filter(word => word !== '--json')
    if (others.length > 0) throw new ArgumentsRefused(`unrecognized arguments: ${others.join(' ')}`)
    return setup => checkUpgrade(setup, rest.includes('--json'))
  },
}

const invalidChoice = (given: string, allowed: string): ArgumentsRefused =>
  new ArgumentsRefused(`argument command: invalid choice: '${given}' (choose from ${allowed})`)

export function describe(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeOsloProgram(command, around, end, placementStatus, {
    description:
      'Does what placement-status of OpenStack’s Placement does: says whether the store and the configuration are ready for this ' +
      'version of Berth. It changes nothing and may run beside a server.',
    notes: `${HELP}\n\nExit codes: 0 all is well; 1 a warning; 2 a failure, or wrong arguments; 255 it could not be found out.`,
    examples: [
      'placement-status upgrade check',
      'berth placement-status upgrade check',
      'placement-status upgrade check --json',
    ],
  })
}

async function checkUpgrade({ config, around }: Setup, asJson: boolean): Promise<number> {
  const status = await readConfiguredStatus(config, around)
  const checks: Check[] = [
    checkRoots(status),
    checkConsumers(status),
    await checkPolicyFile(config),
    checkSchema(status),
  ]
  around.stdout.write(asJson ? jsonOf(checks) : textOf(checks))
  return Math.max(...checks.map(({ result }) => codes[result]))
}

function checkRoots({ providersWithoutRoot: count }: StoreStatus): Check {
  const name = 'Missing Root Provider IDs'
  if (count === 0) return { name, result: 'Success', details: null }
  return {
    name,
    result: 'Failure',
    details: `${count} resource providers have a parent that does not exist. Run "berth verify".`,
  }
}

function checkConsumers({ missingConsumers: count }: StoreStatus): Check {
  const name = 'Incomplete Consumers'
  if (count === 0) return { name, result: 'Success', details: null }
  return {
    name,
    result: 'Warning',
    details: `${count} consumers of allocations do not exist. Run "berth verify".`,
  }
}

async function checkPolicyFile({ policy_file }: Config): Promise<Check> {
  const name = 'Policy File JSON to YAML Migration'
  const text = policy_file === null ? '' : await readFile(policy_file, 'utf8').catch(() => null)
  if (text === null) return { name, result: 'Failure', details: `${policy_file} cannot be read.` }
  if (!/^\uFEFF?\s*\{/.test(text)) return { name, result: 'Success', details: null }
  return {
    name,
    result: 'Failure',
    details:
      `${policy_file} is JSON, which oslo.policy no longer wants. Write it as YAML, for instance with ` +
      'oslopolicy-convert-json-to-yaml.',
  }
}

function checkSchema({ version, newest }: StoreStatus): Check {
  const name = 'Database Schema'
  if (version === newest) return { name, result: 'Success', details: null }
  if (version !== null && version > newest)
    return {
      name,
      result: 'Failure',
      details: `The store has schema version ${version}, and this version of Berth knows only up to ${newest}.`,
    }
  const what =
    version === null
      ? 'The store has no tables yet'
      : `The store has schema version ${version}, not ${newest}`
  return {
    name,
    result: 'Warning',
    details: `${what}. Run "placement-manage db sync"; the next start does it, too.`,
  }
}

const TITLE = 'Upgrade Check Results'

function textOf(checks: readonly Check[]): string {
  const block = ({ name, result, details }: Check) => [
    `Check: ${name}`,
    `Result: ${result}`,
    ...detailLines(details ?? 'None'),
  ]
  return boxes([[TITLE], ...checks.map(block)])
}

/** Lines after the first are indented. */
function detailLines(details: string): string[] {
  const [first = '', ...rest] = wrapped(details, DETAILS_WIDTH)
  return [`Details: ${first}`, ...rest.map(line => `  ${line}`)]
}

function jsonOf(checks: readonly Check[]): string {
  const content = checks.map(({ name, result, details }) => ({ check: name, result: codes[result], details }))
  return `${JSON.stringify({ name: TITLE, checks: content })}\n`
}
