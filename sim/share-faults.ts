/**
 * Sixty share back ends, three servers on one PostgreSQL, chains of shares of which no two may share a pool, and servers that are
 * killed and frozen while they create, export, move and delete:
 * `node sim/share-faults.ts [--seed N] [--chains N] [--length N] [--seconds S]`. Exits with 1 if a check failed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Farm } from './shares/farm.ts'
import { chain, chanceOf, comeAndGo, noCounts, trouble } from './shares/traffic.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    chains: { type: 'string', default: '8' },
    length: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '15' },
  },
})
const seed = Number(values.seed)
const LEASE_MS = 1_500
const SETTLE_MS_MAX = 60_000
const RESTING = ['available', 'error']

// Ends every child process.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

interface Share {
  readonly id: string
  readonly host: string
  readonly status: string
  readonly task_state: string | null
  readonly size: number
}

const farm = await Farm.start({ backends: 60, servers: 3, leaseMs: LEASE_MS, delayS: 0.15 })
const counts = noCounts()
const wrong: string[] = []

async function list(): Promise<Share[]> {
  for (;;)
    for (const server of farm.servers) {
      const answer = await farm.ask(server, 'GET', '/shares/detail?all_tenants=1&limit=1000')
      if (answer !== null) return answer.json.shares
    }
}

/** Waits until every accepted request has ended. A copy that waits for completion counts as ended. */
async function settled(): Promise<Share[]> {
  const end = Date.now() + SETTLE_MS_MAX
  for (;;) {
    const shares = await list()
    const open = shares.filter(
      share => !RESTING.includes(share.status) && share.task_state !== 'migration_driver_phase1_done',
    )
    if (open.length === 0) return shares
    if (Date.now() > end) {
      for (const share of open) wrong.push(`share ${share.id} stays ${share.status}, ${share.task_state}`)
      return shares
    }
    await sleep(200)
  }
}

function checkChains(chains: readonly (readonly string[])[], byId: ReadonlyMap<string, Share>): void {
  for (const [at, ids] of chains.entries()) {
    const hosts = new Set<string>()
    for (const id of ids) {
      const share = byId.get(id)
      if (share === undefined) wrong.push(`chain ${at}: share ${id} was acknowledged and is gone`)
      else if (share.status !== 'available') wrong.push(`chain ${at}: share ${id} is ${share.status}`)
      else if (hosts.has(share.host)) wrong.push(`chain ${at}: two shares are on ${share.host}`)
      hosts.add(share?.host ?? '')
    }
  }
}

interface Rule {
  readonly access_to: string
  readonly state: string
}

async function listRules(share: Share): Promise<Rule[]> {
  for (;;)
    for (const server of farm.servers) {
      const answer = await farm.ask(server, 'GET', `/share-access-rules?share_id=${share.id}`)
      if (answer !== null) return answer.json.access_list
    }
}

/** Every rule must become active, and each exports file must allow exactly the clients of the rules. */
async function checkAccess(shares: readonly Share[]): Promise<void> {
  const end = Date.now() + SETTLE_MS_MAX
  const exported = farm.exported()
  const wanted = new Map<string, string[]>()
  for (const share of shares) {
    let rules = await listRules(share)
    while (rules.some(({ state }) => state !== 'active') && Date.now() < end) {
      await sleep(200)
      rules = await listRules(share)
    }
    for (const { access_to, state } of rules) {
      if (state !== 'active') wrong.push(`the rule for ${access_to} of share ${share.id} stays ${state}`)
      wanted.set(share.host, [...(wanted.get(share.host) ?? []), `${share.id} ${access_to}`])
    }
  }
  for (const [pool, found] of exported) {
    const rules = (wanted.get(pool) ?? []).sort()
    if (found.join() !== rules.join()) wrong.push(`${pool} has the rules ${rules} and exports ${found}`)
  }
}

/** The ledger, the shares and the disk must agree. */
async function checkPlaces(shares: readonly Share[]): Promise<void> {
  const [server] = farm.servers
  if (server === undefined) return
  const pools = (await farm.ask(server, 'GET', '/scheduler-stats/pools/detail'))?.json.pools ?? []
  const disk = farm.onDisk()
  for (const { name, capabilities } of pools) {
    const here = shares.filter(share => share.host === name)
    const moving = shares.filter(share => share.status === 'migrating')
    const held = here.reduce((sum, { size }) => sum + size, 0)
    if (moving.length === 0 && held !== capabilities.allocated_capacity_gb)
      wrong.push(`${name} has ${held} GB of shares, and the ledger ${capabilities.allocated_capacity_gb}`)
    const ids = here.map(({ id }) => id).sort()
    const found = (disk.get(name) ?? []).filter(id => !moving.some(share => share.id === id))
    const wanted = ids.filter(id => !moving.some(share => share.id === id))
    if (found.join() !== wanted.join()) wrong.push(`${name} has shares ${wanted} and directories ${found}`)
  }
  wrong.push(...farm.inStaging().map(what => `left in staging: ${what}`))
  for (const one of farm.servers) {
    const verified = await farm.ask(one, 'POST', '/v1/verify')
    const report = verified?.json ?? { problems: ['no answer'] }
    for (const problem of [...(report.problems ?? []), ...(report.differences ?? [])])
      wrong.push(`verify at server ${one.name}: ${JSON.stringify(problem)}`)
  }
}

try {
  const [first] = farm.servers
  if (first === undefined) throw new Error('no server')
  const quota = { quota_class_set: { shares: -1, gigabytes: -1 } }
  if ((await farm.ask(first, 'PUT', '/quota-class-sets/default', quota))?.status !== 200)
    throw new Error('no quota was set')
  const endMs = Date.now() + Number(values.seconds) * 1000
  let chainsAreDone = false
  const isOver = () => chainsAreDone && Date.now() >= endMs
  const troubles = trouble(farm, chanceOf(seed * 1000), counts, { leaseMs: LEASE_MS, isOver })
  const others = Promise.all(
    [1, 2, 3, 4].map(at => comeAndGo(farm, chanceOf(seed * 1000 + 500 + at), counts, isOver)),
  )
  const chains = await Promise.all(
    Array.from({ length: Number(values.chains) }, (_, at) =>
      chain(farm, `chain-${at}`, Number(values.length), chanceOf(seed * 1000 + 1 + at), counts),
    ),
  )
  chainsAreDone = true
  await Promise.all([troubles, others])
  const shares = await settled()
  checkChains(chains, new Map(shares.map(share => [share.id, share])))
  // Cleanup behind a share has no state to look at.
  await sleep(3 * LEASE_MS)
  await checkPlaces(await settled())
  await checkAccess(await settled())
  for (const server of farm.servers)
    if (server.endedByItself !== null) wrong.push(`server ${server.name}: ${server.endedByItself}`)
  console.log(
    `seed ${seed}: ${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  )
  for (const one of wrong.slice(0, 30)) console.log(`WRONG ${one}`)
  if (wrong.length > 0) for (const server of farm.servers) console.log(server.log(30))
  console.log(wrong.length === 0 ? 'nothing was wrong' : `${wrong.length} things were wrong`)
} finally {
  await farm.end()
}
process.exit(wrong.length === 0 ? 0 : 1)
