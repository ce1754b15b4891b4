import { ApiError } from '../http/api.ts'
import { submitWith } from '../http/submit.ts'
import { describeCloudOwned } from '../world/cloud-owned.ts'
import { describeOverlap } from './backends/roots.ts'
import type { ShareRefusal } from './refusals.ts'
import type { ShareRules } from './rules.ts'

/** The status for a state that forbids the request depends on the request. */
type StateStatus = 400 | 403 | 409

export const submit = submitWith<ShareRules, ShareRefusal>(toApiError)
export const submitOr403 = submitWith<ShareRules, ShareRefusal>(refusal => toApiError(refusal, 403))

export function toApiError(refusal: ShareRefusal, stateStatus: StateStatus = 400): ApiError {
  switch (refusal.kind) {
    case 'type-missing':
      return new ApiError(404, `Share type ${refusal.type} could not be found.`)
    case 'type-exists':
      return new ApiError(409, `There is a share type ${refusal.name} already.`)
    case 'type-in-use':
      return new ApiError(400, `Share type ${refusal.type} has ${refusal.shares} shares. Delete them first.`)
    case 'type-public':
      return new ApiError(409, `Share type ${refusal.type} is public: every project has access already.`)
    case 'type-spec-missing':
      return new ApiError(404, `Share type ${refusal.type} has no extra spec ${refusal.key}.`)
    case 'type-access-exists':
      return new ApiError(409, `Project ${refusal.project} has access to share type ${refusal.type} already.`)
    case 'type-access-missing':
      return new ApiError(404, `Project ${refusal.project} has no access to share type ${refusal.type}.`)
    case 'backend-missing':
      return new ApiError(404, `There is no back end ${refusal.backend}.`)
    case 'backend-in-use':
      return new ApiError(
        409,
        `${refusal.what} has ${refusal.shares} shares, or work on them. Move them first.`,
      )
    case 'backend-name-taken':
      return new ApiError(409, `There is another provider with the name ${refusal.name} already.`)
    case 'backend-inventory':
      return new ApiError(409, `The size of pool ${refusal.name} is refused: ${refusal.reason}.`)
    case 'backend-roots':
      return new ApiError(409, describeOverlap(refusal.one, refusal.other))
    case 'cloud-owned':
      return new ApiError(409, describeCloudOwned(refusal))
    case 'metadata-missing':
      return new ApiError(404, `Share ${refusal.share} has no metadata ${refusal.key}.`)
    case 'metadata-exceeded':
      return new ApiError(
        413,
        `A share may have ${refusal.limit} keys of metadata, and would have ${refusal.keys}.`,
      )
    case 'snapshot-missing':
      return new ApiError(404, `Snapshot ${refusal.snapshot} could not be found.`)
    case 'quota-exceeded':
      return new ApiError(
        413,
        `The quota of ${refusal.resource} is ${refusal.limit}: ${refusal.used} are used, and ${refusal.asked} more do not fit.`,
      )
    case 'quota-below-use':
      return new ApiError(
        400,
        `A quota of ${refusal.limit} ${refusal.resource} is less than the ${refusal.used} that are used. Use force to set it anyway.`,
      )
    case 'access-missing':
    case 'access-exists':
    case 'access-failed-rules':
    case 'access-exceeded':
    case 'access-metadata-missing':
    case 'access-soft-deleted':
    case 'access-state':
      return toAccessError(refusal)
    case 'lease-held':
    case 'lease-lost':
    case 'step-gone':
      return new ApiError(409, `Another operation on this is in progress: ${refusal.kind}. Try again later.`)
    default:
      return toShareError(refusal, stateStatus)
  }
}

type OfAccess = Extract<ShareRefusal, { readonly kind: `access-${string}` }>

