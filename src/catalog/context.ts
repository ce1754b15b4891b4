import { ApiError, type ApiRequest, type Route } from '../http/api.ts'
import { forbiddenText, type Policy } from '../http/policy.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { NamespaceRow } from '../world/catalog.ts'
import type { World } from '../world/world.ts'
import { noNamespace } from './errors.ts'
import type { CatalogRules } from './rules.ts'

/** What every room of the catalog works with. */
export interface CatalogContext {
  readonly world: World
  readonly sequencer: Sequencer<CatalogRules>
  readonly policy: Policy
}

/** The API has no versions, so there is nothing that depends on them. */
export type NoFeatures = Readonly<Record<never, never>>
export type CatalogRequest = ApiRequest<NoFeatures>
export type CatalogRoute = Route<NoFeatures>

/** A route of the catalog looks at the body, then at what is there, and only then asks who may do it. */
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
  return policy.allows('get_metadef_namespace', credentials, targetOf(row))
}

const targetOf = ({ owner, visibility }: NamespaceRow) => ({ project_id: owner, visibility })

/** Refuses an operation that the policy does not allow in a visible namespace. */
export function requireAllowed(
  { policy }: CatalogContext,
  { credentials }: Caller,
  operation: string,
  row?: NamespaceRow,
): void {
  const target = row === undefined ? { project_id: credentials.projectId } : targetOf(row)
  if (!policy.allows(operation, credentials, target)) throw new ApiError(403, forbiddenText(operation))
}

/** The namespace of the path, if the caller sees it and may do this with it. */
export function namespaceFor(
  context: CatalogContext,
  request: CatalogRequest,
  operation: string,
): NamespaceRow {
  const row = visibleNamespace(context, request, request.params.namespace as string)
  requireAllowed(context, request, operation, row)
  return row
}

export function visibleNamespace(context: CatalogContext, request: Caller, name: string): NamespaceRow {
  const row = context.world.catalog.namespaces.find(name)
  if (row === undefined || !canSee(context, request, row)) throw noNamespace(name)
  return row
}
