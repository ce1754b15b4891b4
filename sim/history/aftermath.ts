/** What must hold after all faults have ended: no server is stuck, and all show the same history. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Books, differences } from './books.ts'
import { storedBooks, withDatabase } from './database.ts'
import { describeDifference } from './explain.ts'
import type { ChangesFollower } from './follower.ts'
import type { Operation } from './operation.ts'
import type { Server } from './server.ts'
import { type AnyStage, PROBED } from './stage.ts'
import { probes } from './traffic.ts'

const RECOVERY_MS_MAX = 15_000
const AGAIN_MS = 100

interface Recovery {
  readonly problems: readonly string[]
  readonly slowestMs: number
}

/** Every server must accept a write and answer a read soon. */
export async function recovered(stage: AnyStage): Promise<Recovery> {
  const beganMs = performance.now()
  const results = await Promise.all(
    stage.servers.map(async (server, at) => {
      // Reported elsewhere.
      if (server.endedByItself !== null) return []
      const consumer = probes[at] as string
      const write = await persistently(() =>
        stage.recorder.ask(server, {
          kind: 'claim',
          claims: [{ consumer, generation: null, holdings: { [PROBED]: 1 } }],
        }),
      )
      const read = await persistently(() =>
        stage.recorder.ask(server, { kind: 'see-usage', provider: PROBED }),
      )
      const isWell = answers(write) && read.result.kind === 'seen'
      const wrong = [write, read].map(({ result }) => JSON.stringify(result)).join(' and ')
      return isWell ? [] : [`server ${server.name} is stuck: it answers ${wrong}`]
    }),
  )
  return { problems: results.flat(), slowestMs: performance.now() - beganMs }
}

/** A second attempt may find that the first, unanswered one was done. */
const answers = ({ result }: Operation): boolean => result.kind === 'done' || result.kind === 'refused'

async function persistently(ask: () => Promise<Operation>): Promise<Operation> {
  const endMs = performance.now() + RECOVERY_MS_MAX
  for (;;) {
    const operation = await ask()
    const { kind } = operation.result
    if ((kind !== 'nothing' && kind !== 'unknown') || performance.now() > endMs) return operation
    await sleep(AGAIN_MS)
  }
}

/** Every server must verify itself, and all exports must be the same. */
export async function agreeing(all: readonly Server[]): Promise<string[]> {
  const servers = all.filter(server => server.endedByItself === null)
  const found = await Promise.all(
    servers.map(async server => {
      const report = await answerOf(server, 'POST', '/v1/verify')
      const lines = await answerOf(server, 'GET', '/v1/export')
      return { name: server.name, report, lines }
    }),
  )
  const problems = found.flatMap(({ name, report }) => {
    const { differences_total: differing, problems_total: wrong } = parseJson(report)
    return differing === 0 && wrong === 0 ? [] : [`server ${name} does not verify: ${report.slice(0, 2_000)}`]
  })
  const [first, ...others] = found
  for (const { name, lines } of others)
    if (lines !== first?.lines) problems.push(`server ${name} does not export the same as ${first?.name}`)
  return problems
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
function parseJson(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

async function answerOf(server: Server, method: string, path: string): Promise<string> {
  try {
    const { status, text } = await server.client.send(method, path)
    return status === 200 ? text : `${status} ${text}`
  } catch (error) {
    return `${server.name}: no answer: ${(error as Error).message}`
  }
}

/** Followers must receive everything soon. */
export async function caughtUp(followers: readonly ChangesFollower[], revision: number): Promise<void> {
  const endMs = performance.now() + 3_000
  while (performance.now() < endMs && followers.some(one => one.lastRevision !== revision)) await sleep(20)
  await Promise.all(followers.map(one => one.stop()))
}

/** The rows must follow from the history. */
export async function wrongRows(url: string, expected: Books): Promise<string[]> {
  const found = await withDatabase(url, storedBooks)
  const objects = differences(found, expected)
  return objects.length === 0
    ? []
    : [`the rows are not what the history says: ${describeDifference(found, expected, objects)}`]
}
