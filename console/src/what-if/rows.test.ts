import { describe, expect, test } from 'vitest'
import type { Fits } from '../../../src/wire/simulation.ts'
import { hostRows, zoneRows } from './rows.ts'

function fits(hosts: Readonly<Record<string, number>>, leftOut = 0): Fits {
  const by_host = Object.entries(hosts).map(([host, count]) => ({
    host,
    provider: `uuid-${host}`,
    fits: count,
  }))
  return {
    fits: 0,
    hosts: by_host.length,
    hosts_that_fit: by_host.length,
    by_aggregate: [],
    ends: [],
    by_zone: [],
    by_host,
    by_host_left_out: leftOut,
    is_cut: false,
    is_exhausted: false,
  }
}

const textsOf = ({ rows }: ReturnType<typeof hostRows>) =>
  rows.map(({ name, before, after }) => `${name} ${before} → ${after}`)

describe('what fits by host', () => {
  test('drained hosts come first and take none, though only one answer lists them', () => {
    const simulation = { before: fits({ a: 9, b: 3, c: 5 }), after: fits({ a: 9, c: 4 }), added: [] }
    expect(textsOf(hostRows(simulation, ['b']))).toEqual(['b 3 → 0', 'c 5 → 4', 'a 9 → 9'])
    expect(textsOf(hostRows(simulation, ['uuid-b']))[0]).toBe('b 3 → 0')
    expect(textsOf(hostRows({ ...simulation, before: fits({ a: 9 }) }, ['z']))[0]).toBe('z 0 → 0')
  })

  test('who was full before had none, and who is only thought of has no page', () => {
    const simulation = { before: fits({ a: 2 }), after: fits({ a: 2, n: 7 }), added: ['n'] }
    expect(textsOf(hostRows(simulation, []))).toEqual(['n 0 → 7', 'a 2 → 2'])
    expect(hostRows(simulation, []).rows.map(({ to }) => to)).toEqual([undefined, '/providers/uuid-a'])
  })

  test('hosts that were not listed have no figure', () => {
    const simulation = { before: fits({ a: 2 }, 5), after: fits({ a: 2, b: 1 }), added: [] }
    expect(textsOf(hostRows(simulation, []))).toContain('b null → 1')
  })

  test('those that are not shown are counted', () => {
    const many = Object.fromEntries(Array.from({ length: 35 }, (_, at) => [`h${at}`, at + 1]))
    const { rows, leftOut } = hostRows({ before: fits(many), after: null, added: [] }, [])
    expect(rows[0]).toMatchObject({ name: 'h34', before: 35, after: null })
    expect([rows.length, leftOut]).toEqual([30, 5])
  })

  test('a zone that is left without hosts stays', () => {
    const zone = (name: string, count: number) => [{ zone: name, hosts: 1, fits: count }]
    const [before, after] = [{ ...fits({}), by_zone: zone('a', 3) }, fits({})]
    expect(zoneRows({ before, after })).toEqual([{ name: 'a', before: 3, after: 0 }])
  })
})
