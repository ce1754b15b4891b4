import type { CloudOwned } from '../world/cloud-owned.ts'
import type { PartKind } from './fields.ts'

/** Why a write to the catalog was refused. */
export type CatalogRefusal =
  | CloudOwned
  | { readonly kind: 'namespace-missing'; readonly namespace: string }
  | { readonly kind: 'namespace-exists'; readonly namespace: string }
  | { readonly kind: 'namespace-protected'; readonly namespace: string }
  | PartRefusal

type PartRefusal = {
  readonly kind: 'part-missing' | 'part-exists'
  readonly part: PartKind
  readonly name: string
  readonly namespace: string
}

export const namespaceMissing = (namespace: string): CatalogRefusal => ({
  kind: 'namespace-missing',
  namespace,
})

export const namespaceProtected = (namespace: string): CatalogRefusal => ({
  kind: 'namespace-protected',
  namespace,
})

export const partMissing = (namespace: string, part: PartKind, name: string): CatalogRefusal => ({
  kind: 'part-missing',
  namespace,
  part,
  name,
})

export const partExists = (namespace: string, part: PartKind, name: string): CatalogRefusal => ({
  kind: 'part-exists',
  namespace,
  part,
  name,
})
