import { ApiError } from '../http/api.ts'
import { submitWith } from '../http/submit.ts'
import { describeCloudOwned } from '../world/cloud-owned.ts'
import type { PartKind } from './fields.ts'
import type { CatalogRefusal } from './refusals.ts'
import type { CatalogRules } from './rules.ts'

/** The same message for a hidden object as for a missing one. */
export const noNamespace = (namespace: string): ApiError =>
  new ApiError(404, `There is no metadata definition namespace ${namespace}.`)

const WORDS: Readonly<Record<PartKind, string>> = {
  association: 'resource type association',
  property: 'property',
  object: 'object',
  tag: 'tag',
}

export const noPart = (part: PartKind, name: string, namespace: string): ApiError =>
  new ApiError(404, `There is no metadata definition ${WORDS[part]} ${name} in namespace ${namespace}.`)

export const submit = submitWith<CatalogRules, CatalogRefusal>(toApiError)

function toApiError(refusal: CatalogRefusal): ApiError {
  switch (refusal.kind) {
    case 'namespace-missing':
      return noNamespace(refusal.namespace)
    case 'namespace-exists':
      return new ApiError(409, `Metadata definition namespace ${refusal.namespace} already exists.`)
    case 'namespace-protected':
      return new ApiError(
        403,
        `Namespace ${refusal.namespace} is protected: neither it nor anything in it can be deleted.`,
      )
    case 'cloud-owned':
      return new ApiError(409, describeCloudOwned(refusal))
    case 'part-missing':
      return noPart(refusal.part, refusal.name, refusal.namespace)
    case 'part-exists':
      return new ApiError(
        409,
        `There is a metadata definition ${WORDS[refusal.part]} ${refusal.name} in namespace ` +
          `${refusal.namespace} already.`,
      )
    default:
      return refusal satisfies never
  }
}
