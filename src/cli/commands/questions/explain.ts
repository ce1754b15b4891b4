import type { Command } from 'commander'
import { isUuidLike } from '../../../kernel/uuid.ts'
import { serverId } from '../../args/names.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { bootText } from '../../render/boot.ts'
import { explanationText } from '../../render/explanation.ts'
import { scheduleExplanationText } from '../../render/schedule-explanation.ts'
import { explainedShareText } from '../../render/share-explanation.ts'
import type { Describe } from '../describe-command.ts'
import { findShare } from '../shares/share.ts'
import {
  addCandidateOptions,
  CANDIDATE_NOTES,
  type CandidateOptions,
  candidateNames,
  candidateQuery,
} from './candidate-query.ts'
import {
  type AskOptions,
  addAskOptions,
  askOf,
  definedFields,
  SPEC_NOTES,
  specOf,
  whole,
} from './server-ask.ts'

export const describe: Describe = (group, around, end) => {
  describeCandidates(group, around, end)
  group.description(
    'Explains where a request fits and why: what Placement finds, what the scheduler chooses, or whether a share meets its hints; or, with the ' +
      'id of a request of Nova, why a boot failed. Without a subcommand and an id it is about candidates.',
  )
  group.argument('[request]', 'The id of a request of Nova: req-...')
  // Kept for the old form of the command; only the help of the subcommand shows them.
  for (const option of group.options) option.hideHelp()
  // Options after a subcommand belong to it, although most have the same names.
  group.enablePositionalOptions()
  describeSchedule(
    group.command('schedule').summary('why a server would go to its host, or finds none'),
    around,
    end,
  )
  describeCandidates(
    group.command('candidates').summary('why Placement finds these candidates, or none'),
    around,
    end,
  )
  describeServer(group.command('server').summary('all stages of the boot of a server of Nova'), around, end)
  describeShare(
    group.command('share').summary('whether a share meets its hints, and where it could be'),
    around,
    end,
  )
}

function describeServer(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Shows all stages of the boot of a server of Nova in the order of time: what Placement was asked, what the filters said, which claim was ' +
      'refused and why; then what would help now. `berth explain req-...` does the same for a request, as `openstack server event list` ' +
      'prints it. Nova names a server only after Placement found candidates: where it found none, ask with the request.',
    json: 'The answer of GET /v1/explain/boot/ID: {"id", "redacted", "stages", "is_cut", "servers", "now", "advice"}.',
    examples: [
      'berth explain server 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c',
      'berth explain req-7d31f0c2-5b1e-4e0a-9a57-3c1d2e3f4a5b',
    ],
  })
  command.argument('<server>', 'The uuid of the server.')
  whenRun(command, around, end, async (session, _options: object, server: string) => {
    await printBoot(session, server)
  })
}

async function printBoot(session: Session, id: string): Promise<void> {
  const boot = await session.berth.explainBoot(id)
  session.print(boot, look => bootText(boot, look))
}

function requireRequest(id: string, { resources, group, query }: CandidateOptions): string {
  if (!id.startsWith('req-'))
    throw makeUsageError(`'${id}' is neither a subcommand of explain nor the id of a request, req-...`)
  if (resources !== undefined || group !== undefined || query !== undefined)
    throw makeUsageError('the id of a request cannot be combined with --resources, --group or --query')
  return id
}

function describeShare(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Says whether a share meets its hints, and where it could be: for each pool the obstacles, and the share ' +
      'in conflict.',
    json: 'The answer of GET /v1/explain/share/{id}.',
    examples: ['berth explain share data'],
  })
  command.argument('<id>', 'The id or the name of the share.')
  whenRun(command, around, end, async (session, _options: object, id: string) => {
    const api = await session.shares()
    const explained = await api.explain((await findShare(api, id)).id)
    session.print(explained, look => explainedShareText(explained, look))
  })
}

function describeCandidates(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Explains where a request fits and why: how many providers and trees each part of it ' +
      'leaves, which hosts miss by least and by how much, and which single changes would give a ' +
      'candidate. Takes what `berth candidates` takes. `berth explain` with these options does the same.',
    notes: CANDIDATE_NOTES,
    json:
      'The answer of GET /v1/explain/allocation_candidates: {"revision", "candidates", "capped", "funnel",\n' +
      '"nearest", "changes"}.',
    examples: [
      'berth explain candidates --resources VCPU:64,MEMORY_MB:1048576',
      'berth explain candidates --resources VGPU:1 --required CUSTOM_GPU_A100 --in-tree compute-1',
      "berth explain candidates --query 'resources=VCPU:2&required=CUSTOM_A'",
    ],
  })
  addCandidateOptions(command)
  whenRun(command, around, end, async (session, options: CandidateOptions, request?: string) => {
    if (request !== undefined) return printBoot(session, requireRequest(request, options))
    const query = await candidateQuery(options, candidateNames(session))
    const explained = await session.berth.explain(query, options.microversion ?? null)
    session.print(explained, look => explanationText(explained, look))
  })
}

function describeSchedule(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Explains why a server would go to its host, or finds none: a histogram of the reasons, the funnels of filters and of ' +
      'Placement, the smallest changes that would help, and host by host every filter that refuses with what it compared. ' +
      'Takes what `berth schedule` takes; or a server, and explains its move.',
    notes: SPEC_NOTES,
    json:
      'The answer of POST /v1/explain/schedule: {"revision", "hosts", "with_room", "passed", "histogram", "funnel",\n' +
      '"query", "prefilters", "placement", "changes", "reports", "reports_left_out", "warnings"}.',
    examples: [
      'berth explain schedule m1.small --zone a',
      'berth explain schedule --vcpus 2 --ram 4096 --disk 20 --spec tier=gold --hosts 3',
      'berth explain schedule --server 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c',
    ],
  })
  addAskOptions(command)
    .option('--instance <server>', 'Explain the move of this server, by name or uuid. Also --server UUID.')
    .option('--allow-same-host', 'Of a move: allow its present host.')
    .option('--any-zone', 'Of a move: drop the requested zone; any zone is allowed.')
    .option('--hosts <number>', 'How many hosts to report. (default: 20)', whole)
  whenRun(command, around, end, async (session, options: ExplainOptions, flavor: string | undefined) => {
    const { instance, allowSameHost, hosts } = options
    const ask =
      instance === undefined
        ? await askOf(session, flavor, options)
        : await moveOf(session, instance, { ...options, ...(flavor === undefined ? {} : { flavor }) })
    const body = { ...ask, ...definedFields({ allow_same_host: allowSameHost, hosts_max: hosts }) }
    const explained = await session.berth.explainSchedule(body)
    session.print(explained, look => scheduleExplanationText(explained, look))
    for (const { text } of explained.warnings) session.note(`warning: ${text}`)
  })
  // `--server` names the server to talk to, but a uuid can only be the server that is to move.
  command.hook('preAction', () => {
    const { server } = command.opts<{ server?: string }>()
    if (!isUuidLike(server)) return
    command.setOptionValue('instance', server)
    command.setOptionValue('server', undefined)
  })
}

interface ExplainOptions extends AskOptions {
  readonly instance?: string
  readonly allowSameHost?: true
  readonly hosts?: number
}

async function moveOf(session: Session, instance: string, options: AskOptions & { flavor?: string }) {
  const { host, ignoreHost } = options
  return {
    instance: await serverId(session, instance),
    ...(await specOf(session, options)),
    ...definedFields({ host, ignore_hosts: ignoreHost }),
  }
}
