/** Runs one seed of the protocol simulator again and tells everything that happens: node sim/protocol-replay.ts SEED [MUTATION] */
import { MUTATIONS, type Mutation } from './protocol/mutations.ts'
import { simulate } from './protocol/run.ts'

const [seed, mutation] = process.argv.slice(2)
if (mutation !== undefined && !(MUTATIONS as readonly string[]).includes(mutation))
  throw new Error(`there is no mutation ${mutation}; there are ${MUTATIONS.join(', ')}`)
const run = await simulate(Number(seed), {
  mutation: (mutation as Mutation | undefined) ?? null,
  say: what => console.log(what),
})
console.log(run)
