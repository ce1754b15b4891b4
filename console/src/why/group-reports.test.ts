import { expect, test } from 'vitest'
import type { HostReport } from '../../../src/wire/schedule-explanation.ts'
import { groupReports } from './group-reports.ts'

const report = (host: string, verdict: HostReport['verdict'], ...misses: string[]): HostReport => ({
  host,
  provider: host,
  verdict,
  misses,
  refusals: [],
  notes: [],
  weight: null,
  contributions: [],
})

test('hosts with the same reasons are one group, at the place of the first; those that pass stay alone', () => {
  const groups = groupReports([
    report('a', 'passes'),
    report('b', 'passes'),
    report('c1', 'no-room', 'c1: no VCPU'),
    report('d1', 'no-room', 'd1: no DISK_GB'),
    report('e1', 'no-room', 'e1: no VCPU'),
  ])
  expect(groups.map(group => group.map(({ host }) => host))).toEqual([['a'], ['b'], ['c1', 'e1'], ['d1']])
})
