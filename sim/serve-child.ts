import { writeSync } from 'node:fs'
import type { Config } from '../src/config/keys.ts'
import { startServer } from '../src/server/start.ts'
import { ordinaryConfig } from '../test/running-berth.ts'

/** A server on a data directory, which prints its address and runs until it is killed. */

const [data_dir] = process.argv.slice(2) as [string]
const config = { ...ordinaryConfig(), data_dir, port: 0, auth: 'noauth2', rbac: 'open' } as Config
const server = await startServer(config, { version: 'sim', log: () => {} })
writeSync(1, `${server.url}\n`)
