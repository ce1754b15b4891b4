import type {
  AggregateRef,
  Incomparable,
  Meaning,
  MetadataEntry,
  Note,
  QueryProblem,
  Reason,
  SpecFacts,
} from './refusal.ts'

/** A reason of a filter in words, about the host that it was given for. */
export function reasonText(reason: Reason): string {
  switch (reason.code) {
    case 'host.disabled': {
      const { reason: why } = reason.facts
      return why === null ? 'the host is disabled.' : `the host is disabled: ${why}`
    }
    case 'host.down':
      return reason.facts.forced ? 'the host is down, by order of an operator.' : 'the host is down.'
    case 'extra-spec.missing':
      return `${asked(reason.facts)}, but no aggregate of the host has it.`
    case 'extra-spec.mismatch': {
      const { found, incomparable } = reason.facts
      return `${asked(reason.facts)}, but the host has ${listed(found)}${odd(incomparable)}.`
    }
    case 'extra-spec.present':
      return `${asked(reason.facts)}, but the host has ${listed(reason.facts.found)}.`
    case 'extra-spec.impossible':
      return `${asked(reason.facts)}: no host can do that.`
    case 'demand.missing':
    case 'demand.mismatch':
    case 'demand.unwanted':
    case 'demand.impossible':
      return demandText(reason)
    case 'capability.missing': {
      const { key, requirement, path } = reason.facts
      return `${wish(key, requirement)}, but the host reports no ${path.join(':')}.`
    }
    case 'capability.mismatch': {
      const { key, requirement, value, incomparable } = reason.facts
      const why = incomparable === null ? '' : ` (${incomparable})`
      return `${wish(key, requirement)}, but the host reports ${quoted(value)}${why}.`
    }
    case 'flavor.not-listed':
      return `the flavor ${quoted(reason.facts.flavor)} is not among ${listed(reason.facts.allowed)}.`
    case 'project.not-listed': {
      const { project, allowed } = reason.facts
      const who = project === null ? 'a request without a project' : `the project ${quoted(project)}`
      return `${who} is not among ${listed(allowed)}.`
    }
    case 'image-property.not-listed': {
      const { property, value, allowed } = reason.facts
      return `the image has ${property} = ${quoted(value)}, which is not among ${listed(allowed)}.`
    }
    case 'instances.limit': {
      const { have, max, from } = reason.facts
      return `the host has ${have} instances, and ${max} is the limit${setBy(from)}.`
    }
    case 'io-ops.limit': {
      const { have, max, from } = reason.facts
      return `the host has ${have} instances in heavy work, and ${max} is the limit${setBy(from)}.`
    }
    case 'zone.other':
      return `zone ${quoted(reason.facts.asked)} is asked for, but the host is in ${all(reason.facts.zones)}.`
    case 'backend.disabled':
    case 'only-host.other':
    case 'capacity.short':
    case 'pool-capability.missing':
    case 'pool-capability.mismatch':
    case 'snapshot.elsewhere':
    case 'affinity.elsewhere':
    case 'affinity.unplaced':
    case 'affinity.moving':
    case 'anti-affinity.together':
      return poolText(reason)
    default:
      return placeText(reason)
  }
}

type OfPool = Extract<
  Reason,
  {
    code:
      | `${'backend' | 'only-host' | 'capacity' | 'pool-capability' | 'snapshot'}.${string}`
      | `${'affinity' | 'anti-affinity'}.${string}`
  }
>

/** About a pool of a share back end. */
function poolText(reason: OfPool): string {
  switch (reason.code) {
    case 'backend.disabled': {
      const { backend, reason: why } = reason.facts
      return `the back end ${backend} is disabled${why === null ? '.' : `: ${why}`}`
    }
    case 'only-host.other':
      return `only ${reason.facts.asked} is asked for.`
    case 'capacity.short': {
      const { need, free, total, reserved, used, ratio } = reason.facts
      const times = ratio === 1 ? '' : `, times ${ratio}`
      return `${need} GB are asked for, and ${free} GB are free (${total} in all, ${reserved} reserved${times}, ${used} used).`
    }
    case 'pool-capability.missing': {
      const { key, requirement } = reason.facts
      return `the share type asks for ${key} = ${quoted(requirement)}, and the pool says nothing about that.`
    }
    case 'pool-capability.mismatch': {
      const { key, requirement, value, incomparable } = reason.facts
      const why = incomparable === null ? '' : ` (${incomparable})`
      return `the share type asks for ${key} = ${quoted(requirement)}, and the pool has ${quoted(value)}${why}.`
    }
    case 'snapshot.elsewhere':
      return `the snapshot ${reason.facts.snapshot} is on the back end ${reason.facts.backend}.`
    case 'affinity.elsewhere':
      return `share ${reason.facts.share}, which it shall be beside, is on another back end.`
    case 'affinity.unplaced':
      return `share ${reason.facts.share}, which it shall be beside, is nowhere.`
    case 'affinity.moving':
      return `share ${reason.facts.share}, which it shall be beside, is being moved just now.`
    case 'anti-affinity.together':
      return `share ${reason.facts.share}, which it shall be away from, is on this back end.`
    default:
      return reason satisfies never
  }
}

type Demand = Extract<Reason, { code: `demand.${string}` }>

function demandText({ code, facts }: Demand): string {
  const { aggregate, key, demand, meaning, flavor, incomparable } = facts
  const asks = `${named(aggregate)} asks of flavors ${key} = ${quoted(demand)}${meant(meaning)}`
  if (code === 'demand.impossible') return `${asks}: no flavor can do that.`
  if (flavor === null) return `${asks}, but the flavor does not have the key.`
  const has = `${flavor.key} = ${quoted(flavor.requirement)}${meant(flavor.meaning)}`
  return `${asks}, but the flavor has ${has}${odd(incomparable)}.`
}

