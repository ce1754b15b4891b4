/** The memory of a cloud: `node --expose-gc bench/memory.ts DIRECTORY`, the data directory of a stopped server. */
import { ByteWriter } from '../src/http/formats/byte-writer.ts'
import { Summaries } from '../src/placement/candidates/answer/summaries.answer.ts'
import { loadWorld } from '../src/store/load-world.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'

const inUse = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const store = await openSqlite({
  directory: process.argv[2] as string,
  changesAgeMsMax: 86_400_000,
  changesCountMax: 1_000_000,
})
const before = inUse()
const { world } = await loadWorld(store)
const state = inUse() - before
const summaries = new Summaries(world)
// Keeps it reachable, or it would be collected before it is counted.
Object.assign(globalThis, { summaries })
const roots = [...world.providers.all()].filter(slot => world.providers.rootOf(slot) === slot)
// As many at once as an answer has.
for (let from = 0; from < roots.length; from += 1_000)
  summaries.write(new ByteWriter(0), roots.slice(from, from + 1_000))
const summaryBytes = inUse() - before - state
await store.close()
console.log(
  JSON.stringify({
    providers: world.providers.size,
    consumers: world.consumers.size,
    allocations: world.consumers.allocations,
    stateBytes: state,
    summaryBytes,
  }),
)
