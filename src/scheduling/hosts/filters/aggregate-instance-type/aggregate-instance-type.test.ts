import { expect, test } from 'vitest'
import type { Note, Reason } from '../../../framework/refusal.ts'
import { DEFAULT_SETTINGS } from '../../../framework/settings.ts'
import { aggregate, flavor, host, request } from '../../views.fixture.ts'
import {
  aggregateInstanceTypeFilter,
  listAggregateWarnings,
  listFlavorWarnings,
} from './aggregate-instance-type.ts'
import { addForce } from './example.fixture.ts'

type Texts = Readonly<Record<string, string>>

function asked(
  extraSpecs: Texts,
  ...metadata: Texts[]
): { reasons: readonly Reason[]; notes: readonly Note[] } {
  const aggregates = metadata.map((one, at) => aggregate(one, `a${at + 1}`))
  const verdict = aggregateInstanceTypeFilter.check(
    request({ flavor: flavor(extraSpecs) }),
    host({ aggregates }),
    DEFAULT_SETTINGS,
  )
  return { reasons: verdict.passes ? [] : verdict.reasons, notes: verdict.notes }
}

test('a refusal shows the requirement, and every value with the aggregate that gave it', () => {
  const { reasons } = asked(
    { tier: '<or> gold <or> ~' },
    { tier: 'lead, tin' },
    { rack: '7' },
    { tier: 'zinc' },
  )
  expect(reasons).toMatchObject([
    {
      code: 'extra-spec.mismatch',
      facts: {
        direction: 'flavor-to-host',
        key: 'tier',
        requirement: '<or> gold <or> ~',
        meaning: 'value-or-absent',
        found: [
          { aggregate: { name: 'a1' }, text: 'lead, tin', values: ['lead', 'tin'], forced: false },
          { aggregate: { name: 'a3' }, text: 'zinc', values: ['zinc'], forced: false },
        ],
      },
    },
  ])
})

test('a demand names the aggregate, what it wants and what the flavor has instead', () => {
  const { reasons } = asked(
    { tier: 'gold' },
    { tier: 'gold' },
    addForce({ tier: '<or> tin <or> zinc', rack: '*' }),
  )
  expect(reasons).toMatchObject([
    {
      code: 'demand.mismatch',
      facts: {
        direction: 'aggregate-to-flavor',
        aggregate: { name: 'a2' },
        key: 'tier',
        demand: '<or> tin <or> zinc',
        values: ['tin', 'zinc'],
        flavor: { key: 'tier', requirement: 'gold', meaning: 'value' },
      },
    },
    {
      code: 'demand.missing',
      facts: { aggregate: { name: 'a2' }, key: 'rack', meaning: 'any-value', flavor: null },
    },
  ])
})

test.each([
  [{ a: '*' }, {}, 'extra-spec.missing', 'any-value'],
  [{ a: '!' }, { a: '1' }, 'extra-spec.present', 'absent'],
  [{ a: '~' }, { a: '1' }, 'extra-spec.present', 'absent'],
  [{ a: '<or> ! <or> *' }, {}, 'extra-spec.impossible', 'contradiction'],
  [{ a: '<or>' }, {}, 'extra-spec.impossible', 'nothing'],
  [{ a: '>=' }, { a: '1' }, 'extra-spec.impossible', 'nothing'],
  [{ a: '>= nan' }, { a: '1' }, 'extra-spec.impossible', 'nothing'],
  [{}, addForce({ a: '1' }), 'demand.missing', 'value'],
  [{}, addForce({ a: '!,*' }), 'demand.impossible', 'contradiction'],
  [{}, addForce({ a: '<or>' }), 'demand.impossible', 'nothing'],
] as const)('%j and %j: %s, meaning %s', (extraSpecs, metadata, code, meaning) => {
  expect(asked(extraSpecs, metadata).reasons).toMatchObject([{ code, facts: { meaning } }])
})

test('a flavor with a key that is unwanted is refused both ways, each with its reason', () => {
  const codes = asked({ gpu: '1' }, addForce({ gpu: '!' })).reasons.map(({ code }) => code)
  expect(codes).toEqual(['extra-spec.mismatch', 'demand.unwanted'])
})

