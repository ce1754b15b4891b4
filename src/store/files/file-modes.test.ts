import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqlite } from '../sqlite/open.ts'
import { tightenDataDirectory } from './file-modes.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-modes-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('every file that a store makes, its log and lock too, is for its owner only', async () => {
  const store = await openSqlite({ directory })
  try {
    // Held open by a reader, so that the log and its index are there.
    const snapshot = await store.snapshot()
    const names = readdirSync(directory).sort()
    expect(names).toEqual(expect.arrayContaining(['berth.sqlite', 'berth.sqlite-wal', 'berth.sqlite-shm']))
    for (const name of names) expect([name, modeOf(join(directory, name))]).toEqual([name, 0o600])
    await snapshot.close()
  } finally {
    await store.close()
  }
})

test('files that are open to others are closed at the start, and named', async () => {
  writeFileSync(join(directory, 'berth.sqlite'), '')
  writeFileSync(join(directory, 'admin-token'), '')
  writeFileSync(join(directory, 'backends.json'), '')
  chmodSync(join(directory, 'berth.sqlite'), 0o644)
  chmodSync(join(directory, 'admin-token'), 0o640)
  chmodSync(join(directory, 'backends.json'), 0o644)
  const warnings = await tightenDataDirectory(directory)
  expect(warnings).toEqual([
    expect.stringMatching(/admin-token had mode 640; it is 600 now/),
    expect.stringMatching(/berth\.sqlite had mode 644; it is 600 now/),
  ])
  expect(modeOf(join(directory, 'berth.sqlite'))).toBe(0o600)
  expect(modeOf(join(directory, 'admin-token'))).toBe(0o600)
  expect(modeOf(join(directory, 'backends.json'))).toBe(0o644)
  expect(await tightenDataDirectory(directory)).toEqual([])
})

test('a directory that is open to others is warned about and left as it is', async () => {
  chmodSync(directory, 0o755)
  expect(await tightenDataDirectory(directory)).toEqual([
    expect.stringContaining(
      `has mode 755, so others on this machine can reach into it: chmod 700 ${directory}`,
    ),
  ])
  expect(modeOf(directory)).toBe(0o755)
})

test('links and directories are not followed, and a directory that is not there is fine', async () => {
  const elsewhere = join(directory, 'elsewhere')
  writeFileSync(elsewhere, '')
  chmodSync(elsewhere, 0o644)
  symlinkSync(elsewhere, join(directory, 'berth.link'))
  mkdirSync(join(directory, 'berth.d'), { mode: 0o755 })
  expect(await tightenDataDirectory(directory)).toEqual([])
  expect(modeOf(elsewhere)).toBe(0o644)
  expect(await tightenDataDirectory(join(directory, 'missing'))).toEqual([])
})
