/** Builds one random request for a route: sometimes valid, mostly not. */
import { createHash } from 'node:crypto'
import { ALL_FILTERS } from '../../src/scheduling/hosts/registry.ts'
import type { Chance } from './chance.ts'
import { bodiesFor, queriesFor } from './examples.ts'
import { fromSchema } from './from-schema.ts'
import { type Headers, mutateHeaders, usualHeaders } from './headers.ts'
import type { Ids, Kind } from './ids.ts'
import { bytesOf, mutateBytes, mutateValue } from './mutate.ts'
import { nastyText } from './nasty.ts'
import type { Role } from './roles.ts'
import type { FuzzRoute } from './routes.ts'

export interface FuzzRequest {
  readonly route: FuzzRoute
  readonly role: Role
  readonly method: string
  /** The target in the first line. */
  readonly target: string
  readonly headers: Headers
  readonly body: Buffer | null
  /** Unchanged: it should pass the checks of form. */
  readonly isPlain: boolean
  /** The ids it is about. */
  readonly uses: readonly string[]
}

const CHARS_MAX = 20_000
const HUGE_CHARS_MAX = 1_200_000

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
  'LINK',
  'QUERY',
]

/** The value of a `{parameter}` of a path. */
const PARAMETERS: Readonly<Record<string, Kind>> = {
  uuid: 'provider',
  consumer_uuid: 'consumer',
  resource_class: 'class',
  flavor_id: 'flavor',
  aggregate_id: 'aggregate',
  group_id: 'group',
  hypervisor_id: 'hypervisor',
  service_id: 'service',
  host: 'host',
  namespace: 'namespace',
  property: 'property',
  object: 'object',
  tag: 'tag',
  resource_type: 'resourceType',
  share_id: 'share',
  location_id: 'location',
  snapshot_id: 'snapshot',
  type_id: 'type',
  message_id: 'message',
  project: 'project',
  user_id: 'user',
  project_id: 'project',
  role_id: 'role',
  credential_id: 'credential',
  aggregate: 'aggregate',
  token: 'token',
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  user_token: ['1-x', '99999999999999-AAAAAAAAAAAAAAAAAAAAAA'],
  operation: ['berth:fleet', 'berth:project', 'identity:list_users'],
  key: ['rack', 'hw:cpu_policy', 'snapshot_support', 'key', '__proto__'],
  action: ['enable', 'disable', 'force-down'],
  class: ['default', 'other'],
  domain_id: ['default'],
}

/** Fills in names in paths, queries and bodies; a name has one value within a request. */
class Filling {
  readonly uses: string[] = []
  readonly #chance: Chance
  readonly #ids: Ids
  readonly #role: Role
  readonly #chosen = new Map<string, string>()

  constructor(chance: Chance, ids: Ids, role: Role) {
    this.#chance = chance
    this.#ids = ids
    this.#role = role
  }

  path(route: FuzzRoute): string {
    return route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#parameter(route, name)),
    )
  }

  query(text: string): string {
    return encodeURI(text).replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(this.#value(name)))
  }

  body(value: unknown): unknown {
    if (typeof value === 'string') return value === '$generation' ? this.#generation() : this.#text(value)
    if (Array.isArray(value)) return value.map(one => this.body(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.#text(name), this.body(one)]))
  }

  #text(text: string): string {
    return text.startsWith('$free_') || !text.includes('$')
      ? text
      : text.replace(/\$(\w+)/g, (_, name: string) => this.#value(name))
  }

  #generation(): number {
    return this.#ids.generationOf(this.#value('provider'))
  }

  #parameter(route: FuzzRoute, name: string): string {
    const { path } = route
    const isOwn =
      /^\/(compute|share)\/v2(\.1)?\/\{project_id\}/.test(path) || path.includes('{credential_id}')
    if (name === 'project_id' && isOwn) return this.#role.projectId
    if (name === 'user_id' && path.includes('application_credentials')) return this.#role.userId || 'me'
    const words = WORDS[name]
    if (words !== undefined) return this.#remember(name, this.#chance.pick(words))
    if (name === 'name') return this.#value(kindOfName(path))
    if (name === 'id' || name === 'other')
      return this.#value(path.includes('decisions') ? 'decision' : 'share')
    return this.#value(PARAMETERS[name] ?? 'name')
  }

  #value(name: string): string {
    const known = this.#chosen.get(name)
    return known ?? this.#remember(name, this.#make(name))
  }

  #remember(name: string, value: string): string {
    this.#chosen.set(name, value)
    return value
  }

  #make(name: string): string {
    const chance = this.#chance
    switch (name) {
      case 'uuid':
        return chance.uuid()
      case 'name':
        return `fz-${chance.below(100_000)}`
      case 'upper':
        return `FZ_${chance.below(1_000)}`
      case 'sha256':
        return createHash('sha256')
          .update(String(chance.below(1_000_000)))
          .digest('hex')
      case 'mytoken':
        return this.#role.token ?? 'none'
      case 'key':
        return 'rack'
      case 'filter':
        return chance.pick(FILTERS)
      default: {
        const id = this.#ids.one(name as Kind) ?? (chance.percent(50) ? chance.uuid() : `fz-${name}`)
        this.uses.push(id)
        return id
      }
    }
  }
}

