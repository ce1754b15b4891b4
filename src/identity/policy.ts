import type { Credentials } from '../http/api.ts'
import { assert } from '../kernel/assert.ts'

/**
 * `legacy` is upstream with its old defaults still in force, `secure` with the new ones only; `open` lets
 * every authenticated caller do everything.
 */
export type PolicyMode = 'legacy' | 'secure' | 'open'

export interface PolicyTarget {
  readonly project_id: string | null
}

type Rule = (credentials: Credentials, target: PolicyTarget) => boolean

const has = (credentials: Credentials, role: string): boolean => credentials.roles.includes(role)

/** Everybody whose token is good. */
const anybody: Rule = () => true
const service: Rule = caller => has(caller, 'service')
const adminOrService: Rule = caller => has(caller, 'admin') || has(caller, 'service')
const adminOrServiceOrProjectReader: Rule = (caller, target) =>
  adminOrService(caller, target) ||
  (has(caller, 'reader') && target.project_id !== null && target.project_id === caller.projectId)

const rules: ReadonlyMap<string, { readonly legacy: Rule; readonly secure: Rule }> = new Map([
  ...sameInBoth(adminOrService, [
    'berth:backup',
    'berth:changes',
    'berth:explain:hosts',
    'berth:export',
    'berth:fleet',
    'berth:import',
    'berth:verify',
    'placement:allocation_candidates:list',
    'placement:allocations:delete',
    'placement:allocations:list',
    'placement:allocations:manage',
    'placement:allocations:update',
    'placement:resource_classes:create',
    'placement:resource_classes:delete',
    'placement:resource_classes:list',
    'placement:resource_classes:show',
    'placement:resource_classes:update',
    'placement:resource_providers:aggregates:list',
    'placement:resource_providers:aggregates:update',
    'placement:resource_providers:allocations:list',
    'placement:resource_providers:create',
    'placement:resource_providers:delete',
    'placement:resource_providers:inventories:create',
    'placement:resource_providers:inventories:delete',
    'placement:resource_providers:inventories:list',
    'placement:resource_providers:inventories:show',
    'placement:resource_providers:inventories:update',
    'placement:resource_providers:list',
    'placement:resource_providers:show',
    'placement:resource_providers:traits:delete',
    'placement:resource_providers:traits:list',
    'placement:resource_providers:traits:update',
    'placement:resource_providers:update',
    'placement:resource_providers:usages',
    'placement:traits:delete',
    'placement:traits:list',
    'placement:traits:show',
    'placement:traits:update',
  ]),
  ...sameInBoth(adminOrServiceOrProjectReader, ['placement:usages']),
  ...sameInBoth(anybody, ['berth:explain', 'berth:openapi']),
  ['placement:reshaper:reshape', { legacy: adminOrService, secure: service }],
])

function sameInBoth(rule: Rule, operations: readonly string[]) {
  return operations.map(operation => [operation, { legacy: rule, secure: rule }] as const)
}

export const isKnownOperation = (operation: string): boolean => rules.has(operation)

export function isAllowed(
  mode: PolicyMode,
  operation: string,
  credentials: Credentials,
  target: PolicyTarget,
): boolean {
  const rule = rules.get(operation)
  assert(rule !== undefined, `no policy for operation ${operation}`)
  if (mode === 'open') return true
  // Every operation wants a project's token: system scope is refused whatever its roles.
  if (credentials.systemScope) return false
  return rule[mode](credentials, target)
}

/** What the door asks. */
export interface Policy {
  knows(operation: string): boolean
  allows(operation: string, credentials: Credentials, target: PolicyTarget): boolean
}

export function policyOf(mode: PolicyMode): Policy {
  return {
    knows: isKnownOperation,
    allows: (operation, credentials, target) => isAllowed(mode, operation, credentials, target),
  }
}

/** The text of a 403. */
export const forbiddenText = (operation: string): string =>
  `Policy does not allow ${operation} to be performed.`
