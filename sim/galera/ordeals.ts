/** The faults around servers on a Galera cluster. Each has repaired everything when it resolves. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CUTS } from '../history/wire.ts'
import { FROZEN_MS, type GaleraStage } from './stage.ts'

interface Ordeal {
  readonly name: string
  run(stage: GaleraStage, forMs: number): Promise<void>
}

const COMMITS_PER_CUT = 12
const AWAY_MS = 1_500

const between = (stage: GaleraStage, fromMs: number, toMs: number): Promise<void> =>
  sleep(fromMs + stage.random.below(toMs - fromMs))

async function killNode(stage: GaleraStage): Promise<void> {
  const node = stage.anyNode()
  stage.note(`kill -9 of ${node.name}`)
  await node.kill()
  await between(stage, 300, 1_500)
  await node.start()
  stage.note(`${node.name} is back`)
}

async function freezeNode(stage: GaleraStage): Promise<void> {
  const node = stage.anyNode()
  stage.note(`${node.name} is frozen`)
  node.freeze()
  await between(stage, 300, 4_000)
  node.thaw()
  stage.note(`${node.name} goes on`)
  await stage.cluster.waitUntilWhole()
}

async function isolateNode(stage: GaleraStage): Promise<void> {
  const node = stage.anyNode()
  stage.note(`${node.name} is cut off from the others`)
  await node.isolate(true)
  await between(stage, 500, 4_000)
  await node.isolate(false)
  stage.note(`${node.name} hears the others again`)
  await stage.cluster.waitUntilWhole()
}

async function killServer(stage: GaleraStage): Promise<void> {
  const server = stage.any(stage.servers)
  stage.note(`kill -9 of server ${server.name}`)
  await server.kill()
  await between(stage, 50, 500)
  await server.start()
  stage.note(`server ${server.name} is back`)
}

async function freezeServer(stage: GaleraStage): Promise<void> {
  const server = stage.any(stage.servers)
  stage.note(`server ${server.name} is frozen`)
  server.freeze()
  await between(stage, FROZEN_MS, FROZEN_MS + 2_000)
  server.thaw()
  stage.note(`server ${server.name} goes on`)
}

/** A COMMIT arrives late at its node, after its server lost that node and settled it at another. */
async function holdCommit(stage: GaleraStage): Promise<void> {
  const at = stage.random.below(stage.servers.length)
  const own = stage.wires[at] ?? []
  const held = Promise.withResolvers<void>()
  for (const wire of own)
    wire.cutAtCommit(() => {
      for (const other of own) other.cutAtCommit(null)
      wire.refuse(true)
      stage.note(`a COMMIT of server ${stage.servers[at]?.name} is held`)
      held.resolve()
      return 'late'
    })
  await Promise.race([held.promise, sleep(AWAY_MS)])
  await sleep(AWAY_MS)
  for (const wire of own) {
    wire.cutAtCommit(null)
    wire.refuse(false)
  }
}

async function cutAtCommit(stage: GaleraStage): Promise<void> {
  const wires = stage.wires.flat()
  for (const wire of wires)
    wire.cutAtCommit(() => (stage.random.below(COMMITS_PER_CUT) === 0 ? stage.any(CUTS) : null))
  stage.note('connections are cut at COMMIT')
  await between(stage, 1_000, 2_000)
  for (const wire of wires) wire.cutAtCommit(null)
  await sleep(AWAY_MS)
}

const faults = { killNode, freezeNode, isolateNode, killServer, freezeServer, holdCommit, cutAtCommit }

async function repeat(stage: GaleraStage, forMs: number, once: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + forMs
  do {
    await between(stage, 200, 800)
    await once()
  } while (performance.now() < endMs)
  await stage.cluster.waitUntilWhole()
  await sleep(500)
}

/** One for each fault, and one for all of them in any order. */
export const ordeals: readonly Ordeal[] = [
  ...Object.entries(faults).map(
    ([name, fault]): Ordeal => ({
      name: name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
      run: (stage, forMs) => repeat(stage, forMs, () => fault(stage)),
    }),
  ),
  {
    name: 'everything',
    run: (stage, forMs) => repeat(stage, forMs, () => stage.any(Object.values(faults))(stage)),
  },
]
