/** Three servers on one PostgreSQL, and clients that collide: what they are told is linearizable. */
import { expect, test } from 'vitest'
import { report } from './history/report.ts'
import { isWell, run } from './history/run.ts'
import { type Scenario, scenarios } from './history/scenarios.ts'

const SEED = Number(process.env.BERTH_SIM_SEED ?? 20_261_115)

test('clients of three servers get the answers of one server', async () => {
  const healthy = scenarios.find(({ name }) => name === 'healthy') as Scenario
  const result = await run({ scenario: healthy, seed: SEED, forMs: 5_000 })
  expect(isWell(result), report(result)).toBe(true)
  expect(result.counts.done).toBeGreaterThan(20)
  expect(result.counts.refused).toBeGreaterThan(20)
})
