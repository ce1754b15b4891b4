/** What a file of back ends may say, and what declaring them leaves behind. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { World } from '../../world/world.ts'
import { ShareClient } from '../share-client.fixture.ts'
import { parseBackends, realRootsOf } from './backends.file.ts'
import { declareBackends } from './backends.ts'
import type { DeclaredBackend } from './declared-backends.ts'
import { findOverlap, type Rooted } from './roots.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-roots-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const directory = (name: string, at: string) => ({
  name,
  driver: 'directory',
  root: at,
  pools: [{ name: 'p', total_gb: 1 }],
})

describe('back ends of directories', () => {
  test('are not in one directory, nor one inside the other, by any path', async () => {
    await mkdir(join(root, 'one'))
    await symlink(join(root, 'one'), join(root, 'link'))
    for (const second of ['one', 'one/', './one', 'one/inner', 'link', '.', 'two/../one']) {
      const backends = [directory('a', join(root, 'one')), directory('b', `${root}/${second}`)]
      await expect(parseBackends({ host: 'farm', backends }, []), second).rejects.toThrow(
        /The back ends a \(root .*one\) and b \(root .*\) must not be/,
      )
    }
    const backends = [directory('a', join(root, 'one')), directory('b', join(root, 'one-more'))]
    expect((await parseBackends({ host: 'farm', backends }, [])).backends).toHaveLength(2)
  })

  test('are apart from Berth itself', async () => {
    await mkdir(join(root, 'data'))
    for (const at of [root, join(root, 'data'), join(root, 'data', 'shares')])
      await expect(
        parseBackends({ host: 'farm', backends: [directory('a', at)] }, [join(root, 'data')]),
      ).rejects.toThrow(`the root ${at} and Berth's own ${join(root, 'data')} must not be the same directory`)
  })

  /** Whether what is declared by a file in place of what it declared before is accepted. */
  const declaring = () => {
    const world = new World()
    let last = 0
    const uuid = () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`
    return async (owner: string, name: string, at: string) => {
      const pools = [{ name: 'p', totalGb: 1, reservedPercentage: 0, overSubscription: 1, capabilities: {} }]
      const backend: DeclaredBackend = {
        name,
        driver: 'directory',
        settings: { root: at },
        availabilityZone: 'nova',
        capabilities: {},
        pools,
      }
      const declared = { host: 'farm', backends: [backend] }
      const realRoots = await realRootsOf(world, declared)
      const decision = declareBackends(world, { declared, owner, realRoots, newUuids: [uuid(), uuid()] }, 1)
      if (decision.ok) world.apply(decision.change)
      return decision.ok ? 'accepted' : decision.refusal
    }
  }

  test('keep apart from those of other files as well, wherever links lead', async () => {
    await mkdir(join(root, 'new'))
    await symlink(join(root, 'new'), join(root, 'old'))
    const declare = declaring()
    expect(await declare('one', 'a', join(root, 'old'))).toBe('accepted')
    expect(await declare('two', 'b', join(root, 'new'))).toMatchObject({
      kind: 'backend-roots',
      one: { backend: 'farm@a' },
      other: { backend: 'farm@b' },
    })
    expect(await declare('two', 'b', `${root}/x/../old/inner`)).toMatchObject({ kind: 'backend-roots' })
    expect(await declare('two', 'b', join(root, 'newer'))).toBe('accepted')
  })

  test('are compared by path where the directories cannot be read', () => {
    const [a, b] = ['/srv/x/../shares', '/srv/shares'].map(at => ({ backend: at, root: at }))
    expect(findOverlap([a as Rooted, b as Rooted])).not.toBeNull()
  })

  test('keep apart from those of other files as well', async () => {
    const declare = declaring()
    expect(await declare('one', 'a', '/srv/shares')).toBe('accepted')
    expect(await declare('two', 'b', '/srv/shares/b')).toEqual({
      kind: 'backend-roots',
      one: { backend: 'farm@a', root: '/srv/shares' },
      other: { backend: 'farm@b', root: '/srv/shares/b' },
    })
    expect(await declare('two', 'b', '/srv/shares-too')).toBe('accepted')
    // In place of the one that had it.
    expect(await declare('one', 'c', '/srv/shares')).toBe('accepted')
  })
})

test('a server does not take a root around its data directory, neither from a file nor from apply', async () => {
  const farm = (at: string) => ({ host: 'farm', backends: [directory('a', at)] })
  await expect(ShareClient.start(farm('/'))).rejects.toThrow('the root / and Berth')
  const client = await ShareClient.start(farm(join(root, 'shares')), { data_dir: root }).catch(error => error)
  expect((client as Error).message).toContain(`the root ${join(root, 'shares')} and Berth's own ${root}`)
  const { berth } = await ShareClient.start(null)
  const answer = await fetch(`${berth.server.url}/v1/apply?owner=test`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({ shares: farm('/') }),
  })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('choose another root')])
  await berth.end()
})

describe('settings of NFS servers', () => {
  test.each([
    [{ exports_file: 'exports' }, 'backends[0].exports_file must be the absolute path of a file'],
    [{ squash: 'rw) *(rw' }, 'backends[0].squash must be one of no_root_squash, root_squash, all_squash'],
    [{ reload_command: 'exportfs -ra' }, 'backends[0].reload_command must be a list of 1 to 64 texts'],
    [{ reload_command: [] }, 'backends[0].reload_command must be a list of 1 to 64 texts'],
    [{ exports_file: '/a', ganesha_file: '/a' }, 'ganesha_file must be another file than exports_file'],
  ])('%j are refused', async (settings, message) => {
    const backends = [{ ...directory('a', root), ...settings }]
    await expect(parseBackends({ host: 'farm', backends }, [])).rejects.toThrow(message)
  })

  test('that act on the server itself cannot be set by apply, unless its file has set the same', async () => {
    const backend = { ...directory('a', join(root, 'a')), reload_command: ['true'] }
    const { berth } = await ShareClient.start({ host: 'farm', backends: [backend] })
    const apply = async (more: object) => {
      const shares = { host: 'farm', backends: [{ ...backend, ...more }] }
      const answer = await fetch(`${berth.server.url}/v1/apply?owner=test`, {
        method: 'POST',
        headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
        body: JSON.stringify({ shares }),
      })
      return [answer.status, await answer.text()]
    }
    for (const more of [{ reload_command: ['false'] }, { exports_file: '/etc/passwd' }])
      expect(await apply(more)).toEqual([
        400,
        expect.stringContaining(`${Object.keys(more)[0]} acts on the server itself`),
      ])
    expect((await apply({}))[0]).toBe(200)
    await berth.end()
  })
})
