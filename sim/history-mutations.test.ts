/** Servers that make a mistake on purpose: each has to be found. The others are tried by `sim/faults.ts --mutations`. */
import { expect, test } from 'vitest'
import { mutations } from './history/mutations.ts'
import { report } from './history/report.ts'
import { isWell, run } from './history/run.ts'
import { type Scenario, scenarios } from './history/scenarios.ts'

const SEED = 1
const TRIED = ['skip-lock', 'answer-before-commit', 'drop-change', 'ignore-chain']

test.each(TRIED)('%s is found', async mutation => {
  const scenario = scenarios.find(({ name }) => name === mutations[mutation]?.scenario) as Scenario
  const result = await run({ scenario, seed: SEED, forMs: 1_000, mutation })
  expect(isWell(result), report(result)).toBe(false)
})
