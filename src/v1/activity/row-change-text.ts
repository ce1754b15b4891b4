import type { ChangedRow } from '../../wire/changes.ts'
import { fieldPhrase, text } from './field-change-text.ts'

type NameOf = (id: string) => string

/** How to name a row of a table: the noun, and the columns that identify it. */
interface RowName {
  readonly what: string
  readonly name: (row: ChangedRow, nameOf: NameOf) => string
}

const own =
  (column: string) =>
  (row: ChangedRow): string =>
    text(row[column])
const named =
  (column: string) =>
  (row: ChangedRow, nameOf: NameOf): string =>
    nameOf(text(row[column]))
const joined =
  (word: string, first: string, second: string) =>
  (row: ChangedRow, nameOf: NameOf): string =>
    `${nameOf(text(row[first]))} ${word} ${nameOf(text(row[second]))}`

const ROW_NAMES: ReadonlyMap<string, RowName> = new Map(
  Object.entries({
    flavors: { what: 'flavor', name: own('name') },
    flavor_access: { what: 'flavor access', name: joined('for project', 'flavor', 'project_id') },
    hosts: { what: 'host', name: named('provider') },
    host_aggregates: { what: 'host aggregate', name: own('name') },
    server_groups: { what: 'server group', name: own('name') },
    server_group_members: { what: 'server', name: joined('in server group', 'consumer', 'server_group') },
    users: { what: 'user', name: own('name') },
    projects: { what: 'project', name: own('name') },
    roles: { what: 'role', name: own('name') },
    application_credentials: { what: 'application credential', name: own('name') },
    static_tokens: { what: 'static token', name: own('name') },
    share_types: { what: 'share type', name: own('name') },
    share_type_access: { what: 'share type access', name: joined('for project', 'share_type', 'project_id') },
    share_backends: { what: 'share back end', name: named('backend') },
    share_pools: { what: 'share pool', name: named('pool') },
    shares: { what: 'share', name: row => text(row.name ?? row.uuid) },
    share_snapshots: { what: 'snapshot', name: row => text(row.name ?? row.uuid) },
    share_access_rules: {
      what: 'share access',
      name: (row, nameOf) =>
        `of ${text(row.access_type)} ${text(row.access_to)} to share ${nameOf(text(row.share))}`,
    },
    shadow_settings: {
      what: 'shadow',
      name: row => `with reads=${text(row.reads)} writes=${text(row.writes)}`,
    },
    reservations: { what: 'reservation', name: own('name') },
    share_quotas: { what: 'share quota', name: row => `${text(row.resource)} of ${text(row.scope)}` },
  }),
)

/** Tables of keys and values: the owner, and the noun for one entry. */
const PAIRS: ReadonlyMap<string, { readonly owner: string; readonly what: string }> = new Map(
  Object.entries({
    flavor_extra_specs: { owner: 'flavor', what: 'flavor' },
    host_aggregate_metadata: { owner: 'host_aggregate', what: 'host aggregate' },
    share_type_extra_specs: { owner: 'share_type', what: 'share type' },
    share_metadata: { owner: 'share', what: 'share' },
  }),
)

/** Rows that other rows of the same change cover, or that are internal to the server. */
const UNTOLD = new Set([
  'server_requests',
  'group_claims',
  'manila_claims',
  'reservation_slots',
  'revoked_tokens',
  'share_steps',
  'share_leases',
])

/** Rows that are internal to the server, for a change with nothing else to print. */
export function keepingPhrase(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  nameOf: NameOf,
): string[] {
  const row = (after ?? before) as ChangedRow
  switch (table) {
    case 'server_requests':
      return before !== null && after !== null && before.name !== after.name
        ? [`server ${text(row.consumer)}: named ${after.name === null ? 'nothing' : text(after.name)}`]
        : [`server ${text(row.consumer)}: its request was stored`]
    case 'group_claims':
      return after === null
        ? [`server ${text(row.consumer)}: no longer expected in its server group`]
        : [`server ${text(row.consumer)}: about to be placed in server group ${text(row.group_uuid)}`]
    case 'manila_claims':
      return after === null || after.backend === null
        ? [`share ${text(row.share)} of Manila: no longer reserved`]
        : [`share ${text(row.share)} of Manila: reserved on ${text(row.backend)}`]
    case 'reservation_slots':
      return [
        `reservation ${nameOf(text(row.reservation))}: ${after === null ? 'no longer held' : 'held'} by ${text(row.consumer)}`,
      ]
    case 'revoked_tokens':
      return ['a token was revoked']
    case 'share_steps': {
      const state = after === null ? 'is over' : before === null ? 'is to be done' : 'is being done'
      return [`share ${nameOf(text(row.share))}: ${text(row.kind)} ${state}`]
    }
    case 'share_leases':
      return [`share back end ${nameOf(text(row.backend))}: served by ${text(row.holder)}`]
    default:
      return []
  }
}

