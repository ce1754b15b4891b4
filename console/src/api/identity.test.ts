import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Project } from '../../../src/wire/openstack-identity.ts'
import { carryToken } from './http.ts'
import { enterProject, revokeToken, signInByPassword } from './identity.ts'

const ALIVE = { description: '', enabled: true }
const OPS = { ...ALIVE, id: 'p1', name: 'ops', domain_id: 'default' }
const FAR_OPS = { ...ALIVE, id: 'p2', name: 'ops', domain_id: 'elsewhere' }
const SHOP = { ...ALIVE, id: 'p3', name: 'shop', domain_id: 'default' }

describe('signing in by a password', () => {
  let projects: readonly Project[]
  const asked: { method: string; path: string; token: string | null; auth: unknown }[] = []
  const scopes = () => asked.flatMap(({ auth }) => (auth as { scope?: unknown } | undefined)?.scope ?? [])

  beforeEach(() => {
    asked.length = 0
    vi.stubGlobal('fetch', async (path: string, { method = '', headers, body }: RequestInit) => {
      const { auth } = JSON.parse(String(body ?? 'null')) ?? {}
      asked.push({ method, path, token: new Headers(headers).get('x-auth-token'), auth })
      if (method === 'DELETE') return new Response(null, { status: 204 })
      if (path.endsWith('/projects')) return Response.json({ projects })
      const made = typeof auth.scope === 'string' ? auth.scope : auth.scope.project.id
      return new Response('{}', { status: 201, headers: { 'x-subject-token': `token-${made}` } })
    })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    carryToken(null)
  })

  const as = (project: string) => signInByPassword({ user: 'ann', password: 'x', domain: 'Default', project })

  test('the only project is entered, by its id', async () => {
    projects = [FAR_OPS]
    expect(await as('')).toEqual({ kind: 'entered', token: 'token-p2' })
    expect(scopes()).toEqual(['unscoped', { project: { id: 'p2' } }])
    expect(asked[1]).toMatchObject({ path: '/identity/v3/auth/projects', token: 'token-unscoped' })
  })

  test('one of several is to be chosen, and entered with the token that is there already', async () => {
    projects = [OPS, FAR_OPS, SHOP]
    expect(await as('')).toEqual({ kind: 'which', token: 'token-unscoped', projects })
    expect(await enterProject('token-unscoped', 'p2')).toBe('token-p2')
    expect(asked.at(-1)?.auth).toEqual({
      identity: { methods: ['token'], token: { id: 'token-unscoped' } },
      scope: { project: { id: 'p2' } },
    })
  })

  test('a name finds its project; two of the same name are listed', async () => {
    projects = [OPS, FAR_OPS, SHOP]
    expect(await as('shop')).toEqual({ kind: 'entered', token: 'token-p3' })
    expect(await as('p2')).toEqual({ kind: 'entered', token: 'token-p2' })
    expect(await as('ops')).toEqual({ kind: 'which', token: 'token-unscoped', projects: [OPS, FAR_OPS] })
  })

  test('a user without a project, or not in this one, gets an error', async () => {
    projects = []
    await expect(as('')).rejects.toThrow('ann is in no project, and may do nothing here.')
    projects = [SHOP]
    await expect(as('ops')).rejects.toThrow('ann is in no project ops.')
  })

  test('a token is revoked with itself, even after another user signed in', async () => {
    carryToken('of-the-next')
    await revokeToken('mine')
    expect(asked).toMatchObject([{ method: 'DELETE', path: '/identity/v3/auth/tokens', token: 'mine' }])
  })
})

test('a refusal counts only for the token that is in use', async () => {
  vi.stubGlobal('fetch', async () => Response.json({}, { status: 401 }))
  const refused = vi.fn()
  carryToken('of-the-next', refused)
  await expect(revokeToken('mine')).rejects.toMatchObject({ status: 401 })
  expect(refused).not.toHaveBeenCalled()
  await expect(revokeToken('of-the-next')).rejects.toMatchObject({ status: 401 })
  expect(refused).toHaveBeenCalledOnce()
  carryToken(null)
  vi.unstubAllGlobals()
})