/** Manila's texts, because its clients show them, with the state that forbids the request. */
function toAccessError(refusal: OfAccess): ApiError {
  switch (refusal.kind) {
    case 'access-missing':
      return new ApiError(404, `Share access rule ${refusal.rule} not found.`)
    case 'access-exists':
      return new ApiError(400, `Share access ${refusal.type}:${refusal.to} exists.`)
    case 'access-failed-rules':
      return new ApiError(
        400,
        'Access rules cannot be added while the share or any of its replicas or migration copies has its access_rules_status set to error. Deny any rules in error state and try again.',
      )
    case 'access-exceeded':
      return new ApiError(
        413,
        `Share ${refusal.share} has ${refusal.limit} access rules, and can have no more.`,
      )
    case 'access-metadata-missing':
      return new ApiError(404, 'Share access rule metadata does not exist.')
    case 'access-soft-deleted':
      return new ApiError(
        403,
        `Cannot ${refusal.action} access for share '${refusal.share}' since it has been soft deleted.`,
      )
    case 'access-state': {
      const what =
        refusal.action === 'allow' ? 'New access rules cannot be applied' : 'Access rules cannot be denied'
      return new ApiError(
        400,
        `${what} while the share or any of its replicas or migration copies lacks a valid host or is in an invalid state: share ${refusal.share} has the status ${refusal.status}.`,
      )
    }
    default:
      return refusal satisfies never
  }
}

type OfShare = Extract<
  ShareRefusal,
  {
    readonly kind:
      | `share-${string}`
      | `snapshot-${'state' | 'in-use'}`
      | 'snapshots-unsupported'
      | 'hinted-share-missing'
      | 'hint-own-share'
      | 'hint-both-kinds'
      | 'type-size'
  }
>

function toShareError(refusal: OfShare, stateStatus: StateStatus): ApiError {
  switch (refusal.kind) {
    case 'share-missing':
      return new ApiError(404, `Share ${refusal.share} could not be found.`)
    case 'hinted-share-missing':
      return new ApiError(
        404,
        `Share ${refusal.share}, which the scheduler hint ${refusal.hint} names, could not be found.`,
      )
    case 'hint-own-share':
      return new ApiError(400, `Share ${refusal.share} names itself in the scheduler hint ${refusal.hint}.`)
    case 'hint-both-kinds':
      return new ApiError(
        400,
        `Share ${refusal.share} names share ${refusal.other} in both scheduler hints, same_host and different_host. Drop one of them.`,
      )
    case 'share-state':
      return new ApiError(
        stateStatus,
        `Share ${refusal.share} has the ${refusal.field} ${refusal.value}, and needs ${refusal.needs.join(', ')} for this.`,
      )
    case 'share-busy':
      return new ApiError(stateStatus, `Share ${refusal.share} is busy: ${refusal.taskState}.`)
    case 'share-soft-deleted':
      return new ApiError(403, `Share ${refusal.share} is soft-deleted. Restore it first.`)
    case 'share-has-snapshots':
      return new ApiError(
        stateStatus,
        `Share ${refusal.share} has ${refusal.snapshots} snapshots. Delete them first.`,
      )
    case 'share-size':
      return new ApiError(
        400,
        `${refusal.share} has ${refusal.size} GB, and ${refusal.asked} GB is not a valid new size.`,
      )
    case 'type-size':
      return new ApiError(
        400,
        `Share type ${refusal.type} has ${refusal.limit}, so a share of ${refusal.size} GB is not allowed.`,
      )
    case 'share-unplaced':
      return new ApiError(400, `Share ${refusal.share} is on no back end.`)
    case 'snapshot-state':
      return new ApiError(
        stateStatus,
        `Snapshot ${refusal.snapshot} has the status ${refusal.value}, and needs ${refusal.needs.join(', ')} for this.`,
      )
    case 'snapshot-in-use':
      return new ApiError(
        stateStatus,
        `Share ${refusal.share} is being created from snapshot ${refusal.snapshot}.`,
      )
    case 'snapshots-unsupported':
      return new ApiError(422, `The type of share ${refusal.share} has no snapshot_support.`)
    default:
      return refusal satisfies never
  }
}
