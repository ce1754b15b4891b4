import { assert } from '../kernel/assert.ts'
import type { Sequencer } from '../store/sequencer.ts'
import type { World } from '../world/world.ts'
import { type DemoRules, demoCommands } from './commands.ts'

export interface DemoFilled {
  readonly filled: boolean
  /** Why not, in one line. */
  readonly reason?: string
}

/** Fills a store that has no providers, flavors or host aggregates yet with the demo cloud; any other is left as it is. */
export async function fillWithDemo(
  sequencer: Pick<Sequencer<DemoRules>, 'submit'>,
  world: World,
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
  // All at once, so that they share commits; the sequencer keeps their order.
  const outcomes = await Promise.all(
    demoCommands().map(async command => ({ command, outcome: await sequencer.submit(command) })),
  )
  for (const { command, outcome } of outcomes)
    assert(outcome.ok, `the demo is refused: ${JSON.stringify({ command, outcome })}`)
  return { filled: true }
}
