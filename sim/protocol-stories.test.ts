/**
 * What becomes of a COMMIT that is held up on its way to a node of a cluster, told line by line. The real store runs on
 * the simulated cluster, without chance. Read the transcripts in `protocol/stories`; after a change, update them with -u.
 */
import { expect, test } from 'vitest'
import { describeHead } from '../src/store/chain.ts'
import type { Links } from '../src/store/shared/link.ts'
import { SharedStore } from '../src/store/shared/shared-store.ts'
import type { Batch, Decide } from '../src/store/store.ts'
import { insert } from '../src/world/change.ts'
import { firstState } from './protocol/cloud.ts'
import { Cluster } from './protocol/cluster.ts'
import type { Server } from './protocol/database.ts'
import { Gate } from './protocol/gate.ts'
import { SimLinks } from './protocol/links.ts'
import { type Mutation, mutatedLinks, sabotageOf } from './protocol/mutations.ts'
import { Chance, drained, Schedule } from './protocol/schedule.ts'
import { clearUp, type Weather, weatherOf } from './protocol/weather.ts'

const KEEP_ALL = { changesAgeMsMax: 1e12, changesCountMax: 1e6 }
const GIVES_UP_MS = 600

/** Everything takes its usual time, and what is late is late by a given time. */
class NoChance extends Chance {
  lateMs = 0

  override happens = (probability: number) => probability >= 1
  override between = () => this.lateMs
  override whole = (low: number) => low
  override pick = <T>(items: readonly T[]) => items[0] as T
  override delayMs = (usualMs: number) => usualMs
}

/** The first connection leads to one node, and all later ones to another. */
class TwoNodes extends Cluster {
  #connections = 0

  override pickServer(): Server {
    return this.nodes[this.#connections++ === 0 ? 0 : 1] as Server
  }
}

function makeWeather(chance: Chance): Weather {
  const drawn = weatherOf(chance)
  clearUp(drawn)
  const timeouts = { ...drawn.timeouts, deadlineMs: GIVES_UP_MS, idleMs: 5_000 }
  return { ...drawn, networkMs: 1, serverMs: 1, applyMs: 5, turnsWait: true, timeouts }
}

interface Story {
  /** How long after its client gave up the COMMIT arrives. */
  readonly lateMs: number
  /** What is decided, and decided again if the first was not stored. */
  readonly decisions: readonly (Batch | null)[]
  readonly mutation?: Mutation
  /** A turn does not wait for its node, which goes on in a new transaction after it has taken one back. */
  readonly isReplaced?: true
}

async function tell({ lateMs, decisions, mutation, isReplaced }: Story): Promise<string> {
  const lines: string[] = []
  const schedule = new Schedule()
  const chance = new NoChance(1)
  const weather = { ...makeWeather(chance), ...(isReplaced && { turnsWait: false, replaces: 1 }) }
  const say = (what: string) => lines.push(`${schedule.nowMs.toFixed(0).padStart(5)} ms  ${what}`)
  const sabotage = sabotageOf(mutation ?? null)
  const cluster = new TwoNodes({ schedule, chance, weather, sabotage, met: () => {}, say }, firstState)
  const gate = new Gate(schedule, chance)
  const links: Links = mutatedLinks(new SimLinks('process', gate, cluster), mutation ?? null)
  const limits = { ...KEEP_ALL, retryMsMax: 5_000, settleMsMax: 5_000 }
  const time = { nowMs: () => schedule.nowMs, sleep: (ms: number) => gate.sleep(ms) }
  const store = new SharedStore(links, limits, time)
  let turns = 0
  const decide: Decide = () => {
    const decision = decisions[turns++] ?? null
    say(`process: decides ${decision === null ? 'to write nothing' : decision.id}`)
    // Only the first COMMIT is held up.
    weather.lateCommit = turns === 1 ? 1 : 0
    chance.lateMs = lateMs
    return decision
  }
  const { head } = cluster.state
  const written = store.write(head, decide).then(
    after => say(`process: the store is at ${describeHead(after)}`),
    reason => say(`process: ${reason}`),
  )
  await drained()
  while (schedule.step()) await drained()
  await written
  say(`in the end the cluster is at ${describeHead(cluster.state.head)}`)
  return `${lines.join('\n')}\n`
}

const makeBatch = (id: string, name: string): Batch => ({
  id,
  atMs: 1,
  changes: [{ change: { ops: [insert('traits', { id: 1, name, updated_at: 1 })] }, names: {} }],
})
const first = makeBatch('first-try', 'CUSTOM_A')
const second = makeBatch('second-try', 'CUSTOM_A')

const stories: Record<string, Story> = {
  'the-fence-stops-a-late-commit': { lateMs: 200, decisions: [first, null] },
  'a-commit-that-comes-before-the-fence-is-found': { lateMs: 105, decisions: [first, second] },
  'a-second-try-is-stored-once': { lateMs: 200, decisions: [first, second] },
  'what-was-read-in-two-transactions-is-not-believed': {
    lateMs: 97.5,
    decisions: [first, second],
    isReplaced: true,
  },
  'without-a-fence-the-answer-is-wrong': {
    lateMs: 200,
    decisions: [first, null],
    mutation: 'skip-fence',
  },
}

test.each(Object.entries(stories))('%s', async (name, story) => {
  await expect(await tell(story)).toMatchFileSnapshot(`./protocol/stories/${name}.txt`)
})
