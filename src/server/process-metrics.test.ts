import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Registry } from '../http/ops/metrics.ts'
import { addProcessMetrics } from './process-metrics.ts'

function scraped(proc: string): string[] {
  const registry = new Registry()
  addProcessMetrics(registry, proc)
  return registry
    .render()
    .split('\n')
    .filter(line => line.startsWith('process_'))
}

test('the standard names are read from /proc, for any name of the program', () => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'))
  mkdirSync(join(proc, 'self/fd'), { recursive: true })
  for (const fd of ['0', '1', '2']) writeFileSync(join(proc, 'self/fd', fd), '')
  writeFileSync(
    join(proc, 'self/stat'),
    '17 (a) odd (b) S 1 17 17 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 11 0 1000 4096000 100 184\n',
  )
  writeFileSync(join(proc, 'self/status'), 'Name:\tnode\nVmPeak:\t   99 kB\nVmRSS:\t    2048 kB\n')
  writeFileSync(
    join(proc, 'self/limits'),
    'Max open files            1024                 4096                 files\n',
  )
  writeFileSync(join(proc, 'stat'), 'cpu 1 2\nbtime 1700000000\nprocesses 1\n')
  expect(scraped(proc)).toEqual([
    'process_cpu_seconds_total 3',
    'process_resident_memory_bytes 2097152',
    'process_virtual_memory_bytes 4096000',
    'process_start_time_seconds 1700000010',
    'process_open_fds 3',
    'process_max_fds 1024',
  ])
})

test('a system without /proc has no series of them', () => {
  expect(scraped(join(tmpdir(), 'no-such-directory'))).toEqual([])
})
