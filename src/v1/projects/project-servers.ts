import { findFlavor, type Server, Servers, sumHeld } from '../../compute/servers/servers.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import { findZone } from '../../scheduling/hosts/hosts.ts'
import { listHostsOfServer } from '../../scheduling/hosts/known-server.ts'
import type { ProjectServer, ProjectServers } from '../../wire/projects.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'

/** Checks the clock after this many servers. */
const SERVERS_PER_LOOK = 500

interface ServersQuestion {
  readonly project: string
  /** A part of names, or the beginning of uuids, in lower case. */
  readonly text: string
  readonly after: Position | null
  readonly limit: number
  readonly showsHosts: boolean
}

interface Position {
  readonly changedMs: number
  readonly uuid: string
}

/** The last changed first. */
const order = (a: Position, b: Position): number => b.changedMs - a.changedMs || byCodePoint(a.uuid, b.uuid)

interface Ordered extends Position {
  readonly server: Server
}

export async function listProjectServers(
  world: World,
  defaultZone: string,
  { project, text, after, limit, showsHosts }: ServersQuestion,
): Promise<ProjectServers> {
  const turns = new Turns()
  let kept: Ordered[] = []
  let total = 0
  let looked = 0
  const sortKept = () => {
    kept = kept.sort(order).slice(0, limit + 1)
  }
  for (const server of new Servers(world).ofProject(project)) {
    if (++looked % SERVERS_PER_LOOK === 0) await turns.give()
    if (!server.uuid.startsWith(text) && !world.compute.nameOf(server.slot)?.toLowerCase().includes(text))
      continue
    total++
    const one = { server, changedMs: server.writtenMs, uuid: server.uuid }
    if (after !== null && order(one, after) <= 0) continue
    kept.push(one)
    if (kept.length >= 2 * (limit + 1)) sortKept()
  }
  sortKept()
  const shown = kept.slice(0, limit)
  const last = shown.at(-1)
  return {
    // Some may be gone since their turn.
    servers: shown.flatMap(({ uuid }) => serverBody(world, uuid, defaultZone, showsHosts)),
    total,
    next: kept.length > limit && last !== undefined ? `${last.changedMs}-${last.uuid}` : null,
  }
}

function serverBody(world: World, uuid: string, defaultZone: string, showsHosts: boolean): ProjectServer[] {
  const server = new Servers(world).find(uuid)
  if (server === undefined) return []
  const { slot, host, writtenMs } = server
  const isScheduledHere = world.compute.getRequest(slot) !== undefined
  const { vcpus, ram, disk } = sumHeld(world, slot)
  const hosts = listHostsOfServer(world, slot)
  const member = world.compute.groupOf(slot)
  const flavor = isScheduledHere ? findFlavor(world, slot).name : ''
  return [
    {
      uuid,
      name: world.compute.nameOf(slot),
      status: hosts.length > 1 ? 'moving' : 'active',
      flavor: flavor === '' ? null : flavor,
      vcpus,
      ram,
      disk,
      zone: findZone(world, host, defaultZone),
      server_group: member === undefined ? null : world.compute.groups.row(member.group_id).name,
      changed_at: new Date(writtenMs).toISOString(),
      ...(showsHosts ? { hosts: hosts.map(one => world.providers.name(one)) } : {}),
    },
  ]
}

export function parsePosition(text: string | undefined): Position | null {
  if (text === undefined) return null
  const [, changedMs, uuid] = /^(\d{1,15})-(.{1,255})$/.exec(text) ?? []
  if (changedMs === undefined || uuid === undefined)
    throw new Problem(
      400,
      'projects.bad-position',
      `after: ${text} is not a value of next from an earlier answer.`,
      { field: 'after', value: text },
    )
  return { changedMs: Number(changedMs), uuid }
}
