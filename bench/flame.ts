/**
 * Profiles the hot paths: `npm run bench:flame`. Writes flame graphs of a built server that answers
 * candidates, and of one that accepts claims, to docs/performance/.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import type { Shape } from './clouds.ts'
import { flameGraph } from './flame-graph.ts'
import { loadInBulk } from './loading.ts'
import { measure, type Request } from './measure.ts'
import { type ReadScenario, reads, requestsOf } from './scenarios.ts'

interface Cloud {
  readonly shape: Shape
  readonly hosts: number
}
const FLAT: Cloud = { shape: 'flat', hosts: 10_000 }
/** The settings of the comparison with Placement. */
const NESTED: Cloud = { shape: 'nested', hosts: 1_000 }
const FOR_MS = 6_000
const directory = new URL('../docs/performance/', import.meta.url)

/** The threads that answer requests and write to disk. */
const threads = { main: '0', store: '1' }

/** The profile of one thread under a load, or of several; each picture has a name. */
async function draw(
  pictures: Partial<Record<keyof typeof threads, string>>,
  title: string,
  { shape, hosts }: Cloud,
  next: () => Request,
  clients: number,
): Promise<void> {
  const profiles = mkdtempSync(join(tmpdir(), 'berth-profile-'))
  const berth = new BerthProcess()
  // Through the environment, which reaches all threads.
  await berth.start([], { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles} --cpu-prof-interval=200` })
  await loadInBulk(berth.origin, shape, hosts)
  const { cpuMs } = await measure(berth, next, { clients, forMs: FOR_MS })
  await berth.remove()
  const heading = `${title}, ${hosts.toLocaleString('en')} hosts`
  mkdirSync(directory, { recursive: true })
  for (const thread of ['main', 'store'] as const) {
    const name = pictures[thread]
    if (name === undefined) continue
    // CPU.day.time.process.thread.number.cpuprofile
    const file = readdirSync(profiles).find(one => one.split('.')[4] === threads[thread]) as string
    const profile = JSON.parse(readFileSync(join(profiles, file), 'utf8'))
    const what = thread === 'main' ? heading : `${heading}: the thread that writes`
    writeFileSync(new URL(`flame-${name}.svg`, directory), flameGraph(profile, what, '(root)'))
  }
  rmSync(profiles, { recursive: true, force: true })
  console.log(`${heading}: ${cpuMs.toFixed(2)} ms of CPU a request`)
}

const askingFor = (name: string, { shape, hosts }: Cloud): (() => Request) =>
  requestsOf(reads[shape].find(one => one.name === name) as ReadScenario, hosts)

buildIfNeeded()
await draw({ main: 'candidates' }, 'The first 1,000 candidates', FLAT, askingFor('ac-nova', FLAT), 4)
await draw({ main: 'nested' }, 'A flavor over nested hosts', NESTED, askingFor('ac-typical', NESTED), 1)
await draw({ main: 'short' }, 'One host by in_tree', FLAT, askingFor('ac-in_tree', FLAT), 1)
await draw(
  { main: 'claims', store: 'commits' },
  'Claims of 8 clients',
  FLAT,
  claimsOn(onAnyHost(FLAT.hosts)),
  8,
)
