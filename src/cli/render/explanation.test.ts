import { expect, test } from 'vitest'
import type { Explanation } from '../../wire/explanation.ts'
import { explanationText } from './explanation.ts'
import { plainLook } from './table.ts'

const step = (group: string | null, text: string, verdict: Explanation['funnel'][number]['verdict']) => ({
  group,
  constraint: { kind: 'resource' },
  text,
  providers_before: 120,
  providers_after: 12,
  trees_before: 60,
  trees_after: 6,
  verdict,
})

const refused: Explanation = {
  revision: 812,
  candidates: 0,
  capped: false,
  funnel: [
    step('', '8 of VCPU', 'narrows'),
    step('_NET', 'trait CUSTOM_A', 'blocks'),
    step(null, 'group policy isolate', 'innocent'),
  ],
  nearest: [
    {
      root: { uuid: 'u17', name: 'host-17' },
      misses: [
        {
          kind: 'short',
          provider: { uuid: 'u17', name: 'host-17' },
          text: 'host-17: MEMORY_MB needs 4096, has 3584 free of 65536',
        },
      ],
    },
  ],
  changes: [{ kind: 'ask-less', text: 'Ask for at most 3584 of MEMORY_MB instead of 4096.' }],
}

test('no candidate: the funnel, the nearest misses and what would help', () => {
  expect(explanationText(refused, plainLook)).toBe(`No candidate at revision 812

GROUP  CONSTRAINT            PROVIDERS   TREES  VERDICT
       8 of VCPU              120 → 12  60 → 6  narrows
_NET   trait CUSTOM_A         120 → 12  60 → 6  blocks
(all)  group policy isolate   120 → 12  60 → 6  innocent

The nearest misses:
  host-17  u17
    host-17: MEMORY_MB needs 4096, has 3584 free of 65536

Any one of these would give a candidate:
  Ask for at most 3584 of MEMORY_MB instead of 4096.
`)
})

test.each([
  [1, false, '1 candidate at revision 812'],
  [7, false, '7 candidates at revision 812'],
  [100, true, '100 or more candidates at revision 812'],
])('%i candidates, more of them: %s', (candidates, capped, line) => {
  const { nearest: _, ...rest } = refused
  expect(explanationText({ ...rest, candidates, capped, changes: [] }, plainLook).split('\n')[0]).toBe(line)
})
