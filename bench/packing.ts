/**
 * How well the scheduler packs: replays recorded arrivals through Berth’s own choice and claim, in process.
 *
 *     npm run bench:packing -- [--traces ../shared/data/traces] [--seeds 10] [--policies 'random,best fit']
 *         [--lists openb_pod_list_default,azure-2017-a]
 *     npm run bench:packing -- --cost
 *
 * Results of earlier runs stay until the same list and policy is run again. See docs/packing.md.
 */
import { parseArgs } from 'node:util'
import { readAzure, replayAzure } from './packing/azure.ts'
import { measureCosts } from './packing/decision-cost.ts'
import { readOpenb, replayOpenb } from './packing/openb.ts'
import { POLICIES, type Policy, setupOf } from './packing/policies.ts'
import { keepPacking, type PackingFigures, readPacking, reportPacking } from './packing/report.ts'
import { TraceMissing, Traces } from './packing/traces.ts'

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: process.env.BERTH_TRACES ?? '../shared/data/traces' },
    seeds: { type: 'string', default: '10' },
    hosts: { type: 'string', default: '1000' },
    policies: { type: 'string', default: POLICIES.map(({ name }) => name).join() },
    lists: { type: 'string' },
    /** Measures what decisions cost, instead of replaying. */
    cost: { type: 'boolean', default: false },
  },
})

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function runOpenb(traces: Traces, list: string, policy: Policy): PackingFigures {
  const openb = readOpenb(traces, list)
  const seeds = Number(values.seeds)
  const from = cpuMs()
  const outcomes = Array.from({ length: seeds }, (_, nth) => {
    const outcome = replayOpenb(openb, setupOf(policy), nth + 1)
    console.log(`  ${list}, ${policy.name}, seed ${nth + 1}: ${outcome.allocated.toFixed(2)} %`)
    return outcome
  })
  const decisions = outcomes.reduce((sum, one) => sum + one.decisions, 0)
  const mean = outcomes.reduce((sum, one) => sum + one.allocated, 0) / seeds
  const spread = Math.sqrt(outcomes.reduce((sum, one) => sum + (one.allocated - mean) ** 2, 0) / seeds)
  const decisionMs = (cpuMs() - from) / decisions
  return { kind: 'openb', list, policy: policy.name, seeds, allocated: mean, spread, decisions, decisionMs }
}

function runAzure(traces: Traces, list: string, policy: Policy): PackingFigures {
  const arrivals = readAzure(traces, list)
  const hosts = Number(values.hosts)
  const from = cpuMs()
  const outcome = replayAzure(arrivals, setupOf(policy), hosts)
  const decisionMs = (cpuMs() - from) / outcome.decisions
  return { kind: 'azure', list, policy: policy.name, hosts, ...outcome, decisionMs }
}

function replayLists(): void {
  const traces = new Traces(values.traces)
  const all = [...traces.list('openb_pod_list_'), ...traces.list('azure-')]
  const lists = values.lists?.split(',') ?? all
  const names = values.policies.split(',')
  const unknown = names.filter(name => POLICIES.every(policy => policy.name !== name))
  if (unknown.length > 0) throw new TraceMissing(`no policy ${unknown.join()}`)
  for (const list of lists)
    for (const policy of POLICIES.filter(({ name }) => names.includes(name))) {
      const figures = list.startsWith('azure-')
        ? runAzure(traces, list, policy)
        : runOpenb(traces, list, policy)
      keepPacking(figures)
      console.log(JSON.stringify(figures))
    }
}

try {
  if (values.cost) for (const figures of measureCosts()) keepPacking(figures)
  else replayLists()
  reportPacking(readPacking())
} catch (reason) {
  if (!(reason instanceof TraceMissing)) throw reason
  console.error(reason.message)
  process.exitCode = 1
}
