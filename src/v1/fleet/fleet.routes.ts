import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Query } from '../../http/request/query.ts'
import { globMatcher } from '../../kernel/glob.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { parseMemberOf, parseTraits } from '../../placement/query-parts.ts'
import { featuresOf, MINOR_MAX } from '../../placement/versions.ts'
import type { Head } from '../../store/store.ts'
import { fleetProviderShape } from '../../wire/fleet.ts'
import { list, object, type TypeOf, text, uuid } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { CustomAnswer, type V1Route, v1Route } from '../api/route.ts'
import { NDJSON, REVISION_HEADER, streamAnswer } from '../api/streaming.ts'
import { type FleetFilters, findUnknownName, streamFleet } from './fleet.ts'

const query = object(
  'Which providers.',
  {},
  {
    name: text('A name; `*` stands for any text, `?` for one character.', { maxLength: 200 }),
    uuid: list(uuid('A uuid.'), 'Repeated: any one of these.'),
    in_tree: uuid('Any provider of a tree.'),
    required: list(
      text('`A,!B` or `in:A,B`.'),
      'Traits, as in Placement 1.39; repeated: all of it must hold.',
    ),
    member_of: list(
      text('`A`, `in:A,B`, `!A` or `!in:A,B`.'),
      'Aggregates, as in Placement; repeated: all of it must hold.',
    ),
    resource_class: list(text('A class.'), 'Has an inventory of it; repeated: of all of them.'),
  },
)

interface FleetParts {
  readonly world: World
  /** The head of memory. */
  readonly head: () => Head
}

/** All providers in one streamed answer. */
export function fleetRoutes(parts: FleetParts): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/fleet',
      operation: 'berth:fleet',
      summary: 'Read all providers with inventories, usages, traits and aggregates',
      description:
        'One provider a line. The answer is made in slices while writes go on: a line may be newer than the ' +
        'revision in the header, never older, and is exact as of its own `revision`. To make the whole picture ' +
        'exact and keep it so, follow `/v1/changes` from the revision in the header, and apply to each provider the ' +
        'changes that are later than its line.',
      query,
      headers: { 'if-none-match': 'An earlier ETag: 304 if nothing has changed since.' },
      answer: {
        description: 'One provider a line.',
        mediaType: NDJSON,
        shape: fleetProviderShape,
        headers: {
          [REVISION_HEADER]: 'The revision from which to follow the changes.',
          etag: 'For If-None-Match.',
        },
      },
      problems: { 304: 'Nothing has changed.', 400: 'A filter is malformed, or names what does not exist.' },
      handle({ query: asked, rawQuery, headers, reauthenticate }) {
        const { world } = parts
        const filters = parseFilters(asked, rawQuery)
        const unknown = findUnknownName(world, filters)
        if (unknown !== null)
          throw new Problem(400, 'fleet.unknown-name', `There is no ${unknown.what} ${unknown.name}.`, {
            name: unknown.name,
          })
        const etag = makeEtag(parts.head(), asked)
        const found = { [REVISION_HEADER]: String(world.revision), etag, 'cache-control': 'no-cache' }
        if (isNamed(headers['if-none-match'], etag)) return new CustomAnswer({ status: 304, headers: found })
        return streamAnswer(NDJSON, found, streamFleet(world, filters, nextTurn), reauthenticate)
      },
    }),
  ]
}

function parseFilters(asked: TypeOf<typeof query>, all: Query): FleetFilters {
  const features = featuresOf(MINOR_MAX)
  const traits = parseTraits(all, '', features)
  const members = parseMemberOf(all, '', features)
  return {
    name: asked.name === undefined ? null : globMatcher(asked.name),
    uuids: asked.uuid === undefined ? null : new Set(asked.uuid.map(addDashes)),
    inTree: asked.in_tree === undefined ? null : addDashes(asked.in_tree),
    required: traits.required,
    forbidden: traits.forbidden,
    memberOf: members.memberOf,
    forbiddenAggregates: members.forbidden,
    classes: asked.resource_class ?? [],
  }
}

/** The form of providers' uuids; the schema refuses anything else. */
const addDashes = (uuid: string): string => normalizeUuid(uuid) as string

/** Another history may have the same revision, for example a restored store. */
function makeEtag({ revision, chain }: Head, asked: unknown): string {
  return `"${revision}-${hash('sha256', `${chain} ${JSON.stringify(asked)}`, 'hex').slice(0, 16)}"`
}

function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
