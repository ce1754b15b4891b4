import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
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

const open = (more: { quotaCommand?: string[]; id?: string; at?: string; ownPaths?: string[] } = {}) =>
  new DirectoryDriver({
    id: more.id ?? 'provider',
    backend: 'farm@disks',
    settings: { root: more.at ?? root },
    quotaCommand: more.quotaCommand ?? [],
    ownPaths: more.ownPaths ?? [],
  })
const s1 = { pool: 'p', share: 's1' }
const fresh = { ...s1, sizeGb: 1, from: null }
const path = (...parts: string[]) => join(root, 'p', ...parts)

/** What people would find in a directory. */
const seen = async (...parts: string[]) =>
  (await readdir(join(root, ...parts))).filter(name => !name.startsWith('.'))

describe('a share is a directory', () => {
  test('it is created, exported by its path, and deleted with its contents; each call may be repeated', async () => {
    const driver = await open().adopt(1)
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
    const driver = await open().adopt(1)
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
    const driver = await open().adopt(1)
    await driver.create(fresh)
    await writeFile(path('s1', 'a'), 'text')
    await driver.resize({ ...s1, sizeGb: 1 })
    await expect(driver.resize({ ...s1, sizeGb: 0 })).rejects.toThrow(TooSmall)
  })

  test('a move copies it, brings the copy up to date, and leaves the source to be dropped', async () => {
    await mkdir(join(root, 'one'))
    await mkdir(join(root, 'two'))
    const source = await open({ id: 'one', at: join(root, 'one') }).adopt(1)
    const target = await open({ id: 'two', at: join(root, 'two') }).adopt(1)
    await source.create(fresh)
    await writeFile(join(root, 'one', 'p', 's1', 'a'), 'before')
    const wish = { pool: 'q', share: 's1', sizeGb: 1, snapshots: [], source: { ...s1, driver: source } }
    await target.copy(wish)
    await writeFile(join(root, 'one', 'p', 's1', 'a'), 'after')
    expect(await target.finish(wish)).toEqual({ exportPath: join(root, 'two', 'q', 's1') })
    expect(await readFile(join(root, 'two', 'q', 's1', 'a'), 'utf8')).toBe('after')
    // Once more, as after a death between the deed and its record.
    await target.finish(wish)
    expect(await readFile(join(root, 'two', 'q', 's1', 'a'), 'utf8')).toBe('after')
    await source.dropSource({ ...s1, keeps: [{ pool: 'q', share: 's1', driver: target }] })
    expect(await seen('one', 'p')).toEqual([])
  })

  test('a move takes along what there is of snapshots, and fails without one that should be there', async () => {
    await mkdir(join(root, 'two'))
    const source = await open({ id: 'one' }).adopt(1)
    const target = await open({ id: 'two', at: join(root, 'two') }).adopt(1)
    await source.create(fresh)
    await source.snapshot({ ...s1, snapshot: 'n1' })
    await source.snapshot({ ...s1, snapshot: 'n2' })
    const wish = { ...s1, sizeGb: 1, source: { ...s1, driver: source } }
    await target.copy({ ...wish, snapshots: ['n1'], otherSnapshots: ['n2', 'n3'] })
    expect((await readdir(join(root, 'two', 'p', '.snapshots', 's1'))).sort()).toEqual(['n1', 'n2'])
    await expect(target.copy({ ...wish, snapshots: ['n3'] })).rejects.toThrow('ENOENT')
  })

  test('a move to where it is already is refused before anything is touched', async () => {
    await symlink(root, `${root}-too`)
    const source = await open({ id: 'one' }).adopt(1)
    const target = await open({ id: 'two', at: `${root}-too` }).adopt(1)
    await source.create(fresh)
    await writeFile(path('s1', 'a'), 'the only copy')
    const wish = { ...s1, sizeGb: 1, snapshots: [], source: { ...s1, driver: source } }
    await expect(target.copy(wish)).rejects.toThrow('are one directory')
    await expect(target.finish(wish)).rejects.toThrow('are one directory')
    expect(await readFile(path('s1', 'a'), 'utf8')).toBe('the only copy')
    await source.snapshot({ ...s1, snapshot: 'n1' })
    const keeps = [{ ...s1, driver: source }]
    await target.dropCopy({ ...s1, keeps })
    await target.dropSource({ ...s1, keeps })
    expect(await readFile(path('s1', 'a'), 'utf8')).toBe('the only copy')
    expect(await readdir(path('.snapshots', 's1'))).toEqual(['n1'])
    await rm(`${root}-too`)
  })

  test('what is cleared away in a pool that leads to another is not taken from there', async () => {
    const driver = await open().adopt(1)
    await driver.create(fresh)
    await symlink('p', join(root, 'q'))
    const left = { pool: 'q', share: 's1', keeps: [{ ...s1, driver }] }
    await driver.dropCopy(left)
    await driver.dropSource(left)
    expect(await seen('p')).toEqual(['s1'])
  })

  test('the second half of a move fails while the source cannot be seen, and the copy stays until it can', async () => {
    await mkdir(join(root, 'one'))
    await mkdir(join(root, 'two'))
    const source = await open({ id: 'one', at: join(root, 'one') }).adopt(1)
    const target = await open({ id: 'two', at: join(root, 'two') }).adopt(1)
    await source.create(fresh)
    const wish = { ...s1, sizeGb: 1, snapshots: [], source: { ...s1, driver: source } }
    await target.copy(wish)
    await rename(join(root, 'one'), join(root, 'away'))
    await mkdir(join(root, 'one'))
    await expect(target.finish(wish)).rejects.toThrow('is not visible')
    const left = { ...s1, keeps: [{ ...s1, driver: source }] }
    await expect(target.dropCopy(left)).rejects.toThrow('may be the only copy')
    expect(await seen('two', 'p')).toEqual(['s1'])
    await rm(join(root, 'one'), { recursive: true })
    await rename(join(root, 'away'), join(root, 'one'))
    await target.dropCopy(left)
    expect(await seen('two', 'p')).toEqual([])
    expect(await seen('one', 'p')).toEqual(['s1'])
  })

  test('what was copied of something that failed, or was given up, does not stay', async () => {
    const driver = await open().adopt(1)
    const staged = () => readdir(join(root, '.berth', 'provider', 'epoch-1'))
    await driver.create(fresh)
    for (let at = 0; at < 50; at++) await writeFile(path('s1', `f${at}`), 'x')
    const abort = new AbortController()
    let looks = 0
    // Given up in the middle: as much is looked at as is copied.
    const signal = Object.assign(abort.signal, {
      throwIfAborted: () => {
        if (++looks > 10) throw new Error('given up')
      },
    })
    await expect(driver.snapshot({ ...s1, snapshot: 'n1' }, signal)).rejects.toThrow('given up')
    expect(looks).toBe(11)
    expect(await staged()).toEqual([])
    const wish = { pool: 'q', share: 's1', sizeGb: 1, snapshots: [], source: { ...s1, driver } }
    await driver.copy(wish)
    await expect(driver.finish(wish, AbortSignal.abort())).rejects.toThrow()
    expect(await seen('q')).toEqual(['s1'])
    await writeFile(path('in the way'), '')
    const blocked = { pool: 'p/in the way', share: 's2', sizeGb: 1, from: null }
    await expect(driver.create(blocked)).rejects.toThrow()
    expect(await staged()).toEqual([])
  })

  test('its size is set by a command of the operator, and a share that it fails for is not made', async () => {
    const script = join(root, 'limit.sh')
    await writeFile(script, `#!/bin/sh\n[ "$2" != 3 ] && echo "$1 $2" >> ${root}/limits\n`)
    await chmod(script, 0o755)
    const driver = await open({ quotaCommand: [script, '{share}', '{size_gb}'] }).adopt(1)
    await driver.create(fresh)
    await driver.resize({ ...s1, sizeGb: 2 })
    expect(await readFile(join(root, 'limits'), 'utf8')).toBe('s1 1\ns1 2\n')
    await expect(driver.create({ ...fresh, share: 's3', sizeGb: 3 })).rejects.toThrow()
  })
})

