import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { ShareApi } from '../../../client/shares.ts'
import { parseKeyValues } from '../../args/key-values.ts'
import { repeatable } from '../../args/repeatable.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { flexible } from '../../render/table.ts'
import { findShare } from './share.ts'

const SHAPE = 'as the share API returns it'
const SHARE_ARGUMENT = 'The id or the name of the share.'

export function describeAccess(group: Command, around: ProcessEnvironment, end: End): void {
  group.description('Who may mount a share.')
  describeList(group.command('list').summary('list who may mount a share'), around, end)
  describeAdd(group.command('add').summary('allow a client to mount a share'), around, end)
  describeRemove(group.command('remove').summary('remove the access of a client'), around, end)
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the access rules of a share, with their states.',
    json: `An array of access rules, each ${SHAPE}.`,
    examples: ['berth share access list data'],
  }).argument('<share>', SHARE_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const api = await session.shares()
    const rules = await api.accessRules((await findShare(api, text)).id)
    session.printList(
      rules,
      ['id', 'type', flexible('to'), 'level', 'state'],
      one => [one.id, one.access_type, one.access_to, one.access_level, one.state],
      'nobody',
    )
  })
}

interface AddOptions {
  readonly type: string
  readonly readOnly?: true
  readonly metadata?: readonly string[]
}

function describeAdd(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lets an address, a network, a user or the owner of a certificate mount a share. Waits until the back end has applied ' +
      'it.',
    json: `The access rule, ${SHAPE}.`,
    examples: [
      'berth share access add data 10.0.0.0/24',
      'berth share access add data 10.0.0.7 --read-only',
      'berth share access add data alice --type user',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<share>', SHARE_ARGUMENT)
    .argument(
      '<client>',
      'Whom to let in: an address or a network such as 10.0.0.0/24, a user, or a common name.',
    )
    .addOption(
      new Option('--type <type>', 'What the client is.')
        .choices(['ip', 'user', 'cert', 'cephx'])
        .default('ip'),
    )
    .option('--read-only', 'It may read, but not write.')
    .option('--metadata <key=value>', 'Metadata of the rule; may be repeated.', repeatable)
  whenRun(command, around, end, async (session, options: AddOptions, text: string, client: string) => {
    const api = await session.shares()
    const { id: share } = await findShare(api, text)
    const made = await api.allowAccess(share, {
      access_type: options.type,
      access_to: client,
      access_level: options.readOnly === true ? 'ro' : 'rw',
      metadata: options.metadata === undefined ? {} : parseKeyValues(options.metadata),
    })
    const rule = (await waitForAccess(api, share, made.id)) ?? made
    session.print(rule, () => `${rule.id} ${rule.state}`)
    if (rule.state !== 'error') return
    const [message] = await api.messagesAbout(share, 'ERROR')
    throw new Stopped(message ?? 'the back end could not apply the rule', exitCodes.nothing)
  })
}

function describeRemove(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Removes an access rule of a share. Waits until the back end has withdrawn it.',
    examples: ['berth share access remove data 10.0.0.0/24'],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<share>', SHARE_ARGUMENT)
    .argument('<rule>', 'The id of the rule, or whom it lets in.')
  whenRun(command, around, end, async (session, _options, text: string, wanted: string) => {
    const api = await session.shares()
    const { id: share } = await findShare(api, text)
    const rules = await api.accessRules(share)
    const rule = rules.find(({ id }) => id === wanted) ?? rules.find(one => one.access_to === wanted)
    if (rule === undefined) throw new Stopped(`share ${text} has no rule for ${wanted}`, exitCodes.missing)
    await api.act(share, { deny_access: { access_id: rule.id } })
    if ((await waitForAccess(api, share, rule.id))?.state === 'error')
      throw new Stopped('the back end could not withdraw the rule; it tries again', exitCodes.nothing)
  })
}

const PAUSE_MS = 100
const TRIES_MAX = 300

/** Waits until the rule is active, failed or gone; after half a minute, returns it as it is. */
async function waitForAccess(api: ShareApi, share: string, id: string) {
  for (let tries = 0; ; tries++) {
    const rule = (await api.accessRules(share)).find(one => one.id === id)
    if (rule === undefined || ['active', 'error'].includes(rule.state) || tries === TRIES_MAX) return rule
    await sleep(PAUSE_MS)
  }
}
