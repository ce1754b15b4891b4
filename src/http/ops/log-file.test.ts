import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogFile, LogFileRefused } from './log-file.ts'

let directory: string
let path: string
let atMs = 0
let lost: string[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-log-'))
  path = join(directory, 'placement-api.log')
  atMs = 0
  lost = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const logFile = () =>
  new LogFile(
    path,
    () => atMs,
    text => lost.push(text),
  )

test('lines are appended to what is there, and others of the machine cannot read them', () => {
  for (const line of ['one\n', 'two\n']) {
    const file = logFile()
    file.write(line)
    file.close()
  }
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(path).mode & 0o007).toBe(0)
})

test('a file that was moved away is left behind within a second, and at once when asked', () => {
  const file = logFile()
  file.write('one\n')
  renameSync(path, `${path}.1`)
  file.write('two\n')
  atMs = 1_000
  file.write('three\n')
  expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['one\ntwo\n', 'three\n'])
  rmSync(path)
  file.reopen()
  file.write('four\n')
  expect(readFileSync(path, 'utf8')).toBe('four\n')
  file.close()
})

test('a file that cannot be opened is refused with its path; later, lines go elsewhere and one says why', () => {
  expect(
    () =>
      new LogFile(
        join(directory, 'no', 'log'),
        () => 0,
        () => undefined,
      ),
  ).toThrow(
    new LogFileRefused(
      `log_file = ${join(directory, 'no', 'log')} cannot be opened (its directory does not exist)`,
    ),
  )
  const file = logFile()
  file.close()
  file.write('one\n')
  file.write('two\n')
  expect(lost).toEqual([
    expect.stringContaining(`the log file ${path} cannot be written: EBADF`),
    'one\n',
    'two\n',
  ])
})
