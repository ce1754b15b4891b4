/**
 * How fast the scheduler decides, without HTTP and without a store:
 *
 *     node bench/schedule.ts [--hosts 10000] [--seconds 3] [--json] [--first]
 *
 * Choices and claims are those of `POST /v1/schedule` with the full default lists of filters and weighers, on a cloud of
 * racks in three zones. Figures are CPU time; the machine may be busy.
 */
import { parseArgs } from 'node:util'
import { DEFAULT_SETUP } from '../src/scheduling/framework/setup.ts'
import { chooseHosts } from '../src/scheduling/hosts/choose.ts'
import { claimHosts } from '../src/scheduling/hosts/claim.ts'
import { explainSchedule } from '../src/scheduling/hosts/explain.ts'
import { askFor, schedulingCloud } from './scheduling-cloud.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
  },
})
const hosts = Number(values.hosts)
const cpuMsMax = Number(values.seconds) * 1_000

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const world = schedulingCloud(hosts)
const everything = {
  ...DEFAULT_SETUP,
  settings: { ...DEFAULT_SETUP.settings, candidatesMax: Number.POSITIVE_INFINITY },
}
let instance = 0

interface DecisionFigures {
  readonly name: string
  readonly cpuMs: number
}
const figures: DecisionFigures[] = []

/** Runs for a while, and records the time of each. */
function measure(name: string, once: () => void, warmUps = 20): void {
  for (let warm = 0; warm < warmUps; warm++) once()
  const from = cpuMs()
  let times = 0
  while (cpuMs() - from < cpuMsMax) {
    once()
    times++
  }
  add(name, (cpuMs() - from) / times)
}

function add(name: string, each: number): void {
  figures.push({ name, cpuMs: each })
  if (!values.json)
    console.log(
      `${name.padEnd(58)} ${each.toFixed(3).padStart(9)} ms ${(1_000 / each).toFixed(0).padStart(7)}/s`,
    )
}

function schedule(specs: Record<string, string>, setup = DEFAULT_SETUP, count = 1): void {
  const ask = askFor(instance, specs, count)
  instance += count
  const command = {
    ask,
    setup,
    seed: instance,
    decision: 'd',
    alternates: 2,
    sourceHolder: null,
  }
  const chosen = chooseHosts(world, { ...command, alternates: 0 })
  if (!chosen.ok) return
  const claimed = claimHosts(world, { ...command, rankedHosts: chosen.answer.rankedHosts }, 0)
  if (claimed.ok) world.apply(claimed.change)
}

if (!values.json) console.log(`${hosts} hosts`)
// Compiled by then.
measure('choose among 1,000 and claim', () => schedule({ disk: 'ssd' }), 2_000)
if (values.first) {
  console.log(JSON.stringify(figures))
  process.exit()
}
measure('the same, four keys in the flavor', () =>
  schedule({ disk: '<or> ssd <or> nvme', a: '~', b: '!', c: '<or> x <or> ~' }),
)
measure('choose among all and claim', () => schedule({ disk: 'ssd' }, everything))
measure('refuse: no host passes', () => schedule({ disk: 'tape' }))
measure('100 servers in one request', () => schedule({ disk: 'ssd' }, DEFAULT_SETUP, 100), 1)
const from = cpuMs()
const pause = () => new Promise<void>(resolve => setImmediate(resolve))
await explainSchedule(world, askFor(instance, { disk: 'tape' }), DEFAULT_SETUP, pause, 20, seen => seen)
add('explain the refusal', cpuMs() - from)
if (values.json) console.log(JSON.stringify(figures))
