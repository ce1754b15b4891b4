import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { adminTokenPath, ensureAdminToken, readAdminToken, TokenFileRefused } from './token-file.ts'

let dir: string
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'berth-token-')), 'data')
})
afterEach(() => rm(join(dir, '..'), { recursive: true }))

test('the first call makes the directory and a token of 32 random bytes', async () => {
  const made = await ensureAdminToken(dir)
  expect(made.created).toBe(true)
  expect(Buffer.from(made.token, 'base64url')).toHaveLength(32)
  expect(await readFile(adminTokenPath(dir), 'utf8')).toBe(`${made.token}\n`)
})

test('only the owner can read the token and the directory', async () => {
  await ensureAdminToken(dir)
  expect((await stat(adminTokenPath(dir))).mode & 0o777).toBe(0o600)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
})

test('later calls find the same token', async () => {
  const { token } = await ensureAdminToken(dir)
  expect(await ensureAdminToken(dir)).toEqual({ token, created: false })
  expect(await readAdminToken(dir)).toBe(token)
})

test('of many calls at once one makes the token and all see it, and no draft is left', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => ensureAdminToken(dir)))
  expect(all.filter(one => one.created)).toHaveLength(1)
  expect(new Set(all.map(one => one.token)).size).toBe(1)
  expect(await readdir(dir)).toEqual(['admin-token'])
})

test('a directory without a token has none', async () => {
  expect(await readAdminToken(dir)).toBeNull()
})

test.each(['', '\n', 'short\n', 'two tokens in one file\n', 'unprintable\u0007characters'])(
  'a file that holds %j is refused with its path',
  async text => {
    await ensureAdminToken(dir)
    await writeFile(adminTokenPath(dir), text)
    await expect(readAdminToken(dir)).rejects.toThrow(TokenFileRefused)
    await expect(ensureAdminToken(dir)).rejects.toThrow(adminTokenPath(dir))
  },
)
