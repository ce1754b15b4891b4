import { type Command, InvalidArgumentError } from 'commander'
import type { ShareApi } from '../../../client/shares.ts'
import type { Share } from '../../../wire/openstack-shares.ts'
import { parseKeyValues } from '../../args/key-values.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { shareExplanationText } from '../../render/share-explanation.ts'
import { byName, facts, flexible, right, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { definedFields } from '../questions/server-ask.ts'
import { describeAccess } from './share-access.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Shares, with hints to place them near or away from others.')
  describeList(group.command('list').summary('list shares'), around, end)
  describeShow(group.command('show').summary('show a share'), around, end)
  describeCreate(group.command('create').summary('make a share'), around, end)
  describeDelete(group.command('delete').summary('delete a share'), around, end)
  describeMigrate(group.command('migrate').summary('move a share to another pool'), around, end)
  describeAccess(group.command('access').summary('who may mount a share'), around, end)
  describeTypes(group.command('types').summary('list share types'), around, end)
  describePools(group.command('pools').summary('list pools'), around, end)
}

const SHAPE = 'as the share API returns it'
const SHARE_ARGUMENT = 'The id or the name of the share.'

export async function findShare(api: ShareApi, text: string): Promise<Share> {
  const shares = await api.shares(true)
  const byId = shares.find(one => one.id === text)
  const named = shares.filter(one => one.name === text)
  if (byId === undefined && named.length > 1)
    throw new Stopped(`${named.length} shares are named ${text}: use an id`, exitCodes.invalid)
  const found = byId ?? named[0]
  if (found === undefined) throw new Stopped(`there is no share ${text}`, exitCodes.missing)
  return found
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists shares.',
    json: `An array of shares, each ${SHAPE}.`,
    examples: ['berth share list', 'berth share list --all-projects'],
  }).option('--all-projects', 'Shares of all projects, for admins.')
  whenRun(command, around, end, async (session, options: { readonly allProjects?: true }) => {
    const shares = (await (await session.shares()).shares(options.allProjects === true)).toSorted(byName)
    session.printList(
      shares,
      ['id', flexible('name'), right('GB'), 'status', 'type', 'pool'],
      one => [one.id, one.name ?? '-', one.size, one.status, one.share_type_name, one.host || '-'],
      'no share',
    )
  })
}

function printShare(session: Session, share: Share, messages: readonly string[] = []): void {
  const pairs: [string, string][] = [
    ...([
      ['id', share.id],
      ['name', share.name ?? '-'],
      ['GB', String(share.size)],
      ['status', share.status],
      ['task', share.task_state ?? '-'],
      ['type', share.share_type_name],
      ['protocol', share.share_proto],
      ['zone', share.availability_zone ?? '-'],
      ['pool', share.host || '-'],
      ['project', share.project_id],
    ] as [string, string][]),
    ...Object.entries(share.metadata),
    ...messages.map((text): [string, string] => ['message', text]),
  ]
  session.print(share, look => facts(pairs, look))
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a share with its metadata, hints included, and the messages to its owner.',
    json: `The share, ${SHAPE}.`,
    examples: ['berth share show data'],
  }).argument('<share>', SHARE_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const api = await session.shares()
    const share = await findShare(api, text)
    printShare(session, share, session.asJson ? [] : await api.messagesAbout(share.id))
  })
}

/** The request was accepted, but the work failed. */
const failure = async (api: ShareApi, id: string, otherwise: string): Promise<Stopped> =>
  new Stopped((await api.messagesAbout(id, 'ERROR'))[0] ?? otherwise, exitCodes.nothing)

interface CreateOptions {
  readonly type?: string
  readonly protocol: string
  readonly zone?: string
  readonly sameHost?: readonly string[]
  readonly differentHost?: readonly string[]
  readonly hint?: readonly string[]
  readonly dryRun?: true
}

