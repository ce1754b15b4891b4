/** How long loading a cloud takes Placement and Berth. */
import { quantile } from '../sim/figures/machine.ts'
import { BerthProcess } from './berth-process.ts'
import { loadByApi, loadInBulk } from './loading.ts'
import type { RealPlacement } from './real-placement.ts'
import { formatNumber, type Judged } from './results.ts'
import type { PeerRun } from './scenarios.ts'

/** Code is compiled once it has run often; loading a cloud is one long request, so it takes several. */
const LOADS_TO_WARM = 8
const LOADS_WHEN_WARM = 3

type Say = (line: string) => unknown

/** Loads an empty Placement: through its API if that is measured, else by SQL. Returns how long the API took. */
export async function loadPeer(run: PeerRun, peer: RealPlacement, say: Say): Promise<number | null> {
  const { shape, hosts } = run
  if (run.loading === undefined) {
    peer.loadRows(shape, hosts)
    return null
  }
  return await loadByApi(peer, shape, hosts, { clients: 8, progress: progressOf(hosts, say) })
}

export async function measureLoading(run: PeerRun, peerMs: number | null, say: Say): Promise<Judged[]> {
  const { shape, hosts } = run
  if (run.loading === undefined || peerMs === null) return []
  const judged: Judged[] = []
  const ways = [
    {
      way: 'by the API',
      min: run.loading.apiMin,
      load: (other: BerthProcess, from: number) => loadByApi(other, shape, hosts, { clients: 8, from }),
    },
    {
      way: 'in bulk',
      min: run.loading.bulkMin,
      load: (other: BerthProcess, from: number) => loadInBulk(other.origin, shape, hosts, from),
    },
  ]
  for (const { way, min, load } of ways) {
    const { cold, warm } = await loadedColdAndWarm(hosts, load)
    const what = `loading ${hosts.toLocaleString('en')} hosts ${way}`
    const note = `${formatNumber(peerMs / cold)}x by a server that was started just now`
    judged.push({ what, figure: peerMs / warm, unit: 'x', bound: { min }, note })
    say(
      `${what}: Placement ${formatNumber(peerMs)} ms, Berth ${formatNumber(warm)} ms, ${formatNumber(cold)} ms when started just now`,
    )
  }
  return judged
}

/** How long it takes a fresh server, and one whose code is compiled: the median of three servers. */
async function loadedColdAndWarm(
  hosts: number,
  load: (berth: BerthProcess, from: number) => Promise<number>,
): Promise<{ readonly cold: number; readonly warm: number }> {
  const cold: number[] = []
  const warm: number[] = []
  for (let time = 0; time < 3; time++) {
    const berth = new BerthProcess()
    try {
      await berth.start()
      const times: number[] = []
      for (let nth = 0; nth < LOADS_TO_WARM + LOADS_WHEN_WARM; nth++)
        times.push(await load(berth, nth * hosts))
      cold.push(times[0] as number)
      warm.push(...times.slice(LOADS_TO_WARM))
    } finally {
      await berth.remove()
    }
  }
  return { cold: quantile(cold, 0.5), warm: quantile(warm, 0.5) }
}

function progressOf(hosts: number, say: Say): (done: number) => void {
  let toldMs = performance.now()
  return done => {
    if (performance.now() - toldMs < 20_000) return
    toldMs = performance.now()
    say(`  ${done} of ${hosts}`)
  }
}
