import { ApiError } from '../http/api.ts'
import { submitWith } from '../http/submit.ts'
import { countText } from '../kernel/count-text.ts'
import { describeCloudOwned } from '../world/cloud-owned.ts'
import type { ComputeRefusal } from './refusals.ts'
import type { ComputeRules } from './rules.ts'

export const noFlavor = (id: string): ApiError => new ApiError(404, `There is no flavor ${id}.`)
export const noAggregate = (id: number | string): ApiError =>
  new ApiError(404, `There is no host aggregate ${id}.`)
export const noGroup = (uuid: string): ApiError => new ApiError(404, `There is no server group ${uuid}.`)
export const noServer = (uuid: string): ApiError => new ApiError(404, `There is no server ${uuid}.`)
export const noHost = (host: string): ApiError => new ApiError(404, `There is no compute host ${host}.`)

export const submit = submitWith<ComputeRules, ComputeRefusal>(toApiError)

export function toApiError(refusal: ComputeRefusal): ApiError {
  switch (refusal.kind) {
    case 'flavor-missing':
      return noFlavor(refusal.flavor)
    case 'flavor-exists':
      return new ApiError(409, `There is a flavor with the ${refusal.field} ${refusal.value} already.`)
    case 'extra-spec-missing':
      return new ApiError(404, `Flavor ${refusal.flavor} has no extra spec ${refusal.key}.`)
    case 'access-exists':
      return new ApiError(409, `Project ${refusal.project} has access to flavor ${refusal.flavor} already.`)
    case 'access-missing':
      return new ApiError(404, `Project ${refusal.project} has no access to flavor ${refusal.flavor}.`)
    case 'flavor-public':
      return new ApiError(409, `Flavor ${refusal.flavor} is public: every project has access already.`)
    case 'host-missing':
      return noHost(refusal.host)
    case 'host-exists':
      return new ApiError(409, `There is a provider with the ${refusal.field} ${refusal.value} already.`)
    case 'host-in-use':
      return new ApiError(
        409,
        `${countText(refusal.consumers, 'consumer has', 'consumers have')} allocations on host ${refusal.host}. Move or delete ${refusal.consumers === 1 ? 'it' : 'them'} first.`,
      )
    case 'host-not-root':
      return new ApiError(
        409,
        `${refusal.host} is not a host: it is below another provider, or a sharing provider.`,
      )
    case 'host-inventory':
      return new ApiError(409, `The inventory of host ${refusal.host} is refused: ${refusal.reason}.`)
    case 'host-generation':
      return new ApiError(
        409,
        `Host ${refusal.host} was changed meanwhile: its generation is ${refusal.actual}, not ${refusal.given}.`,
      )
    case 'class-on-no-host':
      return new ApiError(409, `None of the hosts has an inventory of ${refusal.class}.`)
    case 'host-changed-since':
      return new ApiError(
        409,
        `Revision ${refusal.revision} cannot be undone: ${refusal.what} of host ${refusal.host} changed since.`,
      )
    case 'change-not-undoable':
      return new ApiError(
        409,
        `Revision ${refusal.revision} cannot be undone: it also changed ${refusal.what}, not only settings of hosts.`,
      )
    case 'cloud-owned':
      return new ApiError(409, describeCloudOwned(refusal))
    case 'group-missing':
      return noGroup(refusal.group)
    case 'groups-exceeded':
      return new ApiError(
        403,
        `Quota exceeded, too many server groups: project ${refusal.project} may have ${refusal.limit}.`,
      )
    default:
      return toAggregateError(refusal)
  }
}

type AggregateRefusal = Extract<ComputeRefusal, { readonly kind: `aggregate-${string}` | `zone-${string}` }>

function toAggregateError(refusal: AggregateRefusal): ApiError {
  switch (refusal.kind) {
    case 'aggregate-missing':
      return noAggregate(refusal.aggregate)
    case 'aggregate-exists':
      return new ApiError(409, `There is a host aggregate ${refusal.name} already.`)
    case 'aggregate-not-empty':
      return new ApiError(
        400,
        `Host aggregate ${refusal.aggregate} has ${refusal.hosts} hosts. Remove them first.`,
      )
    case 'aggregate-host-exists':
      return new ApiError(409, `Host ${refusal.host} is in host aggregate ${refusal.aggregate} already.`)
    case 'aggregate-host-missing':
      return new ApiError(404, `Host ${refusal.host} is not in host aggregate ${refusal.aggregate}.`)
    case 'zone-empty':
      return new ApiError(
        400,
        `The availability zone of host aggregate ${refusal.aggregate} needs a name. To have no zone, remove the host from the aggregate.`,
      )
    case 'zone-other':
      return new ApiError(
        refusal.adding ? 409 : 400,
        `Host ${refusal.host} is in availability zone ${refusal.zone} already, by host aggregate ${refusal.by}; ` +
          'a host can be in one only.',
      )
    case 'zone-in-use':
      return new ApiError(
        400,
        `Host ${refusal.host} has consumers, so its availability zone cannot change. Move them first.`,
      )
    default:
      return refusal satisfies never
  }
}
