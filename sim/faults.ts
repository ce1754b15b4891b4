/**
 * Runs three servers on one PostgreSQL under load, and injects faults:
 * `node sim/faults.ts [--seed N] [--seconds S] [--scenario NAME] [--mutation NAME | --mutations | --kept] [--rounds N] [--verbose]`.
 * The seconds are those of the traffic of each scenario. Exits with 1 if a check failed;
 * with a mutation, if none did.
 */
import { parseArgs } from 'node:util'
import { mutations } from './history/mutations.ts'
import { report } from './history/report.ts'
import { isWell, run } from './history/run.ts'
import { type Scenario, scenarios } from './history/scenarios.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    mutation: { type: 'string' },
    mutations: { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

interface Plan {
  readonly scenario: Scenario
  readonly mutation?: string
  readonly seed?: number
}

const named = (name: string): Scenario => {
  const found = scenarios.find(one => one.name === name)
  if (found === undefined)
    throw new Error(`no scenario ${name}; there are ${scenarios.map(one => one.name).join(', ')}`)
  return found
}

/** Regression scenarios: earlier defects would show in these. */
const kept: readonly Plan[] = [{ scenario: named('promoted-with-loss'), seed: 1 }]

function plans(): Plan[] {
  if (values.kept) return [...kept]
  if (values.mutations)
    return Object.entries(mutations).map(([mutation, { scenario }]) => ({
      scenario: named(scenario),
      mutation,
    }))
  const { mutation } = values
  const scenario = values.scenario ?? (mutation === undefined ? undefined : mutations[mutation]?.scenario)
  // A run without faults is a test too.
  const chosen =
    scenario === undefined ? scenarios.filter(({ name }) => name !== 'healthy') : [named(scenario)]
  return chosen.map(one => ({ scenario: one, ...(mutation !== undefined && { mutation }) }))
}

// Ends every child process.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

let failed = 0
for (let round = 0; round < Number(values.rounds); round++)
  for (const plan of plans()) {
    const result = await run({
      seed: Number(values.seed) + round,
      ...plan,
      forMs: Math.max(Number(values.seconds), mutations[plan.mutation ?? '']?.seconds ?? 0) * 1_000,
    })
    process.stdout.write(`${report(result, values.verbose)}\n`)
    if (isWell(result) === (plan.mutation !== undefined)) failed++
  }
process.exit(failed === 0 ? 0 : 1)
