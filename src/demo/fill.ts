import type { ComputeRules } from '../compute/rules.ts'
import { assert } from '../kernel/assert.ts'
import type { PlacementRules } from '../placement/rules.ts'
import type { Sequencer } from '../store/sequencer.ts'
import type { World } from '../world/world.ts'
import { demoCommands, demoComputeCommands } from './commands.ts'

export interface DemoFilled {
  readonly filled: boolean
  /** Why not, in one line. */
  readonly reason?: string
}

/** Fills a store that has no providers yet with the demo cloud; any other is left as it is. */
export async function fillWithDemo(
  sequencer: Pick<Sequencer<PlacementRules & ComputeRules>, 'submit'>,
  world: World,
): Promise<DemoFilled> {
  const { size } = world.providers
  if (size > 0)
    return {
      filled: false,
      reason: `the store has ${size} providers already; the demo fills only an empty one`,
    }
  const { aggregates, flavors } = world.compute
  const hasCompute = aggregates.all().length + flavors.all().length > 0
  // All at once, so that they share commits; the sequencer keeps their order.
  const outcomes = await Promise.all(
    [...demoCommands(), ...(hasCompute ? [] : demoComputeCommands())].map(async command => ({
      command,
      outcome: await sequencer.submit(command),
    })),
  )
  for (const { command, outcome } of outcomes)
    assert(outcome.ok, `the demo is refused: ${JSON.stringify({ command, outcome })}`)
  return { filled: true }
}
