import { ApiError } from '../../http/api.ts'
import { CONCURRENT_UPDATE, ownedConflict } from '../context.ts'
import type { ForeignOwned } from '../owned.ts'
import type { GroupRefusal } from './group-policy.ts'
import type { ClaimRefusal } from './ledger.ts'

/** Routes differ in how they report an unknown class. */
export function claimRefused(
  refusal: ClaimRefusal | GroupRefusal | ForeignOwned,
  classMissing: (text: string) => string,
): ApiError {
  const makeConflict = (text: string) => new ApiError(409, `Unable to allocate inventory: ${text}`)
  const create = (where: { class: string; provider: string }, wrong: string) =>
    makeConflict(
      `Unable to create allocation for '${where.class}' on resource provider '${where.provider}'. ` +
        `The requested amount would ${wrong}.`,
    )
  switch (refusal.kind) {
    case 'owned':
      return ownedConflict(refusal)
    case 'consumer-generation': {
      const renderGeneration = (generation: number | null, none: string) => generation ?? none
      return new ApiError(
        409,
        `consumer generation conflict - expected ${renderGeneration(refusal.actual, 'null')} ` +
          `but got ${renderGeneration(refusal.given, 'None')}`,
        CONCURRENT_UPDATE,
      )
    }
    case 'claimed-provider-missing':
      return new ApiError(400, `Allocation for resource provider '${refusal.uuid}' that does not exist.`)
    case 'class-missing':
      return new ApiError(400, classMissing(`No such resource class ${refusal.name}.`))
    case 'no-inventory':
      return makeConflict(
        `Inventory for '${refusal.classes.join(', ')}' on resource provider '${refusal.providers.join(', ')}' invalid.`,
      )
    case 'units-violated':
      return create(refusal, 'violate inventory constraints')
    case 'over-capacity':
      return create(refusal, 'exceed the capacity')
    // Nova tries its next host after any conflict other than a concurrent update.
    case 'group-policy': {
      const { group, policy, provider, have, max } = refusal
      const why =
        policy === 'affinity'
          ? 'has no member of it, and other hosts have'
          : `has ${have} of its members, and ${max} is the limit`
      return makeConflict(`Server group '${group}' with policy ${policy}: host '${provider}' ${why}.`)
    }
    default:
      return refusal satisfies never
  }
}
