/**
 * Runs three servers on a Galera cluster of three nodes under load, and injects faults:
 * `node sim/galera-faults.ts [--seed N] [--seconds S] [--minutes M] [--fault NAME] [--writers one|several] [--port BASE]
 * [--verbose]`. The seconds are those of the traffic of each run; with minutes, runs with the next seeds follow until the
 * time is over. Needs Debian's mariadb-server, galera-4 and rsync, and root. Exits with 1 if a check failed.
 */
import { parseArgs } from 'node:util'
import { Random } from '../src/kernel/random.ts'
import { Cluster, hasGalera } from './galera/cluster.ts'
import { ordeals } from './galera/ordeals.ts'
import { GaleraStage } from './galera/stage.ts'
import { report } from './history/report.ts'
import { isWell, runOn } from './history/run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '0' },
    fault: { type: 'string' },
    writers: { type: 'string' },
    port: { type: 'string', default: '25300' },
    verbose: { type: 'boolean', default: false },
  },
})

if (!hasGalera) {
  console.error('there is no Galera: install mariadb-server, galera-4 and rsync')
  process.exit(1)
}
const chosen = ordeals.filter(({ name }) => values.fault === undefined || name === values.fault)
if (chosen.length === 0) {
  console.error(`no fault ${values.fault}; there are ${ordeals.map(({ name }) => name).join(', ')}`)
  process.exit(64)
}

// Ends every child process.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

const cluster = await Cluster.start(Number(values.port))
const totals = { runs: 0, failed: 0, done: 0 }

async function runOnce(ordeal: (typeof ordeals)[number], seed: number): Promise<boolean> {
  const writers = (values.writers ?? (seed % 2 === 0 ? 'one' : 'several')) as 'one' | 'several'
  try {
    const stage = await GaleraStage.set(cluster, new Random(seed), writers)
    const result = await runOn(stage, ordeal, { seed, forMs: Number(values.seconds) * 1_000 })
    process.stdout.write(`${writers}: ${report(result, values.verbose)}\n`)
    totals.done += stage.recorder.writesDone
    return isWell(result)
  } catch (error) {
    process.stdout.write(`${writers}: WRONG  ${ordeal.name}, seed ${seed}: ${(error as Error).stack}\n`)
    await cluster.waitUntilWhole()
    return false
  }
}

const startMs = performance.now()
const endMs = startMs + Number(values.minutes) * 60_000
try {
  let seed = Number(values.seed)
  do {
    for (const ordeal of chosen) {
      totals.runs++
      if (!(await runOnce(ordeal, seed))) totals.failed++
    }
    seed++
  } while (performance.now() < endMs)
} finally {
  await cluster.remove()
}
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1)
console.log(
  `${totals.runs} runs in ${minutes} minutes, ${totals.done} writes done, ${totals.failed} runs with something wrong`,
)
process.exit(totals.failed === 0 ? 0 : 1)
