import type { Command } from 'commander'
import { isRefused } from '../../../client/http.ts'
import { countText } from '../../../kernel/count-text.ts'
import { emptyRecord } from '../../../kernel/records.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { COUNT_MAX, type PlacedServer, type Scheduled } from '../../../wire/scheduling.ts'
import { serverTitle } from '../../../words/server-title.ts'
import { serverId } from '../../args/names.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { choiceLine } from '../../render/funnel.ts'
import { resourcesText } from '../../render/inventories.ts'
import { flexible, table } from '../../render/table.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'
import {
  type AskOptions,
  addAskOptions,
  addImageOptions,
  addSpecOptions,
  askOf,
  definedFields,
  imageOf,
  SPEC_NOTES,
  type SpecOptions,
  specOf,
  whole,
} from './server-ask.ts'

interface WayOptions {
  readonly alternates?: number
  readonly dryRun?: true
  readonly seed?: number
}

const addWayOptions = (command: Command): Command =>
  command
    .option(
      '--alternates <number>',
      'How many alternate hosts to name for each server, at most 10. (default: 2)',
      whole,
    )
    .option('--dry-run', 'Do everything but the claim.')
    .option('--seed <number>', 'Seed of the random choices. (default: a new one)', whole)

const wayOf = ({ alternates, dryRun, seed }: WayOptions) =>
  definedFields({ alternates, dry_run: dryRun, seed })

const SCHEDULED_JSON =
  'The answer of POST /v1/schedule: {"decision", "dry_run", "placed": [{"instance", "host", "provider", "allocations",\n' +
  '"mappings", "alternates"}], "choice", "selections", "warnings", "source_kept_by"}.'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Chooses hosts for servers and claims them, in one call, all or nothing: Placement’s candidates, the filters, ' +
      'the weighers, the claim.',
    notes: SPEC_NOTES,
    json: SCHEDULED_JSON,
    examples: [
      'berth schedule m1.small --name web',
      'berth schedule m1.small --count 3 --zone a --hint different_host=6f4b5b0e-5d1c-4f0e-9a50-6f1a3c2d9e01',
      'berth schedule --vcpus 2 --ram 4096 --disk 20 --spec tier=gold --dry-run',
      'berth schedule --resources VCPU=2,MEMORY_MB=4096 --request-group _NET resources=SRIOV_NET_VF:1',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
  addAskOptions(command)
    .option('--count <number>', 'How many servers, at most 100. (default: 1)', whole)
    .option('--name <name>', 'The name of the server; with a count it becomes NAME-1, NAME-2 and so on.')
    .option('--instance <uuid>', 'The consumer of a server. Repeatable. (default: new ones)', repeatable)
  addWayOptions(command)
  whenRun(command, around, end, async (session, options: ScheduleOptions, flavor: string | undefined) => {
    const { count, instance, name } = options
    const body = {
      ...(await askOf(session, flavor, options)),
      ...definedFields({ count, instances: instance, names: namesOf(name, count ?? instance?.length ?? 1) }),
      ...wayOf(options),
    }
    return runPlacement(session, "'berth explain schedule' with the same options", () =>
      session.berth.schedule(body),
    )
  })
}

type ScheduleOptions = AskOptions &
  WayOptions & { readonly name?: string; readonly count?: number; readonly instance?: readonly string[] }

/** As Nova names several servers of one request. */
function namesOf(name: string | undefined, count: number): string[] | undefined {
  if (name === undefined) return undefined
  return count === 1
    ? [name]
    : Array.from({ length: Math.min(count, COUNT_MAX) }, (_, at) => `${name}-${at + 1}`)
}

/** Prints the chosen hosts, or the command that explains why there is none. */
async function runPlacement(session: Session, explain: string, ask: () => Promise<Scheduled>) {
  try {
    const answer = await ask()
    session.print(answer, look => placesText(answer, look))
    for (const { text } of answer.warnings) session.note(`warning: ${text}`)
    if (answer.source_kept_by !== null && !session.asJson)
      session.note(`${answer.source_kept_by} holds the old allocations until you delete them`)
    return exitCodes.ok
  } catch (error) {
    if (!isRefused(error, 409, 'schedule.no-host')) throw error
    session.note(error.message)
    session.note(`decision ${error.facts.decision}; ${explain} says why`)
    return exitCodes.nothing
  }
}