test('all reasons are named, not only the first', () => {
  const { reasons } = asked({ a: '1', b: '2', 'hw:c': '3' }, { b: '3', 'hw:c': '4' })
  expect(reasons.map(({ facts }) => ('key' in facts ? facts.key : null))).toEqual(['a', 'b', 'hw:c'])
})

test('what cannot be compared is in the reason, value by value', () => {
  const { reasons } = asked({ n: '>= 2' }, { n: 'many, few' })
  expect(reasons).toMatchObject([
    {
      facts: { incomparable: [{ value: 'many' }, { value: 'few', error: expect.stringContaining('"few"') }] },
    },
  ])
})

test('a key keeps its scope in the reason, beside the name that it is looked for by', () => {
  const { reasons } = asked({ 'aggregate_instance_extra_specs:hw:x': '1' }, {})
  expect(reasons).toMatchObject([{ facts: { key: 'aggregate_instance_extra_specs:hw:x', name: 'hw:x' } }])
})

test('optional keys that were skipped are noted, also on a pass', () => {
  expect(asked({ 'hw:x': '1', 'hw:y': '2' }, { 'hw:y': '2' })).toEqual({
    reasons: [],
    notes: [
      {
        code: 'key.skipped',
        facts: { key: 'hw:x', requirement: '1', because: 'optional-and-absent' },
        text: 'hw:x was skipped: it is optional, and no aggregate of the host has it.',
      },
    ],
  })
})

test('a reserved key in a flavor is noted as not looked at', () => {
  expect(asked({ force_metadata_check: 'True' }, {}).notes).toMatchObject([
    { code: 'key.skipped', facts: { because: 'reserved' } },
  ])
})

test('force that says neither true nor false is noted with its text and aggregate', () => {
  expect(asked({}, { a: '1' }, { force_metadata_check: 'yes' }).notes).toMatchObject([
    { code: 'force.unclear', facts: { aggregate: { name: 'a2' }, text: 'yes' } },
  ])
})

test('contradicting sentinels are noted where they are written, also by those who only write them', () => {
  expect(asked({ 'hw:x': '<or> ! <or> ~' }, {}).notes).toMatchObject([
    { code: 'sentinels.contradict', facts: { where: 'flavor', key: 'hw:x', text: '<or> ! <or> ~' } },
    { code: 'key.skipped' },
  ])
  expect(listFlavorWarnings(flavor({ a: '<or> * <or> !', b: '!' }))).toMatchObject([
    { code: 'sentinels.contradict', facts: { where: 'flavor', aggregate: null, key: 'a' } },
  ])
  expect(listAggregateWarnings(aggregate(addForce({ a: '<or> 1 <or> ~ <or> !' }), 'mine'))).toMatchObject([
    { code: 'sentinels.contradict', facts: { where: 'aggregate', aggregate: { name: 'mine' }, key: 'a' } },
  ])
})

test('in an aggregate that is not forced they are noted only where they are written: there they are plain text', () => {
  const dormant = { a: '<or> ~ <or> !', b: '!,*', c: '!', availability_zone: '!,*' }
  expect(listAggregateWarnings(aggregate(dormant))).toMatchObject([
    { code: 'sentinels.contradict', facts: { where: 'aggregate', key: 'a', interpreted: false } },
    { code: 'sentinels.contradict', facts: { where: 'aggregate', key: 'b', interpreted: false } },
  ])
  expect(asked({}, dormant).notes).toEqual([])
})

test('keys that every object inherits are keys like others', () => {
  for (const key of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', '']) {
    const metadata = JSON.parse(`{${JSON.stringify(key)}: "1"}`)
    expect(asked(metadata, {}).reasons).toMatchObject([{ code: 'extra-spec.missing' }])
    expect(asked(metadata, metadata).reasons).toEqual([])
  }
})

test('a forced aggregate with a key both bare and escaped demands both', () => {
  const both = addForce({ a: '1', 'aggregate_instance_extra_specs:a': '<or> 1 <or> 2' })
  expect(asked({ a: '1' }, both).reasons).toEqual([])
  expect(asked({ a: '2' }, both).reasons).toMatchObject([{ code: 'demand.mismatch', facts: { key: 'a' } }])
})
