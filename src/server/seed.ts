import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Config } from '../config/keys.ts'
import type { Log } from '../http/ops/log.ts'
import { systemClock } from '../kernel/clock.ts'
import { BackendsFileFault, readBackendsFile, realRootsOf } from '../shares/backends/backends.file.ts'
import { toApiError } from '../shares/errors.ts'
import type { Engine } from './engine.ts'

interface SeedParts {
  readonly config: Config
  readonly log: Log
  /** The configuration files. */
  readonly configFiles: readonly string[]
}

/** Writes what the configuration requires before the first request. */
export async function seedStore(engine: Engine, parts: SeedParts): Promise<void> {
  const { config, log } = parts
  if (config.catalog_builtin) await addBuiltinDefinitions(engine, log)
  if (config.demo) await addDemo(engine, config, log)
  if (config.auth === 'token') await addFirstUsers(engine, parts)
  await declareShareBackends(engine, parts)
}

/** Paths that users of shares must not reach. */
export const ownPaths = ({ config, configFiles }: Pick<SeedParts, 'config' | 'configFiles'>): string[] =>
  [
    config.data_dir,
    config.tls_cert,
    config.tls_key,
    config.policy_file,
    config.keystone_ca_file,
    config.shadow_ca_file,
    config.log_file,
    ...configFiles,
  ].flatMap(path => (path === null ? [] : [resolve(path)]))

/** Once per namespace: a deleted one is not created again. */
async function addBuiltinDefinitions({ sequencer, world }: Engine, log: Log): Promise<void> {
  const { loadBuiltinDefinitions: builtinDefinitions } = await import(
    '../catalog/transfer/builtin-definitions.ts'
  )
  const definitions = builtinDefinitions().filter(one => !world.catalog.builtins.find(one.namespace))
  if (definitions.length === 0) return
  const outcome = await sequencer.submit({ kind: 'catalog:load-builtins', definitions })
  if (outcome.ok) log.info('added built-in definitions', { namespaces: outcome.answer.added })
  else log.error('built-in definitions were not added', { reason: outcome.refusal.kind })
}

async function addFirstUsers(engine: Engine, { config, log }: SeedParts): Promise<void> {
  const { initializeStore: firstStart } = await import('../identity/builtin/first-start.ts')
  if (await firstStart(config.data_dir, engine)) log.info('created the roles and the user admin')
}

/** Loaded only if needed. */
async function addDemo({ sequencer, world }: Engine, { usage_history }: Config, log: Log): Promise<void> {
  const { fillWithDemo } = await import('../demo/fill.ts')
  const { filled, reason } = await fillWithDemo(sequencer, world, usage_history ? systemClock.nowMs() : null)
  if (filled) log.info('filled with the demo cloud', { providers: world.providers.size })
  else log.warn('the demo cloud was not created', { reason })
}

/** As in `backends.json`. Removes back ends that are no longer in it, unless they are in use. */
async function declareShareBackends({ world, sequencer }: Engine, parts: SeedParts): Promise<void> {
  const { config, log } = parts
  const file = await readBackendsFile(config.data_dir, ownPaths(parts))
  if (file === null) return
  const { types, defaultType, ...declared } = file
  const uuids = (count: number) => Array.from({ length: count }, () => randomUUID())
  const places = declared.backends.reduce((sum, { pools }) => sum + 1 + pools.length, 0)
  const outcome = await sequencer.submit({
    kind: 'shares:declare-backends',
    declared,
    owner: 'backends.json',
    keepUsed: true,
    realRoots: await realRootsOf(world, declared),
    newUuids: uuids(places),
  })
  if (!outcome.ok)
    throw new BackendsFileFault(`backends.json is refused: ${toApiError(outcome.refusal).message}`)
  for (const { what, did } of outcome.answer)
    if (did === 'kept') log.warn('a pool or back end is no longer declared but still in use', { what })
  const newUuids = uuids(types.length)
  await sequencer.submit({ kind: 'shares:declare-types', types, defaultType, newUuids })
  log.info('share back ends', { backends: declared.backends.length, changes: outcome.answer.length })
}
