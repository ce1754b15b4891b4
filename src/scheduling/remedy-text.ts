import type { Reason } from './refusal.ts'

/** What an operator or the owner of a flavor could do about a reason, so that the host would do. */
export function remedyText(reason: Reason, host: string): string {
  switch (reason.code) {
    case 'host.disabled':
      return `enable ${host}`
    case 'host.down':
      return `bring ${host} up`
    case 'extra-spec.missing': {
      const { name, requirement } = reason.facts
      return `put ${host} into an aggregate whose ${name} meets ${quoted(requirement)}`
    }
    case 'extra-spec.mismatch': {
      const { name, requirement, found } = reason.facts
      const where = found.map(({ aggregate }) => aggregate.name).join(' or ')
      return `let ${name} of aggregate ${where} meet ${quoted(requirement)}`
    }
    case 'extra-spec.present': {
      const { name, found } = reason.facts
      return `take ${name} out of aggregate ${found.map(({ aggregate }) => aggregate.name).join(' and ')}`
    }
    case 'extra-spec.impossible':
      return `change ${reason.facts.key} of the flavor, which nothing can meet`
    case 'demand.missing':
    case 'demand.mismatch':
      return `give the flavor ${reason.facts.name} = ${reason.facts.values.map(quoted).join(' or ')}`
    case 'demand.unwanted':
      return `take ${reason.facts.flavor?.key ?? reason.facts.name} out of the flavor`
    case 'demand.impossible':
      return `change ${reason.facts.key} of aggregate ${reason.facts.aggregate.name}, which nothing can meet`
    case 'capability.missing':
    case 'capability.mismatch':
      return `take ${reason.facts.key} out of the flavor, or let ${host} report what it asks for`
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
    case 'anti-affinity.together':
      return `move share ${reason.facts.share} away from ${host}`
    default:
      return reason satisfies never
  }
}

const quoted = (text: string): string => JSON.stringify(text)

const listed = (found: readonly { readonly aggregate: { readonly name: string } }[]): string =>
  [...new Set(found.map(({ aggregate }) => `aggregate ${aggregate.name}`))].join(' or ')
