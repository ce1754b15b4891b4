import type { Command } from 'commander'
import { encodeQuery } from '../../../client/placement.ts'
import { countText } from '../../../kernel/count-text.ts'
import type { Consumer } from '../../../wire/consumers.ts'
import type { ListedDecision } from '../../../wire/decisions.ts'
import { serverId } from '../../args/names.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { facts, flexible, type Look, right, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

const DECISIONS_SHOWN = '20'

export const describe: Describe = (group, around, end) => {
  group.description('Consumers: servers, volumes, shares, whatever has allocations.')
  describeShow(
    group.command('show').summary('show where a server is, what it holds and how it got there'),
    around,
    end,
  )
  describeFind(group.command('find').summary('find consumers by name or uuid'), around, end)
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Shows a server or another consumer: its hosts, its allocations, its server group, and the decisions about it, the newest first.',
    json: 'An object: {"consumer": as GET /v1/consumers/UUID returns it, "decisions": as GET /v1/decisions returns them}.',
    examples: ['berth consumer show web-1', 'berth consumer show 0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c'],
  }).argument('<consumer>', 'Its name or uuid.')
  whenRun(command, around, end, async (session, _options, given: string) => {
    const consumer = await session.berth.consumer(await serverId(session, given))
    const query = encodeQuery([
      ['instance', consumer.uuid],
      ['limit', DECISIONS_SHOWN],
    ])
    const { decisions } = await session.berth.decisions(query)
    session.print({ consumer, decisions }, look => consumerText(consumer, decisions, look))
  })
}

function consumerText(consumer: Consumer, decisions: readonly ListedDecision[], look: Look): string {
  const { hosts, server_group: group } = consumer
  const pairs: [string, string | null][] = [
    ['name', consumer.name],
    ['uuid', consumer.uuid],
    ['type', consumer.type],
    ['share', consumer.share],
    ['reservation', consumer.reservation],
    ['project', consumer.project_id],
    ['flavor', consumer.flavor],
    ['zone asked for', consumer.zone],
    [
      'where',
      hosts.map(one => `${one.name} (zone ${one.zone}, ${one.status}, ${one.state})`).join(', ') || 'no host',
    ],
    [
      'server group',
      group === null ? null : `${group.name} (${group.policy}), ${countText(group.members_total, 'other')}`,
    ],
    ['near', consumer.same_host.join(', ') || null],
    ['away from', consumer.different_host.join(', ') || null],
    ['changed', consumer.updated_at],
  ]
  return [
    facts(
      pairs.filter((pair): pair is [string, string] => pair[1] !== null),
      look,
    ),
    table(
      [flexible('PROVIDER'), 'CLASS', right('USED')],
      consumer.allocations.map(one => [one.name, one.class, one.used]),
      look,
    ),
    table(
      ['AT', 'DECISION', 'KIND', 'OUTCOME', flexible('HOSTS, OR WHY NOT')],
      decisions.map(one => [
        one.at,
        one.id,
        one.kind,
        one.outcome,
        one.reason ?? (one.placed.map(({ host }) => host).join(', ') || '-'),
      ]),
      look,
    ),
  ]
    .filter(part => part !== '')
    .join('\n')
}

function describeFind(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Finds consumers by a part of their name or by the beginning of their uuid, 100 at most.',
    json: 'An array of consumers: {"uuid", "name", "type", "project_id", "hosts"}.',
    examples: ['berth consumer find web', 'berth consumer find 0b7c'],
  }).argument('<text>', 'A part of a name, or the beginning of a uuid.')
  whenRun(command, around, end, async (session, _options, wanted: string) => {
    const { consumers, truncated } = await session.berth.findConsumers(wanted)
    session.printList(
      consumers,
      ['UUID', flexible('NAME'), 'TYPE', 'PROJECT', flexible('HOSTS')],
      one => [one.uuid, one.name ?? '-', one.type ?? '-', one.project_id, one.hosts.join(', ') || '-'],
      'no such consumer',
    )
    if (truncated) session.remark('there are more: write more of the name or uuid')
  })
}
