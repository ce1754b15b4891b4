/**
 * Three servers on one PostgreSQL under load, and what can go wrong around them:
 * `node sim/faults.ts [--seed N] [--seconds S] [--scenario NAME] [--mutation NAME] [--rounds N] [--verbose]`.
 * The seconds are those of the traffic of each scenario. Ends with 1 if anything was wrong.
 */
import { parseArgs } from 'node:util'
import { report } from './history/report.ts'
import { isWell, run } from './history/run.ts'
import { scenarios } from './history/scenarios.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    mutation: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

const chosen = scenarios.filter(({ name }) => values.scenario === undefined || name === values.scenario)
if (chosen.length === 0)
  throw new Error(`no scenario ${values.scenario}; there are ${scenarios.map(({ name }) => name).join(', ')}`)

const { mutation } = values
let failed = 0
for (let round = 0; round < Number(values.rounds); round++)
  for (const scenario of chosen) {
    const result = await run({
      scenario,
      seed: Number(values.seed) + round,
      forMs: Number(values.seconds) * 1_000,
      ...(mutation !== undefined && { mutation }),
    })
    process.stdout.write(`${report(result, values.verbose)}\n`)
    if (!isWell(result)) failed++
  }
process.exit(failed === 0 ? 0 : 1)