function gigabytes(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It is not a whole number above zero.')
  return Number(text)
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Creates a share. The server accepts it at once and creates it afterwards; if no pool fits, it ends in error, and ' +
      '`berth explain share` says why.',
    json: `The share, ${SHAPE}; with --dry-run, the answer of POST /v1/explain/share.`,
    examples: [
      'berth share create data 10',
      'berth share create replica 10 --different-host data',
      'berth share create scratch 10 --same-host data --dry-run',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<name>', 'Its name.')
    .argument('<gigabytes>', 'Its size in GB.', gigabytes)
    .option('--type <type>', 'The share type. (default: the default type)')
    .option('--protocol <protocol>', 'NFS or CIFS.', 'NFS')
    .option('--zone <zone>', 'The availability zone.')
    .option('--same-host <share>', 'On the back end of this share; may be repeated.', repeatable)
    .option('--different-host <share>', 'Not on the back end of this share; may be repeated.', repeatable)
    .option(
      '--hint <key=value>',
      'Another scheduler hint; may be repeated. The server warns about unknown ones.',
      repeatable,
    )
    .option('--dry-run', 'Only print where it would go, and why not elsewhere.')
  whenRun(command, around, end, async (session, options: CreateOptions, name: string, size: number) => {
    const api = await session.shares()
    const ids = (named: readonly string[] = []) =>
      Promise.all(named.map(async text => (await findShare(api, text)).id))
    const hints = { same_host: await ids(options.sameHost), different_host: await ids(options.differentHost) }
    const place = {
      ...(options.type === undefined ? {} : { share_type: options.type }),
      ...(options.zone === undefined ? {} : { availability_zone: options.zone }),
    }
    const others = options.hint === undefined ? {} : parseKeyValues(options.hint)
    const twice = Object.keys(hints).find(key => Object.hasOwn(others, key))
    if (twice !== undefined)
      throw makeUsageError(`--hint ${twice}: use --${twice.replace('_', '-')}, which takes names`)
    if (options.dryRun === true) {
      const { only_host, ...unread } = others
      const explained = await api.dryRun({
        size,
        ...place,
        ...hints,
        ...definedFields({ only_host }),
        hints: unread,
      })
      session.print(explained, look => shareExplanationText(explained, look))
      return explained.fits ? exitCodes.ok : exitCodes.nothing
    }
    const named = Object.entries(hints).filter(([, ids]) => ids.length > 0)
    const scheduler_hints = { ...Object.fromEntries(named), ...others }
    const fields = { name, size, share_proto: options.protocol, ...place, scheduler_hints }
    const made = await api.createShare(fields)
    printShare(session, made)
    // The server accepts the request before it looks for a pool.
    if ((await api.share(made.id)).status === 'error') throw await failure(api, made.id, 'no pool fits')
    return exitCodes.ok
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a share.',
    examples: ['berth share delete data', 'berth share delete data --force'],
    exits: [exitCodes.conflict],
  })
    .argument('<share>', SHARE_ARGUMENT)
    .option('--force', 'In any state; for admins.')
  whenRun(command, around, end, async (session, options: { readonly force?: true }, text: string) => {
    const api = await session.shares()
    const { id } = await findShare(api, text)
    if (options.force === true) await api.act(id, { force_delete: null })
    else await api.deleteShare(id)
  })
}

interface MigrateOptions {
  readonly type?: string
  readonly force?: true
  readonly preserveSnapshots?: true
  readonly complete?: true
  readonly cancel?: true
}

function describeMigrate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Moves a share in two steps: it is copied while it stays in use, and `--complete` brings the copy up to date and ' +
      'replaces the share by it. Hints of the share, and of shares that name it, are respected unless `--force` is given.',
    examples: [
      'berth share migrate data farm@beta#b1',
      'berth share migrate data farm@beta#b1 --force',
      'berth share migrate data --complete',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('<share>', SHARE_ARGUMENT)
    .argument('[pool]', 'Where to: host@backend#pool.')
    .option('--type <id>', 'The id of its new share type.')
    .option('--force', 'Ignore the hints; the share keeps a note of that.')
    .option('--preserve-snapshots', 'Move its snapshots too.')
    .option('--complete', 'The second step.')
    .option('--cancel', 'Cancel the first step.')
  whenRun(command, around, end, async (session, options: MigrateOptions, text: string, pool?: string) => {
    const api = await session.shares()
    const { id } = await findShare(api, text)
    if (options.complete === true) return api.act(id, { migration_complete: null })
    if (options.cancel === true) return api.act(id, { migration_cancel: null })
    if (pool === undefined) throw new Stopped('name the target: host@backend#pool', exitCodes.usage)
    await api.act(id, {
      migration_start: {
        host: pool,
        writable: false,
        nondisruptive: false,
        preserve_metadata: false,
        preserve_snapshots: options.preserveSnapshots === true,
        force: options.force === true,
        ...(options.type === undefined ? {} : { new_share_type_id: options.type }),
      },
    })
    if ((await api.share(id)).task_state === 'migration_error')
      throw await failure(api, id, 'it cannot be moved there')
  })
}

function describeTypes(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists share types.',
    json: `An array of share types, each ${SHAPE}.`,
    examples: ['berth share types'],
  })
  whenRun(command, around, end, async session => {
    const types = (await (await session.shares()).types()).toSorted(byName)
    session.print(types, look =>
      table(
        ['name', 'default', 'public', flexible('extra specs')],
        types.map(type => [
          ...[type.name, type.is_default ? 'yes' : 'no', type['share_type_access:is_public'] ? 'yes' : 'no'],
          Object.entries(type.extra_specs)
            .map(([key, value]) => `${key}=${value}`)
            .join(', '),
        ]),
        look,
      ),
    )
  })
}

function describePools(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the pools of all share back ends, for admins.',
    json: `An array of pools, each ${SHAPE}.`,
    examples: ['berth share pools'],
  })
  whenRun(command, around, end, async session => {
    const pools = (await (await session.shares()).pools()).toSorted(byName)
    const figure = (value: unknown) => String(value ?? '-')
    session.print(pools, look =>
      table(
        ['pool', right('total GB'), right('used GB'), right('reserved %')],
        pools.map(({ name, capabilities: can }) => [
          name,
          ...[can.total_capacity_gb, can.allocated_capacity_gb, can.reserved_percentage].map(figure),
        ]),
        look,
      ),
    )
  })
}
