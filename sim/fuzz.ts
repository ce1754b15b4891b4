/**
 * Sends hundreds of thousands of malformed requests, as every kind of caller, to every mount:
 * `node sim/fuzz.ts [--seed N] [--requests N] [--connections N] [--stretch-ms N] [--pause-ms N]`. Exits with 1 if it finds
 * a 5xx that is not documented, an error of the wrong form, no answer, an error in the log, memory that stays in use,
 * a long turn of the event loop, or inconsistent data. With one connection a seed repeats a run exactly.
 */
import { parseArgs } from 'node:util'
import { run } from './fuzz/run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '8' },
    'stretch-ms': { type: 'string', default: '50' },
    'pause-ms': { type: 'string', default: '0' },
  },
})

// Ends every child process.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

const began = Date.now()
const { sent, answers, faults } = await run({
  seed: Number(values.seed),
  requests: Number(values.requests),
  connections: Number(values.connections),
  stretchMsMax: Number(values['stretch-ms']),
  pauseMs: Number(values['pause-ms']),
  say: line => console.log(line),
})
const statuses = [...answers].sort().map(([kind, count]) => `${kind} ${count}`)
const seconds = Math.round((Date.now() - began) / 1_000)
console.log(
  `seed ${values.seed}: ${sent} requests in ${seconds} s, ${statuses.join(', ')}, ${faults.length} faults`,
)
process.exit(faults.length === 0 ? 0 : 1)
