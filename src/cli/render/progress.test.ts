import { expect, test } from 'vitest'
import { FakeEnvironment } from '../process-environment.fixture.ts'
import { bytesText, durationText, ProgressBar, progressLine, RowProgress } from './progress.ts'

test('with a total there is a bar, a rate and the time left', () => {
  const progress = { bytes: 12_300_000, bytesTotal: 24_600_000, lines: 120_000, elapsedMs: 1_500 }
  expect(progressLine('import', progress)).toBe(
    'import  [##########----------]   50%  12.3 MB of 24.6 MB  120,000 lines  8.2 MB/s  0:02 left',
  )
})

test('without a total there is how much and how long', () => {
  const progress = { bytes: 2_000, bytesTotal: null, lines: null, elapsedMs: 61_000 }
  expect(progressLine('export', progress)).toBe('export  2.0 kB  33 B/s  1:01')
})

test('the first moments have no rate', () => {
  expect(progressLine('export', { bytes: 0, bytesTotal: null, lines: 0, elapsedMs: 10 })).toBe(
    'export  0 B  0 lines',
  )
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [123_456, '123 kB'],
  [999_600, '1.0 MB'],
  [5_000_000_000_000_000, '5000 TB'],
])('%i bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

test.each([
  [1, '0:01'],
  [59_001, '1:00'],
  [3_600_000, '1:00:00'],
])('%i ms are %s', (ms, text) => expect(durationText(ms)).toBe(text))

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 3; at++) yield new TextEncoder().encode('one\ntwo\n')
}

test('on a terminal one line is drawn over and over, and taken away in the end', async () => {
  const around = new FakeEnvironment()
  around.stderr.isTerminal = true
  const bar = new ProgressBar(around, 'import', { bytesTotal: 24, countsLines: true })
  for await (const _ of bar.countBytes(chunks())) around.atMs += 400
  expect([bar.bytes, bar.lines]).toEqual([24, 6])
  expect(around.stderr.text.split('\r').map(line => line.replace('\x1b[K', ''))).toEqual([
    '',
    'import  [######--------------]   33%  8 B of 24 B  2 lines',
    'import  [#############-------]   66%  16 B of 24 B  4 lines',
    'import  [####################]  100%  24 B of 24 B  6 lines  30 B/s  0:00 left',
    '',
  ])
})

test('elsewhere nothing is drawn', async () => {
  const around = new FakeEnvironment()
  const bar = new ProgressBar(around, 'import', { bytesTotal: 24, countsLines: true })
  for await (const _ of bar.countBytes(chunks())) around.atMs += 400
  expect([bar.bytes, around.stderr.text]).toEqual([24, ''])
})

test('rows are counted phase by phase, with a bar once their number is known', () => {
  const around = new FakeEnvironment()
  around.stderr.isTerminal = true
  const progress = new RowProgress(around)
  progress.beginPhase('read', null)
  progress.addRows(1_000)
  around.atMs += 2_000
  progress.addRows(1_000)
  progress.beginPhase('copy', 2_000)
  around.atMs += 1_000
  progress.addRows(500)
  progress.clear()
  expect(around.stderr.text.split('\r').map(line => line.replace('\x1b[K', ''))).toEqual([
    '',
    'read  1,000 rows',
    'read  2,000 rows  1,000/s  0:02',
    'copy  [#####---------------]   25%  500 of 2,000 rows  0:03 left',
    '',
  ])
})
