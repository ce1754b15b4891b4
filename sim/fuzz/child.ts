import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../src/config/keys.ts'
import { startServer } from '../../src/server/start.ts'
import { ordinaryConfig } from '../../test/running-berth.ts'

/**
 * The server under test, in its own process with `--expose-gc`. It answers messages of its parent with its resource usage;
 * its log goes to stdout.
 */

export interface Usage {
  readonly heapMb: number
  readonly outsideHeapMb: number
  /** Turns of the event loop that took long, in CPU time of its thread: other processes on the machine do not count. */
  readonly stretches: readonly Stretch[]
}

export interface Stretch {
  readonly cpuMs: number
  /** When it began and ended, in ms of the epoch. */
  readonly fromMs: number
  readonly toMs: number
}

export type Message = { readonly kind: 'measure'; readonly collect: boolean } | { readonly kind: 'stop' }

const TICK_MS = 5
const STRETCH_MS_MIN = 50
const STRETCHES_MAX = 10_000

let stretches: Stretch[] = []
let lastCpuUs = cpuUs()
let lastMs = Date.now()
const meter = setInterval(() => {
  const nowUs = cpuUs()
  const cpuMs = (nowUs - lastCpuUs) / 1_000
  if (cpuMs > STRETCH_MS_MIN && stretches.length < STRETCHES_MAX)
    stretches.push({ cpuMs, fromMs: lastMs, toMs: Date.now() })
  lastCpuUs = nowUs
  lastMs = Date.now()
}, TICK_MS)

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function usage(collect: boolean): Usage {
  if (collect) for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const seen = stretches
  stretches = []
  // Garbage collection belongs to no request.
  lastCpuUs = cpuUs()
  lastMs = Date.now()
  return { heapMb: heapUsed / 1e6, outsideHeapMb: external / 1e6, stretches: seen }
}

const [directory] = process.argv.slice(2) as [string]
const consoleDirectory = join(directory, 'console')
mkdirSync(join(consoleDirectory, 'assets'), { recursive: true })
writeFileSync(join(consoleDirectory, 'index.html'), '<!doctype html><title>console</title>')
writeFileSync(join(consoleDirectory, 'assets', 'app.js'), '// nothing\n')
const config = {
  ...ordinaryConfig(),
  data_dir: join(directory, 'data'),
  port: 0,
  auth: 'token',
  rbac: 'secure',
  log_level: 'warn',
  log_format: 'json',
  rate_limit_per_second: 100_000,
  changes_keep_rows: 10_000,
} as Config
const server = await startServer(config, {
  version: 'fuzz',
  log: text => console.log(text),
  consoleDirectory,
})
void server.fatal.then(error => {
  console.error(`the server cannot go on: ${error.stack}`)
  process.exit(70)
})

process.on('message', (message: Message) => {
  if (message.kind === 'measure') process.send?.(usage(message.collect))
  else {
    clearInterval(meter)
    void server.drain().then(() => process.exit(0))
  }
})
process.send?.({ url: server.url })
