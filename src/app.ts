import { randomInt, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { addWorldMetrics, candidateMetrics, sequencerMetrics } from './app-metrics.ts'
import type { Config } from './config/keys.ts'
import { createLog, type Log } from './http/log.ts'
import { Registry } from './http/metrics.ts'
import { type BerthServer, buildServer } from './http/server.ts'
import { adminToken } from './identity/admin-token.ts'
import type { Authenticator } from './identity/authenticator.ts'
import { noauth2 } from './identity/noauth2.ts'
import { policyOf } from './identity/policy.ts'
import { type AdminToken, ensureAdminToken } from './identity/token-file.ts'
import { systemClock } from './kernel/clock.ts'
import type { PlacementContext } from './placement/context.ts'
import standardClasses from './placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from './placement/data/standard-traits.json' with { type: 'json' }
import { type PlacementRules, placementRules } from './placement/rules.ts'
import { placementService } from './placement/service.ts'
import { loadWorld } from './store/load-world.ts'
import { Sequencer } from './store/sequencer.ts'
import { openSqlite } from './store/sqlite/open.ts'
import type { Store } from './store/store.ts'
import { type VerifyReport, verifyWorld } from './store/verify-world.ts'
import { addV1 } from './v1/v1.ts'
import { verifyRoom } from './v1/verify.ts'
import type { World } from './world/world.ts'

/** What the server needs from the process it runs in. */
export interface ServerParts {
  readonly version: string
  /** Takes one line of the log, without its end. */
  readonly log: (line: string) => void
}

export interface RunningServer {
  /** Every address it listens on, as `host:port`. */
  readonly addresses: readonly string[]
  readonly url: string
  /** The admin token, if this start made it. */
  readonly firstStartToken: string | null
  /** Takes no new connections, lets requests under way finish, and closes the store. */
  drain(): Promise<void>
  /** Resolves when the server cannot go on. */
  readonly fatal: Promise<Error>
}

export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  const log = createLog({
    stream: { write: text => parts.log(text.endsWith('\n') ? text.slice(0, -1) : text) },
    level: config.log_level,
    format: config.log_format,
  })
  const store = await openStore(config)
  try {
    const token = config.auth === 'token' ? await ensureAdminToken(config.data_dir) : null
    const engine = await startEngine(store, log)
    const server = assemble(config, engine, store, log, token)
    await server.listen({ host: config.host, port: config.port })
    log.info('serving', { version: parts.version, revision: engine.world.revision })
    return running(config, server, engine, store, log, token)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store of a server that does not run, and checks it against itself. */
export async function verifyOffline(config: Config): Promise<VerifyReport> {
  const store = await openStore(config)
  try {
    const { world } = await loadWorld(store)
    return await verifyWorld(config.data_dir, store, world)
  } finally {
    await store.close()
  }
}

function openStore(config: Config): Promise<Store> {
  return openSqlite({
    directory: config.data_dir,
    changesAgeMsMax: config.changes_keep_days * 86_400_000,
    changesCountMax: config.changes_keep_rows,
  })
}

interface Engine {
  readonly world: World
  readonly sequencer: Sequencer<PlacementRules>
  readonly metrics: Registry
  readonly broken: Promise<Error>
}

async function startEngine(store: Store, log: Log): Promise<Engine> {
  const { world, head } = await loadWorld(store)
  const metrics = new Registry()
  addWorldMetrics(metrics, world)
  const broken = Promise.withResolvers<Error>()
  const observer = sequencerMetrics(
    metrics,
    reason => broken.resolve(reason instanceof Error ? reason : new Error(String(reason))),
    reason =>
      log.error('commit failed', { error: reason instanceof Error ? reason : new Error(String(reason)) }),
  )
  const sequencer = new Sequencer({
    world,
    store,
    rules: placementRules,
    clock: systemClock,
    head,
    newBatchId: randomUUID,
    observer,
  })
  await sequencer.submit({ kind: 'sync-standards', classes: standardClasses, traits: standardTraits })
  return { world, sequencer, metrics, broken: broken.promise }
}

function assemble(
  config: Config,
  engine: Engine,
  store: Store,
  log: Log,
  token: AdminToken | null,
): BerthServer {
  const { world, sequencer, metrics } = engine
  const context: PlacementContext = {
    world,
    sequencer,
    settings: config,
    clock: systemClock,
    newSeed: () => randomInt(2 ** 32),
    observer: candidateMetrics(metrics),
  }
  const authenticator: Authenticator = token === null ? noauth2({ plainRoles: [] }) : adminToken(token.token)
  const policy = policyOf(config.rbac)
  const server = buildServer({
    services: [
      { mount: config.only === 'placement' ? '' : '/placement', service: placementService(context) },
    ],
    authenticator,
    policy,
    cors: config.cors_allowed_origin.length === 0 ? null : { allowedOrigins: config.cors_allowed_origin },
    limits: {
      bodyBytesMax: config.max_body_bytes,
      urlBytesMax: config.max_header_bytes,
      headerBytesMax: config.max_header_bytes,
      requestMsMax: config.request_timeout_ms,
    },
    metrics,
    log,
    health: { notReady: () => null },
  })
  const verify = () => sequencer.alone(() => verifyWorld(config.data_dir, store, world))
  addV1(server, { authenticator, policy, log }, [verifyRoom(verify)])
  return server
}

function running(
  config: Config,
  server: BerthServer,
  engine: Engine,
  store: Store,
  log: Log,
  token: AdminToken | null,
): RunningServer {
  const addresses = (server.addresses() as AddressInfo[]).map(hostAndPort)
  return {
    addresses,
    url: `http://${addresses[0]}`,
    firstStartToken: token?.created === true ? token.token : null,
    fatal: engine.broken,
    async drain() {
      const finished = await server.drain({ finishMsMax: config.drain_timeout_ms })
      await engine.sequencer.idle()
      await store.close()
      log.info('stopped', { finished, revision: engine.world.revision })
      log.flush()
    },
  }
}

function hostAndPort({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
