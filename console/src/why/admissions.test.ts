import { describe, expect, test } from 'vitest'
import type { HostReport, ScheduleChange } from '../api/scheduling.ts'
import { admissionsOf, placeOf } from './admissions.ts'

const change = (host: string, text: string): ScheduleChange => ({
  ...{ kind: 'admit-host', text: `For ${host}: ${text}.`, host, provider: `uuid-${host}`, hosts: 1 },
  steps: [{ filter: 'F', code: 'extra-spec.missing', text }],
})

const report = (host: string, facts: Readonly<Record<string, unknown>>): HostReport => ({
  ...{ host, provider: `uuid-${host}`, verdict: 'refused', misses: [], notes: [], weight: null },
  contributions: [],
  refusals: [{ filter: 'F', reasons: [{ code: 'extra-spec.missing', text: '', facts }] }],
})

describe('what would admit hosts', () => {
  test('is told once for hosts that need the same', () => {
    const told = admissionsOf(
      [
        change('h-1', 'put h-1 into an aggregate'),
        change('h-2', 'put h-2 into an aggregate'),
        change('h-3', 'enable h-3'),
      ],
      [report('h-1', { name: 'tier' })],
    )
    expect(
      told.map(({ hosts, steps }) => [hosts.map(({ name }) => name), steps.map(({ text }) => text)]),
    ).toEqual([
      [['h-1', 'h-2'], ['put it into an aggregate']],
      [['h-3'], ['enable it']],
    ])
    expect(told[0]?.steps[0]?.facts).toEqual({ name: 'tier' })
  })

  test('leads to the aggregates it is about', () => {
    const all = [
      { id: 1, name: 'gold', metadata: { tier: 'gold' } },
      { id: 2, name: 'rack', metadata: {} },
    ]
    const text = ''
    expect(placeOf({ code: 'extra-spec.missing', text, facts: { name: 'tier' } }, all)).toMatchObject({
      aggregates: [{ id: 1, name: 'gold' }],
      flavor: true,
    })
    const found = [{ aggregate: { id: 7, name: 'seven' } }, { aggregate: { id: 7, name: 'seven' } }]
    expect(placeOf({ code: 'extra-spec.mismatch', text, facts: { found } }, all).aggregates).toEqual([
      { id: 7, name: 'seven' },
    ])
    const aggregate = { id: 9, name: 'nine' }
    expect(placeOf({ code: 'demand.missing', text, facts: { aggregate } }, all).aggregates).toEqual([
      aggregate,
    ])
    expect(placeOf({ code: 'zone.other', text, facts: { zones: ['b'] } }, all)).toMatchObject({
      zones: ['b'],
    })
    expect(placeOf({ code: 'host.disabled', text, facts: {} }, all)).toMatchObject({
      host: true,
      aggregates: [],
    })
  })
})
