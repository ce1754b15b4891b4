/**
 * Where the time of the hot paths goes: `npm run bench:flame`. Writes flame graphs of a built server that is asked for
 * candidates, and of one that takes claims, to docs/performance/.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import { flameGraph } from './flame-graph.ts'
import { loadInBulk } from './loading.ts'
import { measure, type Request } from './measure.ts'
import { pathsOf, type ReadScenario, reads } from './scenarios.ts'

const HOSTS = 10_000
const FOR_MS = 6_000
const pictures = new URL('../docs/performance/', import.meta.url)

async function draw(name: string, title: string, next: () => Request, clients: number): Promise<void> {
  const profiles = mkdtempSync(join(tmpdir(), 'berth-profile-'))
  const berth = new BerthProcess()
  await berth.start(['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval', '200'])
  await loadInBulk(berth.origin, 'flat', HOSTS)
  const { cpuMs } = await measure(berth, next, { clients, forMs: FOR_MS })
  await berth.remove()
  // The thread that answers has by far the largest; others are those of workers.
  const files = readdirSync(profiles).map(file => join(profiles, file))
  const largest = files.sort((a, b) => statSync(b).size - statSync(a).size)[0] as string
  const profile = JSON.parse(readFileSync(largest, 'utf8'))
  mkdirSync(pictures, { recursive: true })
  const said = `${title}, ${HOSTS.toLocaleString('en')} hosts`
  writeFileSync(new URL(`flame-${name}.svg`, pictures), flameGraph(profile, said, '(root)'))
  rmSync(profiles, { recursive: true, force: true })
  console.log(`${said}: ${cpuMs.toFixed(2)} ms of CPU a request`)
}

buildIfNeeded()
const nova = reads.flat.find(({ name }) => name === 'ac-nova') as ReadScenario
const path = pathsOf(nova, HOSTS)
await draw('candidates', 'The first 1,000 candidates', () => ({ method: 'GET', path: path(), body: null }), 4)
const short = pathsOf(reads.flat.find(({ name }) => name === 'ac-in_tree') as ReadScenario, HOSTS)
await draw('short', 'One host by in_tree', () => ({ method: 'GET', path: short(), body: null }), 1)
await draw('claims', 'Claims of 64 clients', claimsOn(onAnyHost(HOSTS)), 64)
