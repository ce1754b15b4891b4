import { type ConsumerSlot, consumerSlot } from '../../kernel/ids.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { isServer } from '../../scheduling/hosts/host-figures.ts'
import { findZone, getHostRow, isHostUp } from '../../scheduling/hosts/hosts.ts'
import { findServerName, listHostsOfServer } from '../../scheduling/hosts/known-server.ts'
import { specOf } from '../../scheduling/hosts/server-spec.ts'
import {
  CONSUMERS_FOUND_MAX,
  type Consumer,
  consumerShape,
  consumersFoundShape,
  type FoundConsumer,
} from '../../wire/consumers.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

const FOUND_DEFAULT = 20
const MEMBERS_MAX = 100
/** Checks the clock after this many uuids. */
const UUIDS_PER_LOOK = 1_000

interface ConsumerContext {
  readonly world: World
  readonly defaultZone: () => string
}

/** Single consumers: servers, volumes, shares and anything else with allocations. */
export function consumerRoutes(context: ConsumerContext): V1Route[] {
  return [findRoute(context), showRoute(context)]
}

function findRoute({ world }: ConsumerContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/consumers',
    operation: 'berth:fleet',
    summary: 'Find consumers by name or uuid',
    description:
      'Servers, volumes, shares: whatever has allocations. Names are those of servers, as `POST /v1/schedule` was told them or ' +
      '`berth pull` found them. Upper and lower case are the same.',
    query: object(
      'What to list.',
      {
        q: text('A part of a name, or the beginning of a uuid.', { minLength: 1, maxLength: 255 }),
      },
      {
        limit: whole(`How many at most; default: ${FOUND_DEFAULT}.`, {
          minimum: 1,
          maximum: CONSUMERS_FOUND_MAX,
        }),
      },
    ),
    answer: { description: 'The consumers.', shape: consumersFoundShape },
    async handle({ query: { q, limit = FOUND_DEFAULT } }) {
      const found = await findByText(world, q.toLowerCase(), limit + 1)
      return {
        consumers: found.slice(0, limit).flatMap(uuid => foundBody(world, uuid)),
        truncated: found.length > limit,
      }
    },
  })
}

/** Those that are called so, then those whose name or uuid begins so, then those whose name contains it. */
async function findByText(world: World, text: string, most: number): Promise<string[]> {
  const ranks = [new Set<string>(), new Set<string>(), new Set<string>()] as const
  const turns = new Turns()
  let looked = 0
  // The keys of a map can be iterated while the map changes.
  for (const uuid of world.consumers.uuids()) {
    const found = ranks[rankOf(uuid, findServerName(world, uuid)?.toLowerCase() ?? '', text)]
    if (found !== undefined && found.size < most) found.add(uuid)
    if (ranks[0].size >= most) break
    if (++looked % UUIDS_PER_LOOK === 0) await turns.give()
  }
  return ranks.flatMap(found => [...found]).slice(0, most)
}

/** How well it fits: 0 best, 3 not at all. */
function rankOf(uuid: string, name: string, text: string): number {
  if (name === text || uuid === text) return 0
  if (name.startsWith(text) || uuid.startsWith(text)) return 1
  return name.includes(text) ? 2 : 3
}

function foundBody(world: World, uuid: string): FoundConsumer[] {
  const slot = world.consumers.find(uuid)
  if (slot === undefined) return []
  const { consumer_type, project_id } = world.consumers.row(slot)
  return [
    {
      uuid,
      name: world.compute.nameOf(slot),
      type: consumer_type,
      project_id,
      hosts: listHostNames(world, slot),
    },
  ]
}

const listHostNames = (world: World, slot: ConsumerSlot): string[] =>
  listHostsOfServer(world, slot).map(host => world.providers.name(host))

function showRoute(context: ConsumerContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/consumers/{uuid}',
    operation: 'berth:fleet',
    summary: 'Show a consumer: where it is and what it holds',
    description: 'With its hosts, its allocations, its server group and the flavor that was asked for.',
    params: { uuid: 'The uuid of the consumer.' },
    answer: { description: 'The consumer.', shape: consumerShape },
    problems: { 404: 'No consumer of this uuid has allocations.' },
    handle: ({ params }) => consumerBody(context, params.uuid as string),
  })
}

function consumerBody({ world, defaultZone }: ConsumerContext, given: string): Consumer {
  const { consumers, providers, classes, compute, shares, reservations } = world
  // First exactly as given, as Placement does; then in normal form.
  const uuid = consumers.find(given) === undefined ? (normalizeUuid(given) ?? given) : given
  const slot = consumers.find(uuid)
  if (slot === undefined)
    throw new Problem(404, 'consumers.missing', `No consumer ${uuid} has allocations.`, { uuid })
  const row = consumers.row(slot)
  const request = compute.getRequest(slot)
  const spec = request === undefined ? null : specOf(request)
  return {
    uuid,
    name: compute.nameOf(slot),
    type: row.consumer_type,
    generation: row.generation,
    project_id: row.project_id,
    user_id: row.user_id,
    updated_at: new Date(row.updated_at).toISOString(),
    is_server: isServer(world, slot),
    flavor: spec === null || spec.flavor.name === '' ? null : spec.flavor.name,
    zone: spec?.zone ?? null,
    same_host: spec?.hints.same_host ?? [],
    different_host: spec?.hints.different_host ?? [],
    hosts: listHostsOfServer(world, slot).map(host => {
      const row = getHostRow(world, host)
      return {
        name: providers.name(host),
        provider: providers.uuid(host),
        zone: findZone(world, host, defaultZone()),
        status: row.is_disabled === 1 ? 'disabled' : 'enabled',
        state: isHostUp(row) ? 'up' : 'down',
      }
    }),
    allocations: consumers.holdings(slot).map(one => ({
      provider: providers.uuid(one.provider),
      name: providers.name(one.provider),
      class: classes.name(one.class),
      used: one.used,
    })),
    server_group: groupBody(world, slot),
    share: shares.findShare(uuid)?.name ?? null,
    reservation: reservations.findOf(slot)?.name ?? null,
  }
}

function groupBody(world: World, slot: ConsumerSlot): Consumer['server_group'] {
  const { compute, consumers } = world
  const own = compute.groupOf(slot)
  if (own === undefined) return null
  const { uuid, name, policy } = compute.groups.row(own.group_id)
  const others = compute.listMembers(own.group_id).filter(member => member.consumer_id !== slot)
  return {
    uuid,
    name,
    policy,
    members: others.slice(0, MEMBERS_MAX).map(({ consumer_id }) => ({
      uuid: consumers.row(consumerSlot(consumer_id)).uuid,
      name: compute.nameOf(consumerSlot(consumer_id)),
      hosts: listHostNames(world, consumerSlot(consumer_id)),
    })),
    members_total: others.length,
  }
}
