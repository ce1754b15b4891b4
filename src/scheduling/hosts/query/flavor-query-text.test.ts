import { expect, test } from 'vitest'
import { describeFlavorWarning, describeHardwareFault, describeNarrowing } from './flavor-query-text.ts'

test.each([
  [
    { code: 'no-trait-name', key: 'trait:', value: 'required' },
    'trait: = "required" is ignored: it names no trait.',
  ],
  [
    { code: 'trait-conflict', suffix: '', traits: ['A', 'B'] },
    'the unsuffixed group both requires and forbids A, B: Placement refuses that.',
  ],
  [
    { code: 'trait-conflict', suffix: '_NET', traits: ['A'] },
    'group _NET both requires and forbids A: Placement refuses that.',
  ],
] as const)('a warning: %j', (warning, text) => {
  expect(describeFlavorWarning(warning)).toBe(text)
})

test.each([
  [
    { code: 'bad-value', from: 'flavor', key: 'hw:cpu_dedicated_mask', value: '9-', allowed: [] },
    'the flavor has hw:cpu_dedicated_mask = "9-", which makes no sense.',
  ],
  [
    {
      code: 'needs',
      key: 'hw:tpm_model',
      value: 'tpm-crb',
      found: '1.2',
      needs: { key: 'hw:tpm_version', value: '2.0' },
    },
    'hw:tpm_model = "tpm-crb" needs hw:tpm_version = "2.0", and it is "1.2".',
  ],
] as const)('a fault: %j', (fault, text) => {
  expect(describeHardwareFault(fault)).toBe(text)
})

test('a long value is cut', () => {
  const fault = { code: 'bad-value', from: 'image', key: 'k', value: 'x'.repeat(1_000), allowed: [] } as const
  expect(describeHardwareFault(fault).length).toBeLessThan(300)
})

test.each([
  [{ kind: 'member-of', aggregates: ['a', 'b'] }, 'requires the aggregates a, b.'],
  [{ kind: 'root-required', traits: ['A'] }, 'requires hosts with A.'],
  [{ kind: 'root-forbidden', traits: ['A'] }, 'requires hosts without A.'],
  [
    { kind: 'unknown-traits', traits: ['A'] },
    'would require A, which do not exist, so it requires none of them.',
  ],
  [
    { kind: 'impossible', because: 'no-aggregate-for-project', project: null },
    'no aggregate is for requests without a project, and one is required: no host fits.',
  ],
] as const)('a narrowing: %j', (narrowing, text) => {
  expect(describeNarrowing(narrowing)).toBe(text)
})
