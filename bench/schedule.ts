/**
 * How fast the scheduler decides, without HTTP and without a store:
 *
 *     node bench/schedule.ts [--hosts 10000] [--seconds 3]
 *
 * Choices and claims are those of `POST /v1/schedule` with the full default lists of filters and weighers, on a cloud of
 * racks in three zones. Figures are CPU time; the machine may be busy.
 */
import { parseArgs } from 'node:util'
import { explainSchedule } from '../src/compute/schedule/explain.ts'
import { scheduleServers } from '../src/compute/schedule/schedule.ts'
import { DEFAULT_SETUP } from '../src/scheduling/setup.ts'
import { askFor, schedulingCloud } from './scheduling-cloud.ts'

const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '3' } },
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

/** Runs for a while; answers how many there were a second of CPU. */
function measure(name: string, once: () => void): void {
  for (let warm = 0; warm < 20; warm++) once()
  const from = cpuMs()
  let times = 0
  while (cpuMs() - from < cpuMsMax) {
    once()
    times++
  }
  const each = (cpuMs() - from) / times
  console.log(
    `${name.padEnd(58)} ${each.toFixed(3).padStart(9)} ms ${Math.round(1_000 / each)
      .toString()
      .padStart(7)}/s`,
  )
}

function schedule(specs: Record<string, string>, setup = DEFAULT_SETUP): void {
  const ask = askFor(instance++, specs)
  const command = { ask, setup, seed: instance, decision: 'd', alternates: 2, keeper: null, mayChoose: false }
  const chosen = scheduleServers(world, { ...command, alternates: 0, picks: null }, 0)
  if (!chosen.ok) return
  const claimed = scheduleServers(world, { ...command, picks: chosen.answer.picks }, 0)
  if (claimed.ok) world.apply(claimed.change)
}

console.log(`${hosts} hosts`)
measure('choose among 1,000 and claim', () => schedule({ disk: 'ssd' }))
measure('the same, four keys in the flavor', () =>
  schedule({ disk: '<or> ssd <or> nvme', a: '~', b: '!', c: '<or> x <or> ~' }),
)
measure('choose among all and claim', () => schedule({ disk: 'ssd' }, everything))
measure('refuse: no host passes', () => schedule({ disk: 'tape' }))
const from = cpuMs()
const explained = await explainSchedule(
  world,
  askFor(instance, { disk: 'tape' }),
  DEFAULT_SETUP,
  () => new Promise(resolve => setImmediate(resolve)),
  20,
  seen => seen.kind,
)
console.log(`explain the refusal: ${(cpuMs() - from).toFixed(0)} ms (${explained.kind})`)