type HostReason = Extract<
  Reason,
  { code: 'host.isolated' | `${'same-host' | 'different-host' | 'group' | 'query' | 'image'}.${string}` }
>

function placeText(reason: HostReason): string {
  switch (reason.code) {
    case 'same-host.apart':
      return `the host has none of the instances ${all(reason.facts.instances)}.`
    case 'different-host.together':
      return `the host has ${all(reason.facts.instances)}, which the request must be apart from.`
    case 'group.elsewhere':
      return `the other members of the server group are on ${all(reason.facts.hosts)}.`
    case 'group.full': {
      const { have, max } = reason.facts
      return `the host has ${have} members of the server group, and ${max} is the most it may have.`
    }
    case 'query.refused':
      return 'the query of the request is not true of the host.'
    case 'query.malformed':
      return `the query of the request cannot be answered: ${problemText(reason.facts.problem)}.`
    case 'image.unsupported': {
      const wanted = Object.values(reason.facts.wanted).filter(one => typeof one === 'string')
      const guests = reason.facts.supported.map(guest => guest.join(' '))
      const runs = guests.length === 0 ? 'does not say what it runs' : `runs ${guests.join(', ')}`
      return `the image asks for ${wanted.join(' ')}, and the host ${runs}.`
    }
    case 'image.hypervisor-version':
      return `the image asks for hypervisor ${reason.facts.wanted}, and the host has ${reason.facts.have}.`
    case 'image.address-bits':
      return `the image asks for ${reason.facts.wanted} address bits, and the host has ${reason.facts.have}.`
    case 'image.isolated':
      return `the image ${reason.facts.image} is kept to isolated hosts, and this is none.`
    case 'host.isolated':
      return 'the host is kept for isolated images, and this is none.'
    default:
      return reason satisfies never
  }
}

function problemText(problem: QueryProblem): string {
  switch (problem.kind) {
    case 'not-json':
      return 'it is no JSON'
    case 'too-deep':
      return `its lists lie more than ${problem.max} deep`
    case 'not-a-list':
      return `${shown(problem.found)} is no list`
    case 'unknown-operator':
      return `${shown(problem.operator)} is no operator`
    case 'incomparable':
      return `${shown(problem.left)} ${problem.operator} ${shown(problem.right)} compares unlike things`
    case 'no-members':
      return `${problem.variable} looks into ${shown(problem.value)}, which has no members`
    default:
      return problem satisfies never
  }
}

/** A remark of a filter or weigher in words. */
export function noteText({ code, facts }: Note): string {
  switch (code) {
    case 'key.skipped':
      if (facts.because === 'read-elsewhere')
        return `${facts.key} is read by ${facts.reader}, and asks nothing of aggregates.`
      return facts.because === 'reserved'
        ? `${facts.key} means something only in aggregates, and was not looked at.`
        : `${facts.key} was skipped: it is optional, and no aggregate of the host has it.`
    case 'sentinels.contradict': {
      const where = facts.aggregate === null ? 'the flavor' : named(facts.aggregate)
      const has = `${where} has ${facts.key} = ${quoted(facts.text)}`
      return facts.interpreted
        ? `${has}: ! excludes * and ~, so that it matches nothing.`
        : `${has}: that is plain text now, and matches nothing once the aggregate has force_metadata_check, because ! excludes * and ~.`
    }
    case 'spec.unreadable':
      return `${facts.fault} It was taken; versions of the compute API from 2.86 on refuse it.`
    case 'force.unclear': {
      const has = `${named(facts.aggregate)} has force_metadata_check = ${quoted(facts.text)}`
      return `${has}, which is neither true nor false and does not force.`
    }
    case 'number.unreadable':
      return `${facts.key} should be a number, and is not: ${listed(facts.found)}. ${facts.used} was used instead.`
    default:
      return code satisfies never
  }
}

const wish = (key: string, requirement: string): string =>
  `the flavor asks for ${key} = ${quoted(requirement)}`

const asked = ({ key, requirement, meaning }: SpecFacts): string =>
  `${wish(key, requirement)}${meant(meaning)}`

const MEANINGS: Readonly<Record<Meaning, string>> = {
  value: '',
  'any-value': 'any value, if the key is there',
  absent: 'the key must not be there',
  'value-or-absent': 'one of these, or the key is not there',
  anything: 'any value, or the key is not there',
  contradiction: '! excludes * and ~',
  nothing: 'nothing to compare with',
}

const meant = (meaning: Meaning): string => (MEANINGS[meaning] === '' ? '' : ` (${MEANINGS[meaning]})`)

const odd = (incomparable: readonly Incomparable[]): string =>
  incomparable.length === 0 ? '' : ` (${incomparable.map(({ error }) => error).join('; ')})`

const listed = (found: readonly MetadataEntry[]): string =>
  found.map(({ aggregate, text }) => `${quoted(text)} from ${named(aggregate)}`).join(' and ')

const setBy = (from: readonly MetadataEntry[]): string =>
  from.length === 0 ? '' : `, set as ${listed(from)}`

const named = ({ name }: AggregateRef): string => `aggregate ${name}`

const LISTED_MAX = 10

function all(names: readonly string[]): string {
  const first = names.slice(0, LISTED_MAX).join(', ')
  return names.length <= LISTED_MAX ? first : `${first} and ${names.length - LISTED_MAX} more`
}

const quoted = (text: string): string => JSON.stringify(text)

const SHOWN_MAX = 200

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}