/** The phrase for one row; `nameOf` knows the names of ids. */
export function rowPhrases(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  nameOf: NameOf,
): string[] {
  if (UNTOLD.has(table)) return []
  const row = (after ?? before) as ChangedRow
  const verb = before === null ? 'created' : after === null ? 'deleted' : 'changed'
  return (
    hostPhrase(table, before, after, nameOf) ??
    pairPhrase(table, before, after, nameOf) ??
    linkPhrase(table, row, after !== null, nameOf) ??
    namedPhrase(table, before, after, nameOf) ??
    catalogPhrase(table, row, verb) ?? [`${table}: a row ${verb}`]
  )
}

/** What an operator does with a host has words of its own; a row that is new or gone says only that. */
function hostPhrase(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  nameOf: NameOf,
): string[] | null {
  if (table !== 'hosts' || after === null) return null
  const was = before ?? { is_disabled: 0, is_forced_down: 0, is_down: 0, disabled_reason: null }
  const reason = after.disabled_reason === null ? '' : `: ${text(after.disabled_reason)}`
  const phrases = [
    ...(was.is_disabled === after.is_disabled
      ? []
      : [after.is_disabled === 1 ? `disabled${reason}` : 'enabled']),
    ...(was.is_forced_down === after.is_forced_down
      ? []
      : [after.is_forced_down === 1 ? 'marked down' : 'marked up']),
    ...((was.is_down ?? 0) === (after.is_down ?? 0)
      ? []
      : [after.is_down === 1 ? 'is silent' : 'is heard of again']),
  ]
  if (phrases.length === 0) return null
  return phrases.map(phrase => `host ${nameOf(text(after.provider))} ${phrase}`)
}

function pairPhrase(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  nameOf: NameOf,
): string[] | null {
  const pair = PAIRS.get(table)
  if (pair === undefined) return null
  const row = (after ?? before) as ChangedRow
  const whose = `${pair.what} ${nameOf(text(row[pair.owner]))}`
  if (after === null) return [`${whose}: ${text(row.key)} removed`]
  const was = before === null ? '' : ` (was ${text(before.value)})`
  return [`${whose}: ${text(row.key)}=${text(row.value)}${was}`]
}

/** Rows that only link two things. */
function linkPhrase(table: string, row: ChangedRow, isThere: boolean, nameOf: NameOf): string[] | null {
  switch (table) {
    case 'host_aggregate_hosts': {
      const verb = isThere ? 'added to' : 'removed from'
      return [`host ${nameOf(text(row.provider))} ${verb} host aggregate ${nameOf(text(row.host_aggregate))}`]
    }
    case 'role_assignments': {
      const verb = isThere ? 'given to' : 'taken from'
      return [
        `role ${text(row.role)} ${verb} user ${nameOf(text(row.user))} in project ${nameOf(text(row.project))}`,
      ]
    }
    case 'share_hints': {
      const verb = isThere ? 'tied to' : 'no longer tied to'
      return [`share ${nameOf(text(row.share))} ${verb} ${nameOf(text(row.other))} by ${text(row.kind)}`]
    }
    default:
      return null
  }
}

export const NOTHING_CHANGED = ' written, nothing changed'

/** Columns that change with every write, or that only the server uses. */
const SILENT = new Set(['generation', 'created_at', 'applied_by', 'tokens_since'])

function namedPhrase(
  table: string,
  before: ChangedRow | null,
  after: ChangedRow | null,
  nameOf: NameOf,
): string[] | null {
  const known = ROW_NAMES.get(table)
  if (known === undefined) return null
  const row = (after ?? before) as ChangedRow
  const name = `${known.what} ${known.name(row, nameOf)}`
  if (before === null) return [`${name} created`]
  if (after === null) return [`${name} deleted`]
  const fields = Object.keys(after).filter(field => !SILENT.has(field) && before[field] !== after[field])
  const changes = fields.map(field => fieldPhrase(field, before[field], after[field], nameOf))
  return [changes.length === 0 ? name + NOTHING_CHANGED : `${name}: ${changes.join(', ')}`]
}

/** For columns with ids: the list that has the names. */
export const NAMED_COLUMNS = {
  provider: 'providers',
  backend: 'providers',
  pool: 'providers',
  target_pool: 'providers',
  parent: 'providers',
  host_aggregate: 'aggregates',
  flavor: 'flavors',
  share: 'shares',
  other: 'shares',
  user: 'users',
  project: 'projects',
} as const

export type NameList = (typeof NAMED_COLUMNS)[keyof typeof NAMED_COLUMNS]

/** The phrase for a row of the catalog; null for a row of another table. */
function catalogPhrase(table: string, row: ChangedRow, verb: string): string[] | null {
  const inside = (what: string) => [`${what} ${text(row.name)} of ${text(row.namespace)} ${verb}`]
  switch (table) {
    case 'metadef_namespaces':
      return [`namespace ${text(row.namespace)} ${verb}`]
    case 'metadef_properties':
      return inside('property')
    case 'metadef_objects':
      return inside('object')
    case 'metadef_tags':
      return inside('tag')
    case 'metadef_associations':
      return [`association of ${text(row.namespace)} with ${text(row.resource_type)} ${verb}`]
    case 'metadef_resource_types':
      return [`resource type ${text(row.name)} ${verb}`]
    // The namespace itself shows that it is built in.
    case 'metadef_builtins':
      return []
    default:
      return null
  }
}
