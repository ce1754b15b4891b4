import { assert } from '../kernel/assert.ts'
import { recordMessages } from '../shares/context.ts'
import type { Created } from '../shares/share/create.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import { type DemoCommand, type DemoRules, demoCommands } from './commands.ts'
import { demoUuid } from './names.ts'
import { backendNames, exportPathOf, laterShareCommands } from './shares.ts'
import { makeUsageHistory } from './usage-history.ts'

export interface DemoFilled {
  readonly filled: boolean
  /** The reason, in one line. */
  readonly reason?: string
}

type Filling = Pick<Sequencer<DemoRules>, 'submit'>

/**
 * Fills an empty store with the demo cloud, and a made-up past of its usage before `nowMs`. A store that has providers, flavors or
 * host aggregates stays as it is.
 */
export async function fillWithDemo(
  sequencer: Filling,
  world: World,
  nowMs: number | null = null,
): Promise<DemoFilled> {
  const { providers, compute } = world
  const counts = {
    providers: providers.size,
    flavors: compute.flavors.size,
    'host aggregates': compute.aggregates.size,
  }
  for (const [what, size] of Object.entries(counts))
    if (size > 0)
      return {
        filled: false,
        reason: `the store has ${size} ${what} already; the demo fills only an empty one`,
      }
  // Submitted together, so that they share commits; the sequencer keeps their order.
  const outcomes = await Promise.all(
    [...demoCommands()].map(async command => ({ command, outcome: await submitOrThrow(sequencer, command) })),
  )
  for (const { command, outcome } of outcomes)
    assert(outcome.ok, () => `the demo is refused: ${JSON.stringify({ command, outcome })}`)
  // Another process may fill the store first; then our commands may be refused.
  await workOnShares(sequencer)
  for (const command of laterShareCommands) await submitOrThrow(sequencer, command)
  await workOnShares(sequencer)
  if (nowMs !== null)
    for (const rows of await makeUsageHistory(world, nowMs))
      await sequencer.submit({ kind: 'usage-history:record' }, () => rows)
  return { filled: true }
}

/** A share that cannot be placed leaves a user message, as in a request. */
function submitOrThrow(sequencer: Filling, command: DemoCommand) {
  if (command.kind !== 'shares:create') return sequencer.submit(command)
  const newUuid = () => demoUuid(`message about ${command.uuid}`)
  return sequencer.submit(command, recordMessages<Created>({ newUuid }, null))
}

/** Finishes the driver work at once, so that the demo is always the same. */
async function workOnShares(sequencer: Filling): Promise<void> {
  const holder = 'demo'
  for (const backend of backendNames) {
    const begun = await sequencer.submit({
      kind: 'shares:begin-work',
      backend,
      holder,
      leaseMs: 1_000,
      isAlone: false,
      running: [],
      stepsMax: STEPS_MAX,
    })
    if (!begun.ok) continue
    const { epoch, work } = begun.answer
    for (const { step, share, pool } of work)
      await sequencer.submit({
        kind: 'shares:end-step',
        step,
        holder,
        epoch,
        nextUuid: demoUuid(`after ${step}`),
        accessUuid: demoUuid(`access after ${step}`),
        result: { ok: true, exportPath: exportPathOf(backend, pool, share) },
      })
  }
  await sequencer.submit({ kind: 'shares:release-leases', holder })
}

const STEPS_MAX = 100