const FILTERS = ALL_FILTERS.map(({ name }) => name)

function kindOfName(path: string): string {
  if (path.includes('/filters/')) return 'filter'
  if (path.includes('/hosts/')) return 'host'
  if (path.includes('/traits/')) return 'trait'
  return path.includes('/resource_classes/') ? 'class' : 'name'
}

export function makeRequest(chance: Chance, route: FuzzRoute, role: Role, ids: Ids): FuzzRequest {
  const filling = new Filling(chance, ids, role)
  const isPlain = chance.percent(40)
  const path = filling.path(route)
  const query = filling.query(makeQuery(chance, route))
  const value = filling.body(makeBody(chance, route))
  const isLines = route.rawBody === 'application/x-ndjson'
  const charsMax = chance.percent(0.3) ? HUGE_CHARS_MAX : CHARS_MAX
  const wrong = isPlain ? new Set<number>() : new Set([chance.below(6), chance.below(6)])
  const method = wrong.has(0) && chance.percent(40) ? chance.pick(METHODS) : route.method
  const isWrongValue = wrong.has(1) || wrong.has(2)
  let body: Buffer | null = null
  if (value !== undefined) {
    body = bytesOf(isWrongValue ? mutateValue(chance, value, charsMax) : value, isLines)
    if (wrong.has(3)) body = mutateBytes(chance, body)
  } else if (wrong.has(3)) body = mutateBytes(chance, Buffer.from('{}'))
  const target = wrong.has(4) ? mutateTarget(chance, path, query) : joined(path, query)
  const headers = usualHeaders(
    chance,
    route,
    role,
    body === null ? null : (route.rawBody ?? 'application/json'),
  )
  if (wrong.has(5)) mutateHeaders(chance, headers)
  return { route, role, method, target, headers, body, isPlain, uses: filling.uses }
}

const joined = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`)

function makeBody(chance: Chance, route: FuzzRoute): unknown {
  if (route.method === 'GET' || route.method === 'HEAD' || route.method === 'DELETE') return undefined
  const examples = bodiesFor(route.method, route.path)
  if (route.body !== undefined && (examples === undefined || chance.percent(40)))
    return fromSchema(chance, route.body)
  if (examples === undefined) return {}
  return chance.pick(examples) ?? undefined
}

function makeQuery(chance: Chance, route: FuzzRoute): string {
  const examples = queriesFor(route.method, route.path)
  if (examples.length > 0 && chance.percent(70)) return chance.pick(examples)
  if (route.query === undefined || chance.percent(40)) return ''
  const values = fromSchema(chance, route.query) as Record<string, unknown>
  return Object.entries(values)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join('&')
}

const PATH_PARTS = [
  '//',
  '/./',
  '/../',
  '%2f',
  '%00',
  '%',
  '%zz',
  '%c3',
  '%ff',
  '/..;/',
  '\\',
  '/%2e%2e/',
  ';a=b',
  '#x',
  '*',
  '|',
  'é',
  '%ud800',
  '"',
  '<',
  "'",
  '{}',
  '~',
]
const QUERY_PARTS = [
  '&',
  '&&',
  '=',
  '&a',
  '&limit=',
  '&limit=-1',
  '&limit=99999999999999999999',
  '&marker=x',
  '&name=%ff',
  '&%',
  '&a[]=1',
  '&a[b]=1',
  '&__proto__=1',
  '&constructor=1',
  '&sort_key=__proto__',
  '&offset=-1',
  '&all_tenants=x',
  '&x=%00',
  '&=',
  '&limit=1&limit=2',
  '&page_size=0',
  ';',
  '+',
  '%20',
  '&resources=',
  '&required=!!',
  '&member_of=in:',
]

/** Bytes that no client of HTTP would let through, too; a blank or a control character would be another matter. */
function mutateTarget(chance: Chance, path: string, query: string): string {
  const at = chance.below(path.length + 1)
  const long = () => encodeURIComponent(nastyText(chance, 8_000).toWellFormed()).slice(0, 50_000)
  switch (chance.below(8)) {
    case 0:
      return joined(`${path.slice(0, at)}${chance.pick(PATH_PARTS)}${path.slice(at)}`, query)
    case 1:
      return joined(path, `${query}${chance.pick(QUERY_PARTS)}`)
    case 2:
      return joined(path, `${query}${chance.pick(QUERY_PARTS)}${chance.pick(QUERY_PARTS)}${long()}`)
    case 3:
      return joined(
        path,
        Array.from({ length: chance.size(3_000) }, (_, nth) => `p${nth}=${nth}`).join('&') || 'a',
      )
    case 4:
      return joined(`${path}/${long()}`, query)
    case 5:
      return joined(chance.percent(50) ? path.toUpperCase() : `${path}/`, query)
    case 6:
      return joined(path.replace(/[^/]+$/, long), query)
    default:
      return joined(path, query.replace(/=[^&]*/, () => `=${long()}`) || `name=${long()}`)
  }
}
