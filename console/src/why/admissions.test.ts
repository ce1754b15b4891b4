import { describe, expect, test } from 'vitest'
import type { ChangeAdvice, HostReport } from '../../../src/wire/schedule-explanation.ts'
import { admissionsOf, placeOf } from './admissions.ts'

const report = (host: string, facts: Readonly<Record<string, unknown>>): HostReport => ({
  host,
  provider: `uuid-${host}`,
  verdict: 'refused',
  misses: [],
  notes: [],
  weight: null,
  contributions: [],
  refusals: [{ filter: 'F', reasons: [{ code: 'extra-spec.missing', text: '', facts }] }],
})

describe('what would admit hosts', () => {
  test('has the facts of the first host that it is about', () => {
    const step = {
      filter: 'F',
      code: 'extra-spec.missing',
      text: 'add the host to a host aggregate',
      command: null,
    }
    const admits = ['h-1', 'h-2'].map(host => ({ host, provider: `uuid-${host}` }))
    const changes: ChangeAdvice[] = [
      { kind: 'drop-zone', text: '' },
      { kind: 'admit-hosts', text: '', hosts: 2, admits, steps: [step] },
    ]
    expect(admissionsOf(changes, [report('h-1', { name: 'tier' })])).toEqual([
      {
        hosts: [
          { name: 'h-1', provider: 'uuid-h-1' },
          { name: 'h-2', provider: 'uuid-h-2' },
        ],
        steps: [{ code: 'extra-spec.missing', text: step.text, command: null, facts: { name: 'tier' } }],
      },
    ])
  })

  test('leads to the aggregates it is about', () => {
    const all = [
      { id: 1, name: 'gold', metadata: { tier: 'gold' } },
      { id: 2, name: 'rack', metadata: {} },
    ]
    const [text, command] = ['', null]
    expect(
      placeOf({ code: 'extra-spec.missing', text, command, facts: { name: 'tier' } }, all),
    ).toMatchObject({
      aggregates: [{ id: 1, name: 'gold' }],
      flavor: true,
    })
    const found = [{ aggregate: { id: 7, name: 'seven' } }, { aggregate: { id: 7, name: 'seven' } }]
    expect(placeOf({ code: 'extra-spec.mismatch', text, command, facts: { found } }, all).aggregates).toEqual(
      [{ id: 7, name: 'seven' }],
    )
    const aggregate = { id: 9, name: 'nine' }
    expect(placeOf({ code: 'demand.missing', text, command, facts: { aggregate } }, all).aggregates).toEqual([
      aggregate,
    ])
    expect(placeOf({ code: 'zone.other', text, command, facts: { zones: ['b'] } }, all)).toMatchObject({
      zones: ['b'],
    })
    expect(placeOf({ code: 'host.disabled', text, command, facts: {} }, all)).toMatchObject({
      host: true,
      aggregates: [],
    })
  })
})