function placesText(answer: Scheduled, look: Session['look']): string {
  const { placed: servers, dry_run, decision, choice } = answer
  const count = countText(servers.length, 'server')
  const head = look.style.good(dry_run ? `${count} would be placed` : `${count} placed`)
  const rows = servers.map(({ instance, name, alternates, ...place }) => [
    ...[serverTitle(instance, name), place.host, takenText(place)],
    alternates.map(({ host }) => host).join(', ') || '-',
  ])
  const columns = ['SERVER', flexible('HOST'), flexible('TAKES'), flexible('ALTERNATES')] as const
  const chosen = choice === null ? '' : `\n${look.style.dim(escapeControls(choiceLine(choice)))}\n`
  return `${head} ${look.style.dim(`decision ${decision}`)}\n\n${table(columns, rows, look)}${chosen}`
}

/** The resources of a server, added up over the providers of the tree. */
function takenText({ allocations }: Pick<PlacedServer, 'allocations'>): string {
  const sums: Record<string, number> = emptyRecord()
  for (const resources of Object.values(allocations))
    for (const [name, amount] of Object.entries(resources)) sums[name] = (sums[name] ?? 0) + amount
  return resourcesText(sums)
}

export const describeMove: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Moves a server to another host: repeats its request with the changes given here, and ' +
      'claims the new host in the commit that releases the old one.',
    notes: SPEC_NOTES,
    json: SCHEDULED_JSON,
    examples: [
      'berth move web-1',
      'berth move 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c --host compute-7 --keep-source',
      'berth move 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c --flavor m1.large --allow-same-host',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<server>', 'The name or uuid of the server.')
    .option('--flavor <flavor>', 'Another flavor, by id or name.')
  addSpecOptions(command)
    .option('--any-zone', 'Drop the requested zone; any zone is allowed.')
    .option('--host <host>', 'The host that it must move to, by name or uuid.')
    .option('--ignore-host <host>', 'A host to exclude. Repeatable.', repeatable)
    .option('--allow-same-host', 'Allow its present host, for example for another flavor.')
    .option('--keep-source', 'Keep the old allocations, held by a second consumer.')
  addWayOptions(command)
  whenRun(command, around, end, async (session, options: MoveOptions, server: string) => {
    const instance = await serverId(session, server)
    const { host, ignoreHost, allowSameHost, keepSource } = options
    const spec = await specOf(session, options)
    const body = {
      instance,
      ...spec,
      ...wayOf(options),
      ...definedFields({
        host,
        ignore_hosts: ignoreHost,
        allow_same_host: allowSameHost,
        keep_source: keepSource,
      }),
    }
    return runPlacement(session, explainMove(instance, options, spec), () => session.berth.move(body))
  })
}

/** The command that explains the same move: with its target, without the server's properties. */
function explainMove(instance: string, options: MoveOptions, spec: Record<string, unknown>): string {
  const { flavor, host, ignoreHost = [], allowSameHost } = options
  const words = [
    ...['berth', 'explain', 'schedule', ...(flavor === undefined ? [] : [flavor]), '--server', instance],
    ...(host === undefined ? [] : ['--host', host]),
    ...ignoreHost.flatMap(one => ['--ignore-host', one]),
    ...(allowSameHost ? ['--allow-same-host'] : []),
  ]
  const hasMore = Object.keys(spec).some(name => name !== 'flavor' || flavor === undefined)
  return `'${words.map(shellWord).join(' ')}'${hasMore ? ' with the other options' : ''}`
}

interface MoveOptions extends SpecOptions, WayOptions {
  readonly host?: string
  readonly ignoreHost?: readonly string[]
  readonly allowSameHost?: true
  readonly keepSource?: true
}

export const describeRebuild: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Checks whether a server may be rebuilt on its host with another image: the filters that read images judge the host ' +
      'again. If it may, a later move asks for that image.',
    json: 'The answer of POST /v1/rebuild: {"decision", "instance", "host", "provider"}.',
    examples: ['berth rebuild 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c --image-property hw_architecture=x86_64'],
    exits: [exitCodes.nothing, exitCodes.conflict],
  }).argument('<server>', 'The name or uuid of the server.')
  addImageOptions(command)
  whenRun(command, around, end, async (session, options: SpecOptions, server: string) => {
    const image = imageOf(options)
    if (image === undefined)
      throw makeUsageError('describe the image: --image-id, --disk-format or --image-property')
    const instance = await serverId(session, server)
    try {
      const answer = await session.berth.rebuild({ instance, image })
      session.print(
        answer,
        look => `${look.style.good(`${instance} may be rebuilt on ${escapeControls(answer.host)}`)}\n`,
      )
      return exitCodes.ok
    } catch (error) {
      if (!isRefused(error, 409, 'schedule.rebuild-refused')) throw error
      session.note(error.message)
      return exitCodes.nothing
    }
  })
}
