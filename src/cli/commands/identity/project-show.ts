import type { Command } from 'commander'
import type { ProjectFacts } from '../../../wire/projects.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { facts, right, table } from '../../render/table.ts'

const SERVERS_SHOWN = 20

type Quota = ProjectFacts['compute'][number]

/** Such as `3 of 50`. */
export const usageText = (quota: Quota | undefined): string =>
  quota === undefined ? '-' : quota.limit === null ? String(quota.used) : `${quota.used} of ${quota.limit}`

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

export function describeProjectShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: `Shows a project: who has which role in it, what it uses and its limits, what is reserved for it, and the ${SERVERS_SHOWN} servers that changed last.`,
    json: 'An object: {"project", "members", "servers"}: as GET /v1/projects/PROJECT, the role assignments of the identity API (null where a Keystone keeps them), and GET /v1/projects/PROJECT/servers return them.',
    examples: ['berth project show lab'],
  }).argument('<project>', 'The name or the id of the project.')
  whenRun(command, around, end, async (session, _options, text: string) => {
    const project = await session.accounts.project(text)
    const servers = await session.accounts.projectServers(project.id, `limit=${SERVERS_SHOWN}`)
    const identity = await session.identityIfAny()
    const assignments = identity === null ? null : await identity.assignments()
    const members = assignments?.filter(({ scope }) => scope.project.id === project.id) ?? null
    session.print({ project, members, servers }, look =>
      [
        facts(
          [
            ['id', project.id],
            ['name', project.name ?? '-'],
          ],
          look,
        ),
        `\n${table(
          ['resource', right('used'), right('limit')],
          [...project.compute, ...project.shares].map(({ resource, used, limit }) => [
            ...[resource, used, limit ?? '-'],
          ]),
          look,
        )}`,
        project.reservations.length === 0
          ? ''
          : `\nReserved:\n${table(
              ['reservation', 'flavor', right('places'), right('held'), right('used'), 'from', 'until'],
              project.reservations.map(({ name, flavor, count, held, used, from, until }) => [
                ...[name, flavor === '' ? '-' : flavor, count, held, used],
                ...[timeText(from), until === null ? '-' : timeText(until)],
              ]),
              look,
            )}`,
        members === null
          ? '\nMembers: a Keystone keeps them\n'
          : members.length === 0
            ? '\nMembers: none\n'
            : `\nMembers:\n${table(
                ['user', 'role'],
                members.map(({ user, role }) => [user.name, role.name]),
                look,
              )}`,
        servers.total === 0
          ? '\nServers: none\n'
          : `\nServers: ${servers.total}\n${table(
              ['uuid', 'flavor', 'status', 'zone', 'host', 'changed'],
              servers.servers.map(one => [
                ...[one.uuid, one.flavor ?? '-', one.status, one.zone],
                ...[one.hosts?.join(', ') ?? '-', one.changed_at.slice(0, 19)],
              ]),
              look,
            )}`,
      ].join(''),
    )
    if (servers.next !== null) session.remark(`only the ${SERVERS_SHOWN} servers that changed last`)
  })
}
