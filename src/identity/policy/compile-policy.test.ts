import { expect, test } from 'vitest'
import type { Credentials } from '../../http/api.ts'
import type { PolicyTarget } from '../../http/policy.ts'
import { compilePolicy, isKnownOperation, type PolicyMode } from './compile-policy.ts'

const policies = {
  legacy: compilePolicy('legacy'),
  secure: compilePolicy('secure'),
  open: compilePolicy('open'),
}

const isAllowed = (
  mode: PolicyMode,
  operation: string,
  credentials: Credentials,
  target: PolicyTarget,
): boolean => policies[mode].allows(operation, credentials, target)

const caller = (roles: string[], more: Partial<Credentials> = {}): Credentials => ({
  userId: 'u',
  projectId: 'p',
  roles,
  systemScope: false,
  ...more,
})
const own = { project_id: 'p' }
const allowed = (mode: PolicyMode, operation: string, roles: string[], target = own) =>
  isAllowed(mode, operation, caller(roles), target)

test('most operations are for admin and service, in legacy and secure alike', () => {
  for (const mode of ['legacy', 'secure'] as const) {
    expect(allowed(mode, 'placement:traits:list', ['admin'])).toBe(true)
    expect(allowed(mode, 'placement:traits:list', ['service'])).toBe(true)
    expect(allowed(mode, 'placement:traits:list', ['member', 'reader'])).toBe(false)
    expect(allowed(mode, 'placement:traits:list', [])).toBe(false)
  }
})

test('reshaping is for service only in secure mode; legacy lets admin', () => {
  expect(allowed('legacy', 'placement:reshaper:reshape', ['admin'])).toBe(true)
  expect(allowed('secure', 'placement:reshaper:reshape', ['admin'])).toBe(false)
  expect(allowed('secure', 'placement:reshaper:reshape', ['service'])).toBe(true)
})

test('a reader may see the usages of its own project only', () => {
  for (const mode of ['legacy', 'secure'] as const) {
    expect(allowed(mode, 'placement:usages', ['reader'])).toBe(true)
    expect(allowed(mode, 'placement:usages', ['reader'], { project_id: 'q' })).toBe(false)
    expect(allowed(mode, 'placement:usages', ['admin'], { project_id: 'q' })).toBe(true)
    expect(allowed(mode, 'placement:usages', [])).toBe(false)
  }
  const nowhere = caller(['reader'], { projectId: null })
  expect(isAllowed('legacy', 'placement:usages', nowhere, { project_id: null })).toBe(false)
})

test('system scope is refused whatever the roles, except in open mode', () => {
  const system = caller(['admin', 'service', 'reader'], { systemScope: true, projectId: null })
  expect(isAllowed('legacy', 'placement:traits:list', system, own)).toBe(false)
  expect(isAllowed('secure', 'placement:usages', system, own)).toBe(false)
  expect(isAllowed('open', 'placement:traits:list', system, own)).toBe(true)
})

test('open lets anyone', () => {
  expect(allowed('open', 'placement:reshaper:reshape', [])).toBe(true)
})

test('an unknown operation is a bug in every mode, also one named like a method of objects', () => {
  for (const operation of ['placement:pony', 'toString']) {
    expect(isKnownOperation(operation)).toBe(false)
    expect(compilePolicy('open').knows(operation)).toBe(false)
  }
  expect(() => allowed('open', 'placement:pony', [])).toThrow('no policy')
})

test('the catalog is written by admins only, also not by services', () => {
  for (const mode of ['legacy', 'secure'] as const) {
    expect(allowed(mode, 'add_metadef_namespace', ['admin'])).toBe(true)
    expect(allowed(mode, 'add_metadef_namespace', ['service', 'member', 'reader'])).toBe(false)
  }
})

test('a namespace is read by readers of its project, and by all readers if it is public', () => {
  const read = (mode: PolicyMode, roles: string[], project_id: string, visibility: string) =>
    isAllowed(mode, 'get_metadef_namespace', caller(roles), { project_id, visibility })
  expect(read('secure', ['reader'], 'p', 'private')).toBe(true)
  expect(read('secure', ['reader'], 'q', 'private')).toBe(false)
  expect(read('secure', ['reader'], 'q', 'public')).toBe(true)
  expect(read('secure', ['member'], 'p', 'public')).toBe(false)
  expect(read('secure', ['admin'], 'q', 'private')).toBe(true)
  expect(read('legacy', [], 'p', 'private')).toBe(true)
  expect(read('legacy', [], 'q', 'public')).toBe(true)
  expect(read('legacy', [], 'q', 'private')).toBe(false)
})

test('who has no project may still list what is public', () => {
  const nowhere = caller(['reader'], { projectId: null })
  expect(isAllowed('secure', 'get_metadef_namespaces', nowhere, { project_id: null })).toBe(true)
})

test('compute: admins write, members make groups of their project, everybody sees flavors', () => {
  for (const mode of ['legacy', 'secure'] as const) {
    expect(allowed(mode, 'os_compute_api:os-flavor-manage:create', ['admin'])).toBe(true)
    expect(allowed(mode, 'os_compute_api:os-flavor-manage:create', ['service', 'member'])).toBe(false)
    expect(allowed(mode, 'os_compute_api:os-server-groups:create', ['member'])).toBe(true)
    expect(allowed(mode, 'os_compute_api:os-server-groups:create', ['member'], { project_id: 'q' })).toBe(
      false,
    )
    expect(allowed(mode, 'os_compute_api:flavors', [])).toBe(true)
  }
  expect(allowed('secure', 'os_compute_api:os-server-groups:create', ['reader'])).toBe(false)
  expect(allowed('legacy', 'os_compute_api:os-server-groups:create', [])).toBe(true)
  expect(allowed('secure', 'os_compute_api:os-server-groups:show', ['reader'])).toBe(true)
  expect(allowed('secure', 'os_compute_api:os-flavor-access', ['reader'])).toBe(false)
  expect(allowed('legacy', 'os_compute_api:os-flavor-access', [])).toBe(true)
})
