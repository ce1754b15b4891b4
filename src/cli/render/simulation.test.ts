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

test('nothing fits: the obstacles are printed in the words of the server', () => {
  const ends = [
    { by: 'resource', name: 'VCPU', code: 'no-inventory', hosts: 2, text: 'have none of VCPU' },
    { by: 'trait', name: 'CUSTOM_A', code: 'trait-missing', hosts: 1, text: 'lacks the trait CUSTOM_A' },
    { by: 'filter', name: 'ComputeFilter', code: 'host.disabled', hosts: 1, text: 'is disabled' },
  ]
  expect(text(fits(0, { ends }), null)).toBe(`0 more fit on 0 of 2 hosts at revision 7

ZONE  HOSTS  FITS
east      2     0

What limits it:
  2 hosts have none of VCPU
  1 host lacks the trait CUSTOM_A
  1 host is disabled (ComputeFilter)
`)
})

test('a count that was cut says so, and so does a search that gave up', () => {
  const cut = text(fits(9, { is_cut: true, is_exhausted: true, by_host_left_out: 3 }), null)
  expect(cut).toContain('at least 9 more fit on 1 of 2 hosts')
  expect(cut).toContain('Some hosts were too complex to search and were skipped.')
  expect(cut).toContain('and 3 more hosts take some')
})

test.each([
  [2, 2, 'no difference'],
  [2, 5, '3 more'],
  [5, 2, '3 fewer'],
])('from %i to %i is %s', (before, after, words) => {
  expect(text(fits(before), fits(after))).toContain(`Then ${after} more fit, on 1 of 2 hosts: ${words}\n`)
})

test('drained servers without a host are listed with the reason, and others are counted', () => {
  const drained = [
    { instance: 's1', name: 'web', from: 'h1', to: 'h2', provider: 'u2', text: null },
    { instance: 's2', name: null, from: 'h1', to: null, provider: null, text: 'No host fits.' },
  ]
  const added = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const told = text(fits(1), fits(0), { drained, stuck: 1, others: 1, added })
  expect(told).toContain('Added:\n  a, b, c, d, e and 2 more\n')
  expect(told).toContain(`Drained: 2 servers have to go elsewhere, and 1 finds no host
SERVER    FROM  TO  WHY NOT
web (s1)  h1    h2
s2        h1    -   No host fits.
`)
  expect(told).toContain('1 more consumer holds something there and is no server.\n')
  expect(told).toMatch(/h1 +1 +-\n/)
})
