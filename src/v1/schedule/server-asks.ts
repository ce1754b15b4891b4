import type { Credentials } from '../../http/api.ts'
import { countText } from '../../kernel/count-text.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { nearestName } from '../../kernel/nearest-name.ts'
import { emptyRecord } from '../../kernel/records.ts'
import { isUuidLike, normalizeUuid } from '../../kernel/uuid.ts'
import type { JsonObject } from '../../scheduling/framework/json-value.ts'
import { partsOf, type SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { findHostByName, isHost } from '../../scheduling/hosts/hosts.ts'
import {
  EMPTY_SPEC,
  listHostsOfServer,
  makeMoveAsk,
  makeSizedFlavor,
} from '../../scheduling/hosts/known-server.ts'
import { readHints } from '../../scheduling/hosts/query/hints.ts'
import { findUnreadHints } from '../../scheduling/hosts/registry.ts'
import {
  type GroupSpec,
  type ServerAsk,
  type ServerSpec,
  toFlavorSpec,
} from '../../scheduling/hosts/server-spec.ts'
import { type AskBody, COUNT_MAX, type MoveBody } from '../../wire/scheduling.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import type { World } from '../../world/world.ts'
import { Problem, toCloudOwnedProblem } from '../api/problem.ts'
import { parseImage } from './image-body.ts'
import { makeServerMissing } from './schedule-answers.ts'

export interface Warning {
  readonly code: string
  readonly text: string
}

/** Converts a body to an ask of the scheduler. Throws a problem that names the fault. */
export function parseAsk(
  world: World,
  body: AskBody,
  { projectId, userId }: Pick<Credentials, 'projectId' | 'userId'>,
): Omit<ServerAsk, 'instances'> {
  if (body.flavor === undefined && body.groups === undefined)
    throw new Problem(400, 'request.invalid', 'Give either flavor or groups.', {
      field: 'flavor',
    })
  const host = body.host === undefined ? null : findHost(world, body.host)
  const not_hosts = (body.ignore_hosts ?? []).map(one => findHost(world, one))
  requireWanted(host, not_hosts, body)
  return {
    operation: 'create',
    generation: null,
    host,
    not_hosts,
    spec: changeSpec(world, EMPTY_SPEC, body),
    project: requireKnown(body.project_id ?? projectId, 'project_id'),
    user: requireKnown(body.user_id ?? userId, 'user_id'),
    group: groupIn(world, body),
  }
}

/** Only the cloud that runs a server may move it; Berth offers a dry run that shows where it could go. */
export function requireOwnServer(world: World, instance: string): void {
  const slot = world.consumers.find(normalizeUuid(instance) ?? instance)
  const cloud = slot === undefined ? null : cloudOf(world.compute.getRequest(slot)?.applied_by)
  if (cloud !== null) throw toCloudOwnedProblem({ kind: 'cloud-owned', cloud, what: `server ${instance}` })
}

/** Converts a body to an ask to move a server. Throws a problem if it is not a server. */
export function parseMove(world: World, body: MoveBody): ServerAsk {
  const instance = normalizeOrKeep(body.instance)
  const server = world.consumers.find(instance)
  if (server === undefined) throw makeServerMissing({ instance, type: null })
  const ask = makeMoveAsk(world, server)
  const here = listHostsOfServer(world, server).map(slot => world.providers.uuid(slot))
  if (body.from_host !== undefined) requireSource(world, instance, here, body.from_host)
  const host = body.host === undefined ? null : findHost(world, body.host)
  const ignored = (body.ignore_hosts ?? []).map(one => findHost(world, one))
  requireWanted(host, ignored, body)
  if (host !== null && here.includes(host) && body.allow_same_host !== true)
    throw new Problem(409, 'schedule.same-host', `${instance} is on ${body.host} already.`, { instance })
  return {
    ...ask,
    host,
    spec: changeSpec(world, ask.spec, body),
    not_hosts: body.allow_same_host === true ? ignored : [...ignored, ...here],
  }
}

/** The claim checks that the server has not changed since, so that no other move comes between. */
function requireSource(world: World, instance: string, here: readonly string[], from: string): void {
  if (here.length === 1 && here[0] === findHost(world, from)) return
  const hosts = here.map(uuid => world.providers.name(world.providers.find(uuid) as ProviderSlot))
  const where = hosts.length === 0 ? 'on no host' : `on ${hosts.join(' and ')}`
  throw new Problem(409, 'schedule.source-changed', `${instance} is ${where}, and not only on ${from}.`, {
    instance,
    hosts,
    from_host: from,
  })
}

/** What a move ignores or does not know. */
export function listMoveWarnings(world: World, body: MoveBody): Warning[] {
  const server = world.consumers.find(normalizeOrKeep(body.instance))
  const isKnown = server !== undefined && world.compute.getRequest(server) !== undefined
  const asksAnew = body.flavor !== undefined || body.groups !== undefined
  return [
    ...(isKnown || asksAnew
      ? []
      : [
          {
            code: 'move.request-unknown',
            text: 'It was not scheduled here, so the request is for what it holds now, without traits, zone and hints.',
          },
        ]),
    ...(body.hints?.group === undefined
      ? []
      : [{ code: 'move.group-kept', text: 'A move keeps the server group: the hint group has no effect.' }]),
  ]
}

function requireWanted(
  host: string | null,
  ignored: readonly string[],
  body: { readonly host?: string },
): void {
  if (host !== null && ignored.includes(host))
    throw new Problem(400, 'request.invalid', `ignore_hosts: ${body.host} is the only host to consider.`, {
      field: 'ignore_hosts',
    })
}

function requireKnown(id: string | null, field: string): string {
  if (id !== null && id !== '') return id
  throw new Problem(400, 'request.invalid', `The token has no ${field}, so the body must have it.`, { field })
}

type SpecBody = Pick<
  AskBody,
  'flavor' | 'groups' | 'group_policy' | 'image' | 'volume_backed' | 'zone' | 'hints'
>

/** A spec with the changes of the body. */
function changeSpec(world: World, spec: ServerSpec, body: SpecBody): ServerSpec {
  if (body.flavor !== undefined && body.groups !== undefined)
    throw new Problem(400, 'request.invalid', 'Give either flavor or groups, not both.', { field: 'groups' })
  const { image, hints } = body
  const changed: ServerSpec = {
    ...spec,
    ...(body.flavor === undefined ? {} : { flavor: parseFlavor(world, body.flavor), groups: null }),
    ...(body.groups === undefined ? {} : parseGroups(body.groups)),
    ...(body.group_policy === undefined ? {} : { group_policy: body.group_policy }),
    ...(image === undefined ? {} : { image: parseImage(image) }),
    ...(body.volume_backed === undefined ? {} : { volume_backed: body.volume_backed }),
    ...(body.zone === undefined ? {} : { zone: body.zone }),
    ...(hints === undefined ? {} : { hints: parseHints(hints as JsonObject) }),
  }
  if (body.group_policy !== undefined && changed.groups === null)
    throw new Problem(
      400,
      'request.invalid',
      'group_policy goes with groups; for a flavor set the extra spec group_policy.',
      { field: 'group_policy' },
    )
  const length = JSON.stringify(changed).length
  if (length > SPEC_LENGTH_MAX)
    throw new Problem(
      400,
      'request.invalid',
      `The stored request of a server may have at most ${SPEC_LENGTH_MAX} characters as JSON; this has ${length}.`,
      { length, max: SPEC_LENGTH_MAX },
    )
  return changed
}

/** For flavor, groups, image and hints together. */
const SPEC_LENGTH_MAX = 65_536

function parseFlavor({ compute }: World, flavor: NonNullable<SpecBody['flavor']>): ServerSpec['flavor'] {
  if (typeof flavor !== 'string') {
    const { name = '', vcpus, ram, disk, ephemeral = 0, swap = 0, extra_specs = {} } = flavor
    return { id: name, name, vcpus, ram, disk, ephemeral, swap, extra_specs }
  }
  const row = compute.flavors.find(flavor) ?? compute.findFlavorByName(flavor)
  if (row === undefined)
    throw new Problem(404, 'schedule.flavor-missing', `There is no flavor with the id or name ${flavor}.`, {
      flavor,
    })
  return toFlavorSpec(row, compute.getExtraSpecs(row.id))
}

const SUFFIX = /^[a-zA-Z0-9_-]{0,64}$/

function parseGroups(groups: NonNullable<SpecBody['groups']>): Pick<ServerSpec, 'flavor' | 'groups'> {
  const total: Record<string, number> = emptyRecord()
  const all = Object.entries(groups).map(([suffix, group]): GroupSpec => {
    if (!SUFFIX.test(suffix))
      throw new Problem(
        400,
        'request.invalid',
        `groups: ${JSON.stringify(suffix)} is not a suffix: use at most 64 letters, digits, - and _.`,
        { field: 'groups' },
      )
    for (const [name, amount] of Object.entries(group.resources)) total[name] = (total[name] ?? 0) + amount
    return {
      suffix,
      resources: group.resources,
      required: (group.required ?? []).map(one => (typeof one === 'string' ? [one] : one)),
      forbidden: group.forbidden ?? [],
      member_of: (group.member_of ?? []).map(uuids => uuids.map(normalizeOrKeep)),
      in_tree: group.in_tree === undefined ? null : normalizeOrKeep(group.in_tree),
    }
  })
  return { flavor: makeSizedFlavor(total), groups: all }
}

const normalizeOrKeep = (uuid: string): string => normalizeUuid(uuid) ?? uuid

function parseHints(given: JsonObject): ServerSpec['hints'] {
  const { hints, faults } = readHints(given)
  const [fault] = faults
  if (fault !== undefined)
    throw new Problem(
      400,
      'schedule.bad-hint',
      `The hint ${fault.hint} must name a server: ${JSON.stringify(fault.value)} is not a uuid.`,
      { hint: fault.hint, value: fault.value },
    )
  return {
    same_host: hints.sameHost.map(normalizeOrKeep),
    different_host: hints.differentHost.map(normalizeOrKeep),
    query: hints.query,
  }
}

/** The uuid of a host by name or uuid. */
export function findHost(world: World, text: string): string {
  const named = findHostByName(world, text)
  const slot = named ?? (isUuidLike(text) ? world.providers.find(normalizeOrKeep(text)) : undefined)
  if (slot === undefined || !isHost(world, slot))
    throw new Problem(404, 'schedule.host-missing', `There is no host ${text}.`, { host: text })
  return world.providers.uuid(slot)
}

function groupIn({ compute }: World, { server_group, hints }: AskBody): string | null {
  const hinted = hints?.group ?? null
  const wanted = [server_group ?? [], hinted === null ? [] : hinted].flat() as unknown[]
  const makeProblem = (reason: string) =>
    new Problem(400, 'schedule.bad-hint', `The hint group ${reason}.`, { hint: 'group', value: hinted })
  const groups = new Set(
    wanted.map(one => {
      if (!isUuidLike(one)) throw makeProblem(`is not a uuid: ${JSON.stringify(one)}`)
      return normalizeOrKeep(one)
    }),
  )
  const [group] = groups
  if (group === undefined) return null
  if (groups.size > 1)
    throw makeProblem(`and server_group name ${groups.size} groups, but a server can join only one`)
  if (compute.groups.find(group) === undefined)
    throw new Problem(404, 'schedule.group-missing', `There is no server group ${group}.`, { group })
  return group
}

/** Hints without effect, or about unknown servers. */
export function listHintWarnings(world: World, hints: AskBody['hints'], setup: SchedulingSetup): Warning[] {
  const { filters, weighers } = partsOf(setup)
  const given = hints ?? {}
  const read = [...filters, ...weighers].flatMap(({ reads }) => reads.hints ?? [])
  const unread = findUnreadHints(Object.keys(given), [...filters, ...weighers]).map(hint => {
    const near = nearestName(hint, read)
    const remedy = near === null ? '' : ` Did you mean ${near}?`
    return {
      code: 'hint.unread',
      text: `No filter or weigher of this server reads the hint ${hint}.${remedy}`,
    }
  })
  const named = ['same_host', 'different_host'].flatMap(hint => [given[hint] ?? []].flat() as string[])
  const unknown = named
    .filter(uuid => isUuidLike(uuid) && world.consumers.find(normalizeOrKeep(uuid)) === undefined)
    .map(uuid => ({ code: 'hint.unknown-server', text: `A hint names ${uuid}, which has no allocations.` }))
  return [...unread, ...unknown]
}

interface InstancesBody {
  readonly instances?: readonly string[]
  readonly names?: readonly string[]
  readonly count?: number
}

/** The servers of a request: the given uuids, or new ones, and their names. */
export function parseServers(
  { instances: given, names, count }: InstancesBody,
  newUuid: () => string,
): Pick<ServerAsk, 'instances' | 'names'> {
  const instances = parseInstances(given, count ?? names?.length, newUuid)
  if (names === undefined) return { instances }
  const wrong = names.length === instances.length ? names.find(name => name.trim() === '') : null
  if (wrong === undefined) return { instances, names }
  const detail =
    wrong === null
      ? `names: ${names.length} are given for ${countText(instances.length, 'server')}.`
      : `names: '${wrong}' is blank.`
  throw new Problem(400, 'request.invalid', detail, { field: 'names' })
}

/** The given uuids, or new ones. */
function parseInstances(
  given: readonly string[] | undefined,
  count: number | undefined,
  newUuid: () => string,
): string[] {
  if (given === undefined) return Array.from({ length: count ?? 1 }, newUuid)
  const uuids = given.map(normalizeOrKeep)
  const makeInstancesProblem = (detail: string) =>
    new Problem(400, 'request.invalid', detail, { field: 'instances' })
  if (uuids.length !== (count ?? uuids.length))
    throw makeInstancesProblem(`instances: ${uuids.length} are named, but count is ${count}.`)
  if (uuids.length === 0 || uuids.length > COUNT_MAX)
    throw makeInstancesProblem(`instances: 1 to ${COUNT_MAX} can be named, not ${uuids.length}.`)
  if (new Set(uuids).size < uuids.length) throw makeInstancesProblem('instances: one is named twice.')
  return uuids
}
