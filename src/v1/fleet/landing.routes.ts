import type { Credentials } from '../../http/api.ts'
import { type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { findHostByName, isHost } from '../../scheduling/hosts/hosts.ts'
import { flavorLandingsShape, LANDING_HOSTS_MAX, violationsShape } from '../../wire/landing.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { AggregateRow, FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { makeBusyProblem, Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { toComputeProblem } from './hosts.routes.ts'
import {
  findViolations,
  type HostSet,
  JUDGEMENTS_MAX,
  judgeFlavors,
  type PageStart,
  SERVERS_MAX,
} from './landing.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000
/** Limits how much time explanations take from other requests. */
const AT_ONCE_MAX = 4

const flavorsQuery = object(
  'What to list.',
  {},
  {
    after: text('Only flavors after the one with this id, in the order of names.'),
    limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
      minimum: 1,
      maximum: LIMIT_MAX,
    }),
    project_id: text('The project of the server; default: that of the token.', { maxLength: 255 }),
  },
)

const violationsQuery = object(
  'What to list.',
  {},
  {
    after: text('`next` of the page before.', { pattern: '^[0-9]{1,10}-[0-9]{1,10}$' }),
    limit: whole(`How many violations at most; default: ${LIMIT_DEFAULT}.`, {
      minimum: 1,
      maximum: LIMIT_MAX,
    }),
  },
)

interface LandingContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
}

interface Subject {
  readonly path: string
  readonly what: string
  readonly params: Readonly<Record<string, string>>
  readonly missing: string
  find(
    world: World,
    params: Readonly<Record<string, string>>,
  ): { slots: ProviderSlot[]; aggregate: number | null }
}

const HOST: Subject = {
  path: '/hosts/{name}',
  what: 'a host',
  params: { name: 'The name of the host.' },
  missing: 'There is no such host.',
  find(world, { name = '' }) {
    const slot = findHostByName(world, name)
    if (slot === undefined) throw toComputeProblem({ kind: 'host-missing', host: name })
    return { slots: [slot], aggregate: null }
  },
}

const AGGREGATE: Subject = {
  path: '/host-aggregates/{aggregate}',
  what: 'the hosts of an aggregate',
  params: { aggregate: 'The name, number or uuid of the host aggregate.' },
  missing: 'There is no such host aggregate.',
  find(world, { aggregate = '' }) {
    const { id } = findAggregate(world, aggregate)
    const slots = world.compute.aggregateHosts.list(id).map(one => providerSlot(one.provider_id))
    return { slots: slots.filter(slot => isHost(world, slot)).sort((a, b) => a - b), aggregate: id }
  },
}

/** A name before a number: an aggregate may be called 7. */
function findAggregate({ compute }: World, given: string): AggregateRow {
  const row =
    compute.findAggregateByName(given) ??
    compute.aggregates.find(normalizeUuid(given) ?? given) ??
    (/^[0-9]{1,9}$/.test(given) ? compute.aggregates.get(Number(given)) : undefined)
  if (row === undefined)
    throw new Problem(404, 'compute.aggregate-missing', `There is no host aggregate ${given}.`, {
      aggregate: given,
    })
  return row
}

/** Which flavors fit on hosts, and which servers break the rules of their host. */
export function landingRoutes(context: LandingContext): V1Route[] {
  const permits = new Semaphore(AT_ONCE_MAX)
  return [HOST, AGGREGATE].flatMap(subject => [
    flavorsRoute(context, subject, permits),
    violationsRoute(context, subject, permits),
  ])
}

const makeBusy = () => makeBusyProblem('explain.busy', AT_ONCE_MAX)

const BUSY = 'Too many such requests are running: try again.'

function flavorsRoute(context: LandingContext, subject: Subject, permits: Semaphore): V1Route {
  const { world } = context
  return v1Route({
    method: 'GET',
    path: `${subject.path}/flavors`,
    operation: 'berth:explain:hosts',
    summary: `List which flavors may land on ${subject.what}`,
    description:
      'Judges each flavor like a new server without image, zone and hints: by the same filters and the same ' +
      'Placement query. Separates rules (metadata of aggregates, traits, sizes) from the ' +
      `present state (no room, a disabled host). A page ends early after ${JUDGEMENTS_MAX} judgements of a flavor on a ` +
      `host. Judges at most ${LANDING_HOSTS_MAX} hosts of an aggregate; one without hosts by its metadata alone.`,
    params: subject.params,
    query: flavorsQuery,
    answer: { description: 'The flavors.', shape: flavorLandingsShape },
    problems: { 404: `${subject.missing} Or there is no flavor with the id in \`after\`.`, 503: BUSY },
    handle({ params, query, credentials }) {
      const { slots, aggregate } = subject.find(world, params)
      const { after, limit = LIMIT_DEFAULT, project_id } = query
      const rest = listFlavorsAfter(world, after)
      const place: HostSet = {
        hosts: slots.slice(0, LANDING_HOSTS_MAX).map(slot => world.providers.uuid(slot)),
        aggregate: aggregate === null ? null : world.compute.aggregate(aggregate),
      }
      return permits.run(async () => {
        const page = rest.slice(0, limit)
        const flavors = await judgeFlavors(
          makeContext(context),
          page,
          place,
          makeAsker(credentials, project_id),
        )
        const last = flavors.at(-1)?.id
        return {
          hosts: place.hosts.length,
          hosts_left_out: slots.length - place.hosts.length,
          flavors,
          truncated: last !== undefined && last !== rest.at(-1)?.flavorid,
        }
      }, makeBusy)
    },
  })
}

const makeAsker = ({ projectId, userId }: Credentials, project: string | undefined) => ({
  project: project ?? projectId ?? '',
  user: userId ?? '',
})

const makeContext = ({ world, setup }: LandingContext) => ({ world, setup: setup(), turns: new Turns() })

function listFlavorsAfter({ compute }: World, after: string | undefined): FlavorRow[] {
  const all = compute.flavors.all().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (after === undefined) return all
  const at = all.findIndex(({ flavorid }) => flavorid === after)
  if (at < 0)
    throw new Problem(404, 'schedule.flavor-missing', `after: there is no flavor with the id ${after}.`, {
      flavor: after,
    })
  return all.slice(at + 1)
}

function violationsRoute(context: LandingContext, subject: Subject, permits: Semaphore): V1Route {
  const { world } = context
  return v1Route({
    method: 'GET',
    path: `${subject.path}/violations`,
    operation: 'berth:explain:hosts',
    summary: `List the servers that break the rules of ${subject.what}`,
    description:
      'Compares the request of each server when it was scheduled with the host as it is now: every filter that looks ' +
      'at rules (metadata of aggregates, zones, capabilities, limits, server groups, hints), and the traits and aggregates ' +
      'of the Placement query. A flavor that was changed since counts as it was. How full a host is, or whether it is ' +
      `enabled, breaks no rule. A page ends early after ${SERVERS_MAX} servers.`,
    params: subject.params,
    query: violationsQuery,
    answer: { description: 'The servers.', shape: violationsShape },
    problems: { 404: subject.missing, 503: BUSY },
    handle({ params, query }) {
      const { slots } = subject.find(world, params)
      const { after, limit = LIMIT_DEFAULT } = query
      return permits.run(
        () => findViolations(makeContext(context), slots, parseAfter(after), limit),
        makeBusy,
      )
    },
  })
}

function parseAfter(given: string | undefined): PageStart | null {
  if (given === undefined) return null
  const [host, server] = given.split('-').map(Number)
  return { host: host as number, server: server as number }
}
