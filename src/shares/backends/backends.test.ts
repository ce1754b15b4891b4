/** What a file of back ends may say, and what declaring them leaves behind. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { World } from '../../world/world.ts'
import { backendsIn } from './backends.file.ts'
import { declareBackends } from './backends.ts'
import type { DeclaredBackend } from './declared-backends.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-roots-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const directory = (name: string, at: string) => ({
  ...{ name, driver: 'directory', root: at, pools: [{ name: 'p', total_gb: 1 }] },
})

describe('back ends of directories', () => {
  test('are not in one directory, nor one inside the other, whatever it is called', async () => {
    await mkdir(join(root, 'one'))
    await symlink(join(root, 'one'), join(root, 'link'))
    for (const second of ['one', 'one/', './one', 'one/inner', 'link', '.', 'two/../one']) {
      const backends = [directory('a', join(root, 'one')), directory('b', `${root}/${second}`)]
      await expect(backendsIn({ host: 'farm', backends }), second).rejects.toThrow(
        /The back ends a \(root .*one\) and b \(root .*\) must not be/,
      )
    }
    const backends = [directory('a', join(root, 'one')), directory('b', join(root, 'one-more'))]
    expect((await backendsIn({ host: 'farm', backends })).backends).toHaveLength(2)
  })

  test('keep apart from those of other files as well', () => {
    const world = new World()
    let last = 0
    const uuid = () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`
    const declare = (owner: string, name: string, at: string) => {
      const pools = [{ name: 'p', totalGb: 1, reservedPercentage: 0, overSubscription: 1, capabilities: {} }]
      const backend: DeclaredBackend = {
        ...{ name, driver: 'directory', settings: { root: at }, availabilityZone: 'nova' },
        ...{ capabilities: {}, pools },
      }
      const declared = { host: 'farm', backends: [backend] }
      const decision = declareBackends(world, { declared, owner, newUuids: [uuid(), uuid()] }, 1)
      if (decision.ok) world.apply(decision.change)
      return decision.ok ? 'accepted' : decision.refusal
    }
    expect(declare('one', 'a', '/srv/shares')).toBe('accepted')
    expect(declare('two', 'b', '/srv/shares/b')).toEqual({
      kind: 'backend-roots',
      one: { backend: 'farm@a', root: '/srv/shares' },
      other: { backend: 'farm@b', root: '/srv/shares/b' },
    })
    expect(declare('two', 'b', '/srv/shares-too')).toBe('accepted')
    // In place of the one that had it.
    expect(declare('one', 'c', '/srv/shares')).toBe('accepted')
  })
})
