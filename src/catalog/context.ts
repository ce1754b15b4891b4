import { ApiError, type ApiRequest, type DescribedRoute, type NoFeatures } from '../http/api.ts'
import { forbiddenText, type Policy } from '../http/policy.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { NamespaceRow } from '../world/catalog.ts'
import type { World } from '../world/world.ts'
import { noNamespace } from './errors.ts'
import type { CatalogRules } from './rules.ts'

/** The context of all routes of the catalog. */
export interface CatalogContext {
  readonly world: World
  readonly sequencer: Sequencer<CatalogRules>
  readonly policy: Policy
}

export type CatalogRequest = ApiRequest<NoFeatures>
export type CatalogRoute = DescribedRoute<NoFeatures>

/** A route of the catalog checks the body, then existence, and only then asks the policy. */
export function catalogRoute(
  route: Omit<CatalogRoute, 'operation' | 'asksPolicy'> & { readonly operation: string },
): CatalogRoute {
  return { ...route, asksPolicy: true }
}

type Caller = Pick<CatalogRequest, 'credentials'>

export function canSee(
  { policy }: Pick<CatalogContext, 'policy'>,
  { credentials }: Caller,
  row: NamespaceRow,
): boolean {
  return policy.allows('get_metadef_namespace', credentials, policyTargetOf(row))
}

const policyTargetOf = ({ owner, visibility }: NamespaceRow) => ({ project_id: owner, visibility })

export function requireAllowed(
  { policy }: CatalogContext,
  { credentials }: Caller,
  operation: string,
  row?: NamespaceRow,
): void {
  const target = row === undefined ? { project_id: credentials.projectId } : policyTargetOf(row)
  if (!policy.allows(operation, credentials, target)) throw new ApiError(403, forbiddenText(operation))
}

/** The namespace of the path, if the caller can see it and the policy allows the operation. */
export function requireNamespace(
  context: CatalogContext,
  request: CatalogRequest,
  operation: string,
): NamespaceRow {
  const row = requireVisibleNamespace(context, request, request.params.namespace as string)
  requireAllowed(context, request, operation, row)
  return row
}

export function requireVisibleNamespace(
  context: CatalogContext,
  request: Caller,
  name: string,
): NamespaceRow {
  const row = context.world.catalog.namespaces.find(name)
  if (row === undefined || !canSee(context, request, row)) throw noNamespace(name)
  return row
}
