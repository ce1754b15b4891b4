import { rules } from '../../commands.ts'
import { RandomCommands } from '../../placement/transfer/random-commands.fixture.ts'
import { loadWorld } from '../../store/load-world.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import { ChangeFeed, type FeedLimits } from '../../store/sequencer/change-feed.ts'
import { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { Store } from '../../store/store.ts'

const STANDARDS = {
  classes: ['VCPU', 'MEMORY_MB', 'DISK_GB', 'SRIOV_NET_VF'],
  traits: ['HW_CPU_X86_AVX', 'HW_NIC_SRIOV', 'MISC_SHARES_VIA_AGGREGATE'],
}

/** The engine of a server on a store, with random writes. */
export async function busyCloud(
  seed: number,
  store: Store = new MemoryStore(),
  feedLimits: Partial<FeedLimits> = {},
) {
  const { world, head } = await loadWorld(store)
  const feed = new ChangeFeed(store, head.revision, feedLimits)
  const commands = new RandomCommands(seed)
  let batches = 0
  const sequencer = new Sequencer({
    world,
    store,
    head,
    rules,
    clock: { nowMs: () => 1_000 },
    newBatchId: () => `${seed}-${++batches}`,
  })
  feed.subscribeTo(sequencer)
  await sequencer.submit({ kind: 'placement:sync-standards', ...STANDARDS })
  /** Submits this many commands, some concurrently. Resolves with the number of accepted ones. */
  const write = async (count: number): Promise<number> => {
    let accepted = 0
    for (let left = count; left > 0; ) {
      const together = Math.min(left, 1 + commands.below(4))
      const outcomes = await Promise.all(
        Array.from({ length: together }, () => sequencer.submit(commands.next() as never)),
      )
      accepted += outcomes.filter((outcome: { ok: boolean }) => outcome.ok).length
      left -= together
    }
    return accepted
  }
  return { world, store, sequencer, feed, write }
}