test("Berth's own files are not below the root of a back end, nor around it, wherever links lead", async () => {
  await mkdir(join(root, 'data', 'inner'), { recursive: true })
  await symlink(join(root, 'data'), join(root, 'link'))
  const own = join(root, 'data')
  for (const at of [root, own, join(root, 'link'), join(root, 'link', 'inner'), '/'])
    await expect(open({ at, ownPaths: [own] }).adopt(1), at).rejects.toThrow(
      `and Berth's own ${own} must not be the same directory`,
    )
  await mkdir(join(root, 'data-too'))
  await open({ at: join(root, 'data-too'), ownPaths: [own] }).adopt(1)
})

describe('who was thought dead changes nothing any more', () => {
  test('neither what it makes nor what it takes away comes to anything once another has taken over', async () => {
    const zombie = await open().adopt(1)
    await zombie.create(fresh)
    const heir = await open().adopt(2)
    await expect(zombie.create({ ...fresh, share: 's2' })).rejects.toThrow(Superseded)
    await expect(zombie.remove(s1)).rejects.toThrow(Superseded)
    expect(await seen('p')).toEqual(['s1'])
    await heir.remove(s1)
    expect(await seen('p')).toEqual([])
  })

  test('not even where it is the same process that has taken over', async () => {
    const driver = open()
    const before = await driver.adopt(1)
    await before.create(fresh)
    const after = await driver.adopt(2)
    await expect(before.remove(s1)).rejects.toThrow(Superseded)
    await expect(before.create({ ...fresh, share: 's2' })).rejects.toThrow(Superseded)
    await after.create({ ...fresh, share: 's3' })
    expect(await seen('p')).toEqual(['s1', 's3'])
  })

  test('nor does a step that was given up', async () => {
    const driver = await open().adopt(1)
    await driver.create(fresh)
    const given = AbortSignal.abort()
    await expect(driver.create({ ...fresh, share: 's2' }, given)).rejects.toThrow()
    await expect(driver.remove(s1, given)).rejects.toThrow()
    await expect(driver.snapshot({ ...s1, snapshot: 'n1' }, given)).rejects.toThrow()
    expect(await seen('p')).toEqual(['s1'])
    expect(await readdir(path('.snapshots', 's1'))).toEqual([])
  })

  test('it cannot take the back end back with its old epoch', async () => {
    const heir = await open().adopt(2)
    await expect(open().adopt(1)).rejects.toThrow(Superseded)
    await heir.create(fresh)
    expect(await seen('p')).toEqual(['s1'])
  })

  test('a copy that it was in the middle of leads nowhere', async () => {
    const zombie = await open().adopt(1)
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

  test('a new store is independent of the epochs of the old one', async () => {
    await open({ id: 'old' }).adopt(57)
    const driver = await open({ id: 'new' }).adopt(1)
    await driver.create(fresh)
    expect(await seen('p')).toEqual(['s1'])
  })
})
