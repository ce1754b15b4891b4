/** Replays one seed of the protocol simulator and prints every event: node sim/protocol-replay.ts single|cluster SEED [MUTATION] */
import { MODELS, type Model } from './protocol/database.ts'
import { isMutation, MUTATIONS } from './protocol/mutations.ts'
import { simulate } from './protocol/run.ts'

const [name, seed, mutation = null] = process.argv.slice(2)
const model = MODELS.find(one => one === name) as Model
if (model === undefined) throw new Error(`there is no model ${name}; there are ${MODELS.join(', ')}`)
if (mutation !== null && !isMutation(model, mutation))
  throw new Error(`there is no mutation ${mutation}; there are ${MUTATIONS[model].join(', ')}`)
console.log(await simulate(Number(seed), { model, mutation, say: what => console.log(what) }))
