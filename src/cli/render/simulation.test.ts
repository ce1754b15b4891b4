import { expect, test } from 'vitest'
import type { Fits, Simulation } from '../../wire/simulation.ts'
import { simulationText } from './simulation.ts'
import { plainLook } from './table.ts'

const fits = (count: number, more: Partial<Fits> = {}): Fits => ({
  fits: count,
  hosts: 2,
  hosts_that_fit: count === 0 ? 0 : 1,
  by_host_left_out: 0,
  by_zone: [{ zone: 'east', hosts: 2, fits: count }],
  by_aggregate: [],
  ends: [],
  is_cut: false,
  is_exhausted: false,
  by_host: count === 0 ? [] : [{ host: 'h1', provider: 'u1', fits: count }],
  ...more,
})

const simulation = (before: Fits, after: Fits | null, more: Partial<Simulation> = {}): Simulation => ({
  revision: 7,
  before,
  after,
  change: after === null ? null : after.fits - before.fits,
  added: [],
  drained: [],
  stuck: 0,
  others: 0,
  warnings: [],
  ...more,
})

const text = (...args: Parameters<typeof simulation>) => simulationText(simulation(...args), plainLook)

test('nothing fits: what ends it is told in words', () => {
  const ends = [
    { by: 'resource', name: 'VCPU', code: 'no-inventory', hosts: 2 },
    { by: 'resource', name: 'DISK_GB', code: 'units', hosts: 1 },
    { by: 'trait', name: 'CUSTOM_A', code: 'trait-missing', hosts: 1 },
    { by: 'filter', name: 'ComputeFilter', code: 'host.disabled', hosts: 1 },
    { by: 'combination', name: 'groups', code: 'not-together', hosts: 1 },
  ]
  expect(text(fits(0, { ends }), null)).toBe(`0 more fit on 0 of 2 hosts at revision 7

ZONE  HOSTS  FITS
east      2     0

What ends it:
  no VCPU on 2 hosts
  DISK_GB is not given out in such portions on 1 host
  trait CUSTOM_A is missing on 1 host
  ComputeFilter says no (host.disabled) on 1 host
  combination groups (not-together) on 1 host
`)
})

test('a count that was cut says so, and so does a search that gave up', () => {
  const cut = text(fits(9, { is_cut: true, is_exhausted: true, by_host_left_out: 3 }), null)
  expect(cut).toContain('at least 9 more fit on 1 of 2 hosts')
  expect(cut).toContain('Some hosts were too hard to search and were passed over.')
  expect(cut).toContain('and 3 hosts more that take some')
})

test.each([
  [2, 2, 'no difference'],
  [2, 5, '3 more'],
  [5, 2, '3 fewer'],
])('from %i to %i is %s', (before, after, words) => {
  expect(text(fits(before), fits(after))).toContain(`Then ${after} more fit, on 1 of 2 hosts: ${words}\n`)
})

test('drained servers that find no place are told with the reason, and others are counted', () => {
  const drained = [
    { instance: 's1', from: 'h1', to: 'h2', provider: 'u2', text: null },
    { instance: 's2', from: 'h1', to: null, provider: null, text: 'No host will do.' },
  ]
  const added = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const told = text(fits(1), fits(0), { drained, stuck: 1, others: 1, added })
  expect(told).toContain('Added:\n  a, b, c, d, e and 2 more\n')
  expect(told).toContain(`Drained: 2 servers have to go elsewhere, and 1 finds no place
SERVER  FROM  TO  WHY NOT
s1      h1    h2
s2      h1    -   No host will do.
`)
  expect(told).toContain('1 more consumer holds something there and is no server.\n')
  expect(told).toMatch(/h1 +1 +-\n/)
})
