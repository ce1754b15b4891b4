import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DirectoryDriver } from './directory.driver.ts'
import { type AccessRule, type ShareAccess, Superseded } from './driver.ts'

let place: string

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-exports-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

const SHARE = '60de4b77-0823-4863-bca7-056db508e9be'

const rule = (to: string, isReadOnly = false, type = 'ip'): AccessRule => ({ id: to, type, to, isReadOnly })
const access = (rules: readonly AccessRule[], more: Partial<ShareAccess> = {}): ShareAccess => ({
  number: 7,
  pool: 'p',
  share: SHARE,
  protocol: 'NFS',
  rules,
  ...more,
})

async function open(settings: object = {}, epoch = 1): Promise<DirectoryDriver> {
  const root = join(place, 'root')
  await mkdir(root, { recursive: true })
  const parts = { id: 'id', backend: 'farm@a', quotaCommand: [], ownPaths: [] }
  return new DirectoryDriver({ ...parts, settings: { root, ...settings } }).adopt(epoch)
}

const exported = () => readFile(join(place, 'root', '.berth', 'exports'), 'utf8')

describe('the exports file', () => {
  test('has a line for each share, with the most specific client first', async () => {
    const driver = await open()
    const rules = [rule('10.0.0.0/8', true), rule('10.0.0.5'), rule('fd00::/64'), rule('bobb', false, 'user')]
    await driver.updateAccess(() => [access(rules), access([], { share: 'closed' })])
    const options = `sync,no_subtree_check,no_root_squash,fsid=${SHARE}`
    expect(await exported()).toBe(
      '# Berth writes this for back end farm\\100a: changes are lost.\n' +
        `${join(place, 'root', 'p', SHARE)} fd00::/64(rw,${options}) 10.0.0.5(rw,${options}) 10.0.0.0/8(ro,${options})\n`,
    )
  })

  test('escapes all characters of a path', async () => {
    const driver = await open({ squash: 'all_squash' })
    await driver.updateAccess(() => [access([rule('10.0.0.5')], { pool: 'a b"\'#(\\\n*é' })])
    const lines = (await exported()).trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('/a\\040b\\042\\047\\043\\050\\134\\012\\052\\303\\251/')
    expect(lines[1]?.split(' ')).toHaveLength(2)
  })

  test('of NFS-Ganesha has a block for each share, and quotes what a path has', async () => {
    const ganesha_file = join(place, 'ganesha.conf')
    const driver = await open({ ganesha_file })
    const rules = [rule('0.0.0.0/0', true), rule('10.0.0.5')]
    await driver.updateAccess(() => [access(rules, { pool: 'a "b"\\\nc' })])
    const text = await readFile(ganesha_file, 'utf8')
    expect(text).toContain(`Path = "${join(place, 'root')}/a \\"b\\"\\\\\\nc/${SHARE}";`)
    expect(text).toContain('Access_Type = None;')
    expect(text.match(/CLIENT .*/g)).toEqual([
      'CLIENT { Clients = 10.0.0.5; Access_Type = RW; }',
      'CLIENT { Clients = 0.0.0.0/1, 128.0.0.0/1; Access_Type = RO; }',
    ])
    expect(text).toContain('Export_Id = 8;')
  })

  test('of NFS-Ganesha gives two shares two different numbers', async () => {
    const ganesha_file = join(place, 'ganesha.conf')
    const driver = await open({ ganesha_file })
    const numbers = [65_533, 131_067, 5]
    await driver.updateAccess(() => numbers.map(number => access([rule('10.0.0.5')], { number })))
    const ids = (await readFile(ganesha_file, 'utf8')).match(/Export_Id = \d+/g)
    expect(ids).toEqual(['Export_Id = 65534', 'Export_Id = 1', 'Export_Id = 6'])
  })

  test('is written by the newest epoch alone', async () => {
    const exports_file = join(place, 'elsewhere')
    const old = await open({ exports_file }, 1)
    await old.updateAccess(() => [access([rule('10.0.0.5')])])
    const next = await open({ exports_file }, 2)
    await next.updateAccess(() => [])
    await expect(old.updateAccess(() => [access([rule('10.0.0.5')])])).rejects.toThrow(Superseded)
    expect(await readFile(exports_file, 'utf8')).not.toContain('10.0.0.5')
  })

  test('asks for the rules when it writes: the last writing has the newest', async () => {
    const driver = await open()
    let to = '10.0.0.1'
    const list = () => [access([rule(to)])]
    const first = driver.updateAccess(list)
    to = '10.0.0.2'
    await Promise.all([first, driver.updateAccess(list), driver.updateAccess(list)])
    expect(await exported()).toContain(' 10.0.0.2(')
  })
})

describe('reload_command', () => {
  test('runs after the file is there, without a shell', async () => {
    const file = join(place, 'exports')
    const copy = join(place, 'copy; $(echo x)')
    const driver = await open({ exports_file: file, reload_command: ['cp', file, copy] })
    await driver.updateAccess(() => [access([rule('10.0.0.5')])])
    expect(await readFile(copy, 'utf8')).toBe(await readFile(file, 'utf8'))
  })

  test('that fails is logged, and runs again with the next change', async () => {
    const script = join(place, 'reload')
    await writeFile(script, '#!/bin/sh\necho not now >&2\nexit 3\n')
    await chmod(script, 0o755)
    const driver = await open({ reload_command: [script] })
    const update = () => driver.updateAccess(() => [access([rule('10.0.0.5')])])
    await expect(update()).rejects.toThrow(`reload_command ${script} failed: code 3: not now`)
    await writeFile(script, '#!/bin/sh\nexit 0\n')
    await update()
  })

  test('that is missing is logged', async () => {
    const driver = await open({ reload_command: [join(place, 'nothing')] })
    await expect(driver.updateAccess(() => [])).rejects.toThrow(/failed: code ENOENT/)
  })
})

describe('a rule that an NFS server cannot apply', () => {
  test.each([
    ['user', 'bobb', 'NFS', 'a rule of type user cannot be applied, only those of type ip'],
    ['ip', '10.0.0.1', 'CIFS', 'shares of protocol CIFS are not exported, only those of NFS'],
    ['ip', '10.0.0.1', 'NFS', null],
    ['ip', 'fd00::/112', 'NFS', 'NFS-Ganesha takes prefixes of IPv6 networks up to 99, and whole addresses'],
  ])('of %s %s to a share of %s', async (type, to, protocol, fault) => {
    const driver = await open({ ganesha_file: join(place, 'ganesha.conf') })
    expect(driver.findAccessFault(rule(to, false, type), protocol)).toBe(fault)
  })
})
