/** A tenant changes what is in a share while Berth works on it, between any two of its calls to the file system. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DirectoryDriver } from './directory.driver.ts'

/** Called before each call to the file system. */
const tenant = { turn: (): void => undefined }
const real = { ...promises }

beforeAll(() => {
  for (const [name, call] of Object.entries(real))
    if (typeof call === 'function')
      Object.assign(promises, {
        [name]: (...args: never[]) => {
          tenant.turn()
          return (call as (...args: never[]) => unknown)(...args)
        },
      })
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(promises, real)
  syncBuiltinESMExports()
})

const SECRET = 'the admin token'
let base: string
const at = (...parts: string[]): string => join(base, ...parts)
const s1 = { pool: 'p', share: 's1' }

beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'berth-races-'))
  fs.mkdirSync(at('secrets'))
  fs.writeFileSync(at('secrets', 'token'), SECRET)
  fs.mkdirSync(at('root'))
  fs.mkdirSync(at('other'))
})
afterEach(() => {
  tenant.turn = () => undefined
  fs.rmSync(base, { recursive: true, force: true })
})

const open = (root = at('root')) =>
  new DirectoryDriver({
    id: 'provider',
    backend: 'farm@disks',
    settings: { root },
    quotaCommand: [],
    ownPaths: [],
  }).adopt(1)

/** A share with a file and a directory, as often as it is called. */
function fill(): void {
  const share = at('root', 'p', 's1')
  fs.rmSync(share, { recursive: true, force: true })
  fs.mkdirSync(join(share, 'd', 'token.d'), { recursive: true })
  fs.writeFileSync(join(share, 'file'), 'plain')
  fs.writeFileSync(join(share, 'd', 'token'), 'plain')
}

/** Where the share is: what is being deleted is moved first, and can still be changed by who has a handle on it. */
function place(): string {
  const staging = at('root', '.berth', 'provider', 'epoch-1')
  const gone = fs.readdirSync(staging).find(name => name.startsWith('gone-'))
  return gone === undefined ? at('root', 'p', 's1') : join(staging, gone)
}

/** In its place comes a link, all at once. */
function swap(path: string, target: string): void {
  if (!fs.existsSync(path)) return
  fs.symlinkSync(target, at('link'))
  fs.renameSync(path, at(`was-${Math.random()}`))
  fs.renameSync(at('link'), path)
}

const swaps: Record<string, () => void> = {
  'a file for a link': () => swap(join(place(), 'file'), at('secrets', 'token')),
  'a directory for a link': () => swap(join(place(), 'd'), at('secrets')),
}

/** Every file below, links not followed, as one text. */
function contents(path: string): string {
  const found = fs.lstatSync(path)
  if (found.isDirectory())
    return fs
      .readdirSync(path)
      .map(name => contents(join(path, name)))
      .join('|')
  return found.isFile() ? fs.readFileSync(path, 'utf8') : ''
}

/** The deed once for each of its calls, with the swap before that call. */
async function atEachCall(
  deed: () => Promise<unknown>,
  change: () => void,
  check: () => void,
): Promise<number> {
  for (let turn = 0; ; turn++) {
    fill()
    let calls = 0
    tenant.turn = () => {
      if (calls++ === turn) change()
    }
    await deed().catch(() => undefined)
    tenant.turn = () => undefined
    check()
    if (calls <= turn) return calls
  }
}

describe.each(Object.entries(swaps))('a tenant swaps %s', (_name, change) => {
  const unread = (...places: string[]) => {
    for (const path of places) if (fs.existsSync(path)) expect(contents(path)).not.toContain(SECRET)
    expect(fs.readFileSync(at('secrets', 'token'), 'utf8')).toBe(SECRET)
  }

  test('while a snapshot is taken: what the link leads to is not copied', async () => {
    const driver = await open()
    const snapshots = at('root', 'p', '.snapshots')
    const deed = () => driver.snapshot({ ...s1, snapshot: 'n1' })
    const calls = await atEachCall(deed, change, () => {
      unread(snapshots)
      fs.rmSync(snapshots, { recursive: true, force: true })
    })
    expect(calls).toBeGreaterThan(10)
  })

  test('while it is moved to another back end', async () => {
    const [source, target] = [await open(), await open(at('other'))]
    const wish = { ...s1, sizeGb: 1, snapshots: [], source: { ...s1, driver: source } }
    const deed = () => target.finish(wish)
    await atEachCall(deed, change, () => {
      unread(at('other', 'p'))
      fs.rmSync(at('other', 'p'), { recursive: true, force: true })
    })
  })

  test('while it is deleted or measured: nothing outside goes or counts', async () => {
    const driver = await open()
    await atEachCall(
      () => driver.remove(s1),
      change,
      () => unread(),
    )
    fs.truncateSync(at('secrets', 'token'), 2 ** 31)
    const sizes: unknown[] = []
    const measure = () => driver.resize({ ...s1, sizeGb: 1 }).catch(reason => sizes.push(reason))
    await atEachCall(measure, change, () => expect(sizes).toEqual([]))
  })
})

