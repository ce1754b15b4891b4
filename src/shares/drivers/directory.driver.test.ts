import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DirectoryDriver } from './directory.driver.ts'
import { Superseded, TooSmall } from './driver.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-directory-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const open = (more: { quotaCommand?: string[]; id?: string; at?: string } = {}) =>
  new DirectoryDriver({
    ...{ id: more.id ?? 'provider', backend: 'farm@disks', settings: { root: more.at ?? root } },
    quotaCommand: more.quotaCommand ?? [],
  })
const s1 = { pool: 'p', share: 's1' }
const fresh = { ...s1, sizeGb: 1, from: null }
const path = (...parts: string[]) => join(root, 'p', ...parts)

/** What people would find in a directory. */
const seen = async (...parts: string[]) =>
  (await readdir(join(root, ...parts))).filter(name => !name.startsWith('.'))

describe('a share is a directory', () => {
  test('it is made, exported by its path, and goes with all that is in it; each may be asked twice', async () => {
    const driver = open()
    await driver.adopt(1)
    expect(await driver.create(fresh)).toEqual({ exportPath: path('s1') })
    await writeFile(path('s1', 'a'), 'text')
    expect(await driver.create(fresh)).toEqual({ exportPath: path('s1') })
    expect(await readFile(path('s1', 'a'), 'utf8')).toBe('text')
    await driver.remove(s1)
    expect(await seen('p')).toEqual([])
    await driver.remove(s1)
    expect(await readdir(join(root, '.berth', 'provider', 'epoch-1'))).toEqual([])
  })

  test('a snapshot keeps what was there, and a share can be made from it', async () => {
    const driver = open()
    await driver.adopt(1)
    await driver.create(fresh)
    await mkdir(path('s1', 'd'))
    await writeFile(path('s1', 'd', 'a'), 'first')
    await driver.snapshot({ ...s1, snapshot: 'n1' })
    await writeFile(path('s1', 'd', 'a'), 'second')
    await driver.snapshot({ ...s1, snapshot: 'n1' })
    await driver.create({ pool: 'q', share: 's2', sizeGb: 1, from: { ...s1, snapshot: 'n1' } })
    expect(await readFile(join(root, 'q', 's2', 'd', 'a'), 'utf8')).toBe('first')
    await driver.dropSnapshot({ ...s1, snapshot: 'n1' })
    expect(await readdir(path('.snapshots'))).toEqual([])
  })

  test('it cannot become smaller than what is in it', async () => {
    const driver = open()
    await driver.adopt(1)
    await driver.create(fresh)
    await writeFile(path('s1', 'a'), 'text')
    await driver.resize({ ...s1, sizeGb: 1 })
    await expect(driver.resize({ ...s1, sizeGb: 0 })).rejects.toThrow(TooSmall)
  })

  test('a move copies it, brings the copy up to date, and leaves the source to be dropped', async () => {
    const source = open({ id: 'one', at: join(root, 'one') })
    const target = open({ id: 'two', at: join(root, 'two') })
    await mkdir(join(root, 'one'))
    await mkdir(join(root, 'two'))
    await source.adopt(1)
    await target.adopt(1)
    await source.create(fresh)
    await writeFile(join(root, 'one', 'p', 's1', 'a'), 'before')
    const wish = { pool: 'q', share: 's1', sizeGb: 1, snapshots: [], source: { ...s1, driver: source } }
    await target.copy(wish)
    await writeFile(join(root, 'one', 'p', 's1', 'a'), 'after')
    expect(await target.finish(wish)).toEqual({ exportPath: join(root, 'two', 'q', 's1') })
    expect(await readFile(join(root, 'two', 'q', 's1', 'a'), 'utf8')).toBe('after')
    await source.dropSource(s1)
    expect(await seen('one', 'p')).toEqual([])
    // Once more, as after a death between the deed and its record.
    await target.finish(wish)
    expect(await readFile(join(root, 'two', 'q', 's1', 'a'), 'utf8')).toBe('after')
  })

  test('its size is set by a command of the operator, and a share that it fails for is not made', async () => {
    const script = join(root, 'limit.sh')
    await writeFile(script, `#!/bin/sh\n[ "$2" != 3 ] && echo "$1 $2" >> ${root}/limits\n`)
    await chmod(script, 0o755)
    const driver = open({ quotaCommand: [script, '{share}', '{size_gb}'] })
    await driver.adopt(1)
    await driver.create(fresh)
    await driver.resize({ ...s1, sizeGb: 2 })
    expect(await readFile(join(root, 'limits'), 'utf8')).toBe('s1 1\ns1 2\n')
    await expect(driver.create({ ...fresh, share: 's3', sizeGb: 3 })).rejects.toThrow()
  })
})

describe('who was thought dead changes nothing any more', () => {
  test('neither what it makes nor what it takes away comes to anything once another has taken over', async () => {
    const zombie = open()
    await zombie.adopt(1)
    await zombie.create(fresh)
    const heir = open()
    await heir.adopt(2)
    await expect(zombie.create({ ...fresh, share: 's2' })).rejects.toThrow(Superseded)
    await expect(zombie.remove(s1)).rejects.toThrow(Superseded)
    expect(await seen('p')).toEqual(['s1'])
    await heir.remove(s1)
    expect(await seen('p')).toEqual([])
  })

  test('it cannot take the back end back with its old epoch', async () => {
    const heir = open()
    await heir.adopt(2)
    await expect(open().adopt(1)).rejects.toThrow(Superseded)
    await heir.create(fresh)
    expect(await seen('p')).toEqual(['s1'])
  })

  test('a copy that it was in the middle of leads nowhere', async () => {
    const zombie = open()
    await zombie.adopt(1)
    await zombie.create(fresh)
    for (let at = 0; at < 300; at++) await writeFile(path('s1', `f${at}`), 'x'.repeat(1000))
    const copying = zombie.snapshot({ ...s1, snapshot: 'n1' }).then(
      () => 'done',
      error => error.name as string,
    )
    await open().adopt(2)
    // It was either done before, and whole, or is never seen.
    const outcome = await copying
    const there = await stat(path('.snapshots', 's1', 'n1')).then(
      () => true,
      () => false,
    )
    expect(there).toBe(outcome === 'done')
    if (there) expect((await readdir(path('.snapshots', 's1', 'n1'))).length).toBe(300)
  })

  test('a store that was made anew has nothing to do with the epochs of the old one', async () => {
    await open({ id: 'old' }).adopt(57)
    const driver = open({ id: 'new' })
    await driver.adopt(1)
    await driver.create(fresh)
    expect(await seen('p')).toEqual(['s1'])
  })
})
