/**
 * A server with a mistake made on purpose, to see that the checks find it: the parts are those of a real one, put
 * together here with something wrong in between. Flags are those of `berth serve`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { assemble } from '../../src/assembly.ts'
import { keyNames } from '../../src/config/keys.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { createLog } from '../../src/http/log.ts'
import { openPostgresLinks } from '../../src/store/postgres/open.ts'
import { SharedStore } from '../../src/store/shared/shared-store.ts'
import { type Mutation, mutateDatabase, mutated, mutatedWay, mutateProcess } from './mutations.ts'

const [mutation, ...args] = process.argv.slice(2) as [Mutation, ...string[]]
const flags = Object.fromEntries(
  keyNames.map(name => [name.replaceAll('_', '-'), { type: 'string' as const }]),
)
const given = Object.entries(parseArgs({ args, options: flags }).values)
const resolved = resolveConfig({
  flags: Object.fromEntries(given.map(([name, value]) => [name.replaceAll('-', '_'), String(value)])),
  env: {},
  file: null,
  terminal: false,
})
if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems))
const config = resolved.values

await mutateProcess(mutation)

const timeouts = { answerMsMax: config.database_timeout_ms, frozenMsMax: config.database_frozen_ms }
const links = await openPostgresLinks(config.database as string, { ...timeouts, env: {}, homeDirectory: '/' })
await mutateDatabase(mutation, config.database as string)
const patienceMs = timeouts.answerMsMax + timeouts.frozenMsMax
const shared = new SharedStore(
  mutatedWay(links, mutation),
  {
    changesAgeMsMax: config.changes_keep_days * 86_400_000,
    changesCountMax: config.changes_keep_rows,
    retryMsMax: patienceMs,
    settleMsMax: patienceMs,
  },
  { nowMs: () => performance.now(), sleep },
)
const log = createLog({
  stream: { write: text => process.stderr.write(text) },
  level: config.log_level,
  format: config.log_format,
})
const parts = {
  config,
  store: mutated(shared, mutation),
  place: mutation,
  log,
  version: 'sim',
  token: null,
}
const { server, follower, broken } = await assemble(parts)
await server.listen({ host: config.host, port: config.port })
follower.start()
process.stdout.write(`a mutant, ${mutation}, listens on ${config.port}\n`)
process.stderr.write(`${(await broken).stack}\n`)
process.exit(1)
