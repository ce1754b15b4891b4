import type { Keystone } from '../../identity/keystone/keystone.ts'
import type { PolicyMode, WholePolicy } from '../../identity/policy/compile-policy.ts'
import { addImplied, ROLES } from '../../identity/rules/roles.ts'
import {
  type Accounts,
  accountsShape,
  type OperationRoles,
  operationRolesShape,
  type PolicyInForce,
  policyShape,
} from '../../wire/accounts.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

/** Where users are, and the policy. */
export interface AccountSettings {
  readonly auth: Accounts['auth']
  readonly rbac: PolicyMode
  readonly policy: WholePolicy
  /** Null unless another Keystone keeps the users. */
  readonly keystone: Pick<Keystone, 'url' | 'cacheMs' | 'countCached'> | null
}

interface AccountContext {
  readonly world: World
  readonly settings: () => AccountSettings
}

const ROLES_MAX = 50

export function accountRoutes({ world, settings }: AccountContext): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/accounts',
      operation: 'berth:accounts',
      summary: 'Show where users are, and what the server knows of them',
      description:
        'With users in the store, `/identity` has the rest. With `auth` = `keystone` users, projects and roles are there, and ' +
        'only tokens that were checked lately are known.',
      answer: { description: 'Where users are.', shape: accountsShape },
      handle: () => accountsBody(world, settings()),
    }),
    v1Route({
      method: 'GET',
      path: '/policy',
      operation: 'berth:policy',
      summary: 'Show the policy in force',
      description: 'The rule of every operation, where it is from, and which roles alone are enough.',
      answer: { description: 'The policy.', shape: policyShape },
      handle: () => policyBody(world, settings()),
    }),
    v1Route({
      method: 'GET',
      path: '/policy/{operation}',
      operation: 'berth:policy:roles',
      summary: 'Show which roles are enough for an operation',
      description:
        'For callers who may not do something, so that they know what to ask for. It does not show the rule.',
      params: { operation: 'The operation, such as `berth:fleet`.' },
      answer: { description: 'The roles.', shape: operationRolesShape },
      problems: { 404: 'There is no such operation.' },
      handle: ({ params }) => operationBody(world, settings(), params.operation as string),
    }),
  ]
}

function accountsBody({ identity }: World, { auth, rbac, policy, keystone }: AccountSettings): Accounts {
  return {
    auth,
    rbac,
    policy_lines: policy.rules.filter(({ from }) => from === 'file').length,
    users: identity.users.size,
    projects: identity.projects.size,
    roles: identity.roles.size,
    application_credentials: identity.credentials.size,
    static_tokens: identity.staticTokens.size,
    keystone:
      keystone === null
        ? null
        : { url: keystone.url, cached_tokens: keystone.countCached(), cache_s: keystone.cacheMs / 1000 },
  }
}

function policyBody({ identity }: World, { rbac, policy }: AccountSettings): PolicyInForce {
  const roles = listRoles(identity, policy)
  return {
    rbac,
    roles,
    rules: policy.rules.map(rule => ({
      ...rule,
      allowed_roles: roles.filter(role => allowsOwn(policy, rule.operation, role)),
    })),
  }
}

function operationBody({ identity }: World, { policy }: AccountSettings, operation: string): OperationRoles {
  const rule = policy.rules.find(one => one.operation === operation)
  if (rule === undefined)
    throw new Problem(404, 'policy.operation-missing', `There is no operation ${operation}.`, { operation })
  const allowed = listRoles(identity, policy).filter(role => allowsOwn(policy, operation, role))
  return { operation, what: rule.what, allowed_roles: allowed }
}

const ROLE_IN_RULE = /\brole:([\w.-]{1,255})/g

/** Those of the store, and those that rules name: where a Keystone keeps the roles, only these are known. */
function listRoles({ roles }: World['identity'], { rules }: WholePolicy): string[] {
  const stored = roles.all().map(({ name }) => name)
  const named = rules.flatMap(({ rule }) =>
    [...rule.matchAll(ROLE_IN_RULE)].map(([, role]) => role as string),
  )
  const known = [...(stored.length === 0 ? ROLES : stored), ...named].map(role => role.toLowerCase())
  return [...new Set(known)].slice(0, ROLES_MAX)
}

const CALLER = { userId: 'u', projectId: 'p', systemScope: false }
const OWN = {
  project_id: 'p',
  user_id: 'u',
  'target.project.id': 'p',
  'target.user.id': 'u',
  'target.token.user_id': 'u',
}

const allowsOwn = (policy: WholePolicy, operation: string, role: string): boolean =>
  policy.allows(operation, { ...CALLER, roles: addImplied([role]) }, OWN)
