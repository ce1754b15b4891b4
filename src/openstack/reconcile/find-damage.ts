import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ledger } from '../placement/ledger.ts'
import { changeConsumer, changeProvider, type Finding, type NotJudged } from './finding.ts'
import { collectStrangers, judgeConsumers, judgeSource } from './judge-consumers.ts'
import { judgeProviders } from './judge-providers.ts'
import { judgeServer } from './judge-server.ts'
import { Judgement, type JudgeOptions, serverSubject } from './judgement.ts'
import { KIND_NAMES } from './kinds.ts'
import type { NovaState } from './nova-state.ts'
import { heldText, LedgerTrees } from './trees.ts'

export interface Damage {
  /** By kind, in the order of repair. */
  readonly findings: readonly Finding[]
  readonly notJudged: readonly NotJudged[]
}

/** Compares a ledger with the state of Nova. */
export async function findDamage(nova: NovaState, ledger: Ledger, options: JudgeOptions): Promise<Damage> {
  const judgement = new Judgement(nova, new LedgerTrees(ledger), options)
  await inTurns(judgeAll(judgement))
  const order = new Map(KIND_NAMES.map((kind, at) => [kind, at]))
  const findings = judgement.findings.toSorted((a, b) => (order.get(a.kind) ?? 0) - (order.get(b.kind) ?? 0))
  return { findings, notJudged: judgement.notJudged }
}

/** The consumers to look up in Nova by uuid before searching for damage. */
export async function findStrangers(nova: NovaState, ledger: Ledger): Promise<string[]> {
  const found: string[] = []
  const judgement = new Judgement(nova, new LedgerTrees(ledger), { unknownAreServers: false })
  await inTurns(collectStrangers(judgement, found))
  return found
}

const STEPS_PER_TURN = 500

/** Lets other requests run, when a server checks itself. */
async function inTurns(steps: Iterable<void>): Promise<void> {
  let count = 0
  for (const _ of steps) if (++count % STEPS_PER_TURN === 0) await nextTurn()
}

function* judgeAll(judgement: Judgement): Generator<void> {
  yield* judgement.trees.countConsumers()
  for (const server of judgement.nova.servers.values()) {
    judgeServer(judgement, server)
    judgeSource(judgement, server)
    yield
  }
  yield* judgeConsumers(judgement)
  yield* judgeProviders(judgement)
  yield* judgeGenerations(judgement)
}

/** Every write raises a generation: with 0 it was written past the API, and old writers may be taken for current ones. */
function* judgeGenerations(judgement: Judgement): Generator<void> {
  const { trees, nova } = judgement
  for (const compute of nova.computes)
    for (const one of trees.membersOf(trees.rootOf(compute.id))) {
      if (one.generation > 0 || Object.keys(one.inventories).length === 0) continue
      judgement.find({
        kind: 'stale-generation',
        subject: { type: 'provider', id: one.uuid, name: one.name },
        nova: `compute ${compute.name} has written its inventory`,
        ledger: 'the provider has generation 0',
        remedy: 'Write its inventory again, as it is: that raises the generation.',
        command: `berth inventory list ${one.uuid}`,
        repair: changeProvider(one, one),
      })
    }
  for (const server of nova.servers.values()) {
    yield
    const consumer = judgement.consumer(server.id)
    if (consumer === undefined || consumer.generation > 0) continue
    judgement.find({
      kind: 'stale-generation',
      subject: serverSubject(server),
      nova: `server ${server.name} was claimed`,
      ledger: `the consumer has generation 0, and holds ${heldText(trees.heldBy(consumer))}`,
      remedy: 'Write its allocations again, as they are: that raises the generation.',
      command: judgement.setCommand(consumer),
      repair: changeConsumer(consumer, consumer),
    })
  }
}