/** A process of its own, as fast as it can. */
const SWAPPER = `
const fs = require('node:fs')
const [file, plain, link, dir, inner, dirLink] = process.argv.slice(1)
process.on('disconnect', () => process.exit())
process.send('ready')
const turn = () => {
  for (let i = 0; i < 200; i++) {
    fs.linkSync(link, file + '.1'); fs.renameSync(file + '.1', file)
    fs.renameSync(dir, inner); fs.renameSync(dirLink, dir)
    fs.linkSync(plain, file + '.1'); fs.renameSync(file + '.1', file)
    fs.renameSync(dir, dirLink); fs.renameSync(inner, dir)
  }
  setImmediate(turn)
}
turn()
`

test('a process that swaps links and files all the time reads nothing by snapshots', async () => {
  const driver = await open()
  fill()
  const share = at('root', 'p', 's1')
  fs.writeFileSync(at('plain'), 'plain')
  fs.symlinkSync(at('secrets', 'token'), at('to-file'))
  fs.symlinkSync(at('secrets'), at('to-directory'))
  const args = [
    join(share, 'file'),
    at('plain'),
    at('to-file'),
    join(share, 'd'),
    at('was'),
    at('to-directory'),
  ]
  const child: ChildProcess = spawn(process.execPath, ['-e', SWAPPER, ...args], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await new Promise(resolve => child.once('message', resolve))
  for (let turn = 0; turn < 40; turn++)
    await driver.snapshot({ ...s1, snapshot: `n${turn}` }).catch(() => undefined)
  const end = once(child, 'exit')
  child.disconnect()
  await end
  expect(contents(at('root', 'p', '.snapshots'))).not.toContain(SECRET)
})

test('fifos do not hold it up, files with holes stay small, set-id bits go with their owner only', async () => {
  const driver = await open()
  fill()
  const share = at('root', 'p', 's1')
  execFileSync('mkfifo', [join(share, 'fifo')])
  fs.writeFileSync(join(share, 'holes'), 'end')
  fs.truncateSync(join(share, 'holes'), 2 ** 25)
  fs.writeFileSync(join(share, 'tool'), 'x'.repeat(3000))
  fs.chmodSync(join(share, 'tool'), 0o4755)
  fs.chmodSync(join(share, 'd'), 0o555)
  await driver.snapshot({ ...s1, snapshot: 'n1' })
  const copy = at('root', 'p', '.snapshots', 's1', 'n1')
  expect(fs.readdirSync(copy).sort()).toEqual(['d', 'file', 'holes', 'tool'])
  const holes = fs.statSync(join(copy, 'holes'))
  expect(holes.size).toBe(2 ** 25)
  expect(holes.blocks * 512).toBeLessThan(2 ** 22)
  expect(contents(join(copy, 'tool'))).toBe('x'.repeat(3000))
  expect(fs.statSync(join(copy, 'tool')).mode & 0o7777).toBe(0o4755)
  expect(fs.statSync(join(copy, 'd')).mode & 0o777).toBe(0o555)
  fs.truncateSync(join(share, 'holes'), 2 ** 43)
  await expect(driver.snapshot({ ...s1, snapshot: 'n2' })).rejects.toThrow(
    'larger than the whole file system',
  )
  await driver.remove(s1)
  expect(fs.readdirSync(at('root', '.berth', 'provider', 'epoch-1'))).toEqual([])
})

test('a tree deeper than 128 directories is not copied, and is removed', async () => {
  const driver = await open()
  fill()
  const deepest = at('root', 'p', 's1', ...Array.from({ length: 300 }, () => 'sub'))
  fs.mkdirSync(deepest, { recursive: true })
  fs.writeFileSync(join(deepest, 'leaf'), '')
  await expect(driver.snapshot({ ...s1, snapshot: 'n1' })).rejects.toThrow('nested deeper than 128')
  await expect(driver.resize({ ...s1, sizeGb: 1 })).rejects.toThrow('nested deeper than 128')
  await driver.remove(s1)
  expect(fs.existsSync(at('root', 'p', 's1'))).toBe(false)
  expect(fs.readdirSync(at('root', '.berth', 'provider', 'epoch-1'))).toEqual([])
})

test('names that are no UTF-8 are copied and removed as they are', async () => {
  const driver = await open()
  fill()
  const name = Buffer.from([0x66, 0xfc, 0x72])
  fs.writeFileSync(Buffer.concat([Buffer.from(`${at('root', 'p', 's1')}/`), name]), 'latin')
  await driver.snapshot({ ...s1, snapshot: 'n1' })
  const names = fs.readdirSync(at('root', 'p', '.snapshots', 's1', 'n1'), { encoding: 'buffer' })
  expect(names.some(one => one.equals(name))).toBe(true)
  await driver.remove(s1)
  expect(fs.readdirSync(at('root', 'p'))).toEqual(['.snapshots'])
  expect(fs.readdirSync(at('root', 'p', '.snapshots'))).toEqual([])
})

test('no driver uses what follows links on its way down: rm and cp of Node', () => {
  const directory = new URL('.', import.meta.url)
  for (const file of fs.readdirSync(directory).filter(name => name.endsWith('.driver.ts')))
    for (const [, names = ''] of fs
      .readFileSync(new URL(file, directory), 'utf8')
      .matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g))
      expect(names.split(/[\s,]+/), file).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(rm|cp)$/)]),
      )
})
