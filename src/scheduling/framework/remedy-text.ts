import type { MetadataEntry, Reason } from './refusal.ts'

/** What an operator or the owner of a flavor could do about a reason, so that the host would do. */
export function remedyText(reason: Reason, host: string): string {
  switch (reason.code) {
    case 'host.disabled':
      return `enable ${host}`
    case 'host.down':
      return `bring ${host} up`
    case 'extra-spec.missing': {
      const { name, requirement } = reason.facts
      return isPlain(requirement)
        ? `add ${host} to a host aggregate with ${name}=${requirement}`
        : `add ${host} to a host aggregate whose ${name} meets ${quoted(requirement)}`
    }
    case 'extra-spec.mismatch': {
      const { name, requirement, found } = reason.facts
      const where = found.map(({ aggregate }) => quoted(aggregate.name)).join(' or ')
      return isPlain(requirement)
        ? `set ${name}=${requirement} on host aggregate ${where}`
        : `change ${name} of host aggregate ${where} to meet ${quoted(requirement)}`
    }
    case 'extra-spec.present': {
      const { name, found } = reason.facts
      return `remove ${name} from host aggregate ${found.map(({ aggregate }) => quoted(aggregate.name)).join(' and ')}`
    }
    case 'extra-spec.impossible':
      return `change ${reason.facts.key} of the flavor, which nothing can meet`
    case 'demand.missing':
    case 'demand.mismatch':
      return reason.facts.values.length === 0
        ? `give the flavor any value of ${reason.facts.name}`
        : `set ${reason.facts.name}=${reason.facts.values.map(quoted).join(' or ')} on the flavor`
    case 'demand.unwanted':
      return `remove ${reason.facts.flavor?.key ?? reason.facts.name} from the flavor`
    case 'demand.impossible':
      return `change ${reason.facts.key} of host aggregate ${quoted(reason.facts.aggregate.name)}, which nothing can meet`
    case 'capability.missing':
    case 'capability.mismatch':
      return `remove ${reason.facts.key} from the flavor, or let ${host} report what it asks for`
    case 'flavor.not-listed':
      return `add the flavor to ${listed(reason.facts.allowed)}`
    case 'project.not-listed':
      return `add the project to ${listed(reason.facts.allowed)}`
    case 'image-property.not-listed':
      return `add ${quoted(reason.facts.value)} to ${listed(reason.facts.allowed)}`
    case 'instances.limit':
      return `raise the limit of ${reason.facts.max} instances, or move some away from ${host}`
    case 'io-ops.limit':
      return `wait until ${host} is less busy, or raise the limit of ${reason.facts.max}`
    case 'zone.other':
      return `ask for a zone that ${host} is in: ${reason.facts.zones.join(', ')}`
    case 'same-host.apart':
      return 'ask for less company: leave out the hint same_host'
    case 'different-host.together':
      return `move ${reason.facts.instances.join(', ')} away from ${host}`
    case 'group.elsewhere':
      return 'ask without the server group, whose members are elsewhere'
    case 'group.full':
      return `raise max_server_per_host above ${reason.facts.max}, or move a member away from ${host}`
    case 'query.refused':
    case 'query.malformed':
      return 'ask for another query'
    case 'image.unsupported':
    case 'image.hypervisor-version':
    case 'image.address-bits':
      return `use another image, or let ${host} say that it runs this one`
    case 'image.isolated':
    case 'host.isolated':
      return 'change the lists of isolated hosts and images'
    default:
      return poolRemedy(reason, host)
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

/** So that a pool of a share back end would do. */
function poolRemedy(reason: OfPool, host: string): string {
  switch (reason.code) {
    case 'backend.disabled':
      return `enable ${reason.facts.backend}`
    case 'only-host.other':
      return `ask for another pool than ${reason.facts.asked}, or for none`
    case 'capacity.short':
      return `free ${reason.facts.need - reason.facts.free} GB in ${host}, or ask for less`
    case 'pool-capability.missing':
    case 'pool-capability.mismatch':
      return `take ${reason.facts.key} out of the share type, or let ${host} have what it asks for`
    case 'snapshot.elsewhere':
      return `use a snapshot that is on the back end of ${host}`
    case 'affinity.elsewhere':
    case 'affinity.unplaced':
      return `leave share ${reason.facts.share} out of the hint same_host`
    case 'affinity.moving':
      return `wait until share ${reason.facts.share} has been moved`
    case 'anti-affinity.together':
      return `move share ${reason.facts.share} away from ${host}`
    default:
      return reason satisfies never
  }
}

/** A value that is compared as it is, so that writing the same meets it. */
const isPlain = (requirement: string): boolean => /^[\w.-]+( [\w.-]+)*$/.test(requirement)

/** The command that does what `remedyText` says, where one does; the flavor is null where none is stored. */
export function remedyCommand(reason: Reason, host: string, flavor: string | null): string | null {
  const aggregate = (found: readonly MetadataEntry[], verb: 'set' | 'unset', words: string) =>
    found.length === 1
      ? `berth host-aggregate ${verb} ${shellWord(found[0]?.aggregate.name ?? '')} ${shellWord(words)}`
      : null
  switch (reason.code) {
    case 'host.disabled':
      return `berth host set ${shellWord(host)} --enable`
    case 'host.down':
      return `berth host set ${shellWord(host)} --up`
    case 'extra-spec.mismatch': {
      const { name, requirement, found } = reason.facts
      return isPlain(requirement) ? aggregate(found, 'set', `${name}=${requirement}`) : null
    }
    case 'extra-spec.present':
      return aggregate(reason.facts.found, 'unset', reason.facts.name)
    default: {
      const change = flavor === null ? null : specChange(reason)
      if (flavor === null || change === null) return null
      const { key, value } = change
      return value === null ? unsetSpecCommand(flavor, key) : setSpecCommand(flavor, key, value)
    }
  }
}

/** An extra spec that a remedy sets in the flavor, or takes out of it where the value is null. */
export interface SpecChange {
  readonly key: string
  readonly value: string | null
}

/** What the remedy for a reason changes in the flavor; null where it changes something else. */
export function specChange(reason: Reason): SpecChange | null {
  switch (reason.code) {
    case 'demand.missing':
    case 'demand.mismatch': {
      const { name, flavor, values } = reason.facts
      const [value] = values
      return value === undefined ? null : { key: flavor?.key ?? name, value }
    }
    case 'demand.unwanted':
      return { key: reason.facts.flavor?.key ?? reason.facts.name, value: null }
    default:
      return null
  }
}

export const setSpecCommand = (flavor: string, key: string, value: string): string =>
  `berth flavor set ${shellWord(flavor)} ${shellWord(`${key}=${value}`)}`

export const unsetSpecCommand = (flavor: string, key: string): string =>
  `berth flavor unset ${shellWord(flavor)} ${shellWord(key)}`

/** Quoted where a shell would read more into it than is there. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const quoted = (text: string): string => JSON.stringify(text)

const listed = (found: readonly { readonly aggregate: { readonly name: string } }[]): string =>
  [...new Set(found.map(({ aggregate }) => `host aggregate ${quoted(aggregate.name)}`))].join(' or ')
