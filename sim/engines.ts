/**
 * Measures claims and reads a second on every engine in one run: `node sim/engines.ts [--seconds S]`, prints Markdown. Needs
 * Debian's mariadb-server, galera-4 and rsync, and root.
 */
import { parseArgs } from 'node:util'
import { startMariadb } from '../test/mariadb.ts'
import { Cloud, type CloudDatabase } from './figures/cloud.ts'
import { machine, syncsPerSecond } from './figures/machine.ts'
import { claims, type Rate, reads } from './figures/measure.ts'
import { Cluster } from './galera/cluster.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, port: { type: 'string', default: '25800' } },
})
const forMs = Number(values.seconds) * 1_000
const CLAIMERS = 128
const READERS = 32

async function startSqlite(): Promise<CloudDatabase> {
  return { address: () => null, pids: () => [], remove: async () => {} }
}

async function startDurableMariadb(): Promise<CloudDatabase> {
  const mariadb = await startMariadb()
  const url = await mariadb.newDatabase()
  return { address: () => url, pids: () => mariadb.pids(), remove: () => mariadb.remove() }
}

/** With several writers, each server prefers another node. */
const startGalera = (writers: 'one' | 'several') => async (): Promise<CloudDatabase> => {
  const cluster = await Cluster.start(Number(values.port))
  const name = await cluster.newDatabase()
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`)
  return {
    address: server => {
      const first = writers === 'one' ? 0 : server % hosts.length
      return `mysql://berth:berth@${[...hosts.slice(first), ...hosts.slice(0, first)].join(',')}/${name}`
    },
    pids: () => cluster.nodes.flatMap(({ pid }) => pid ?? []),
    remove: () => cluster.remove(),
  }
}

const cases: readonly [name: string, processes: number, start?: () => Promise<CloudDatabase>][] = [
  ['SQLite', 1, startSqlite],
  ['PostgreSQL', 1],
  ['PostgreSQL', 3],
  ['MariaDB', 1, startDurableMariadb],
  ['MariaDB', 3, startDurableMariadb],
  ['Galera, one writer', 1, startGalera('one')],
  ['Galera, three writers at one node', 3, startGalera('one')],
  ['Galera, three writers at three nodes', 3, startGalera('several')],
]

const say = (line = '') => process.stdout.write(`${line}\n`)
const whole = (value: number) => Math.round(value).toLocaleString('en')
const cells = ({ perSecond, p50Ms, p99Ms, databaseCpuMs }: Rate) =>
  [whole(perSecond), p50Ms.toFixed(1), p99Ms.toFixed(1), databaseCpuMs.toFixed(3)].join(' | ')

say(
  `Machine: ${machine()}; servers, databases and clients share it. Disk: ${whole(syncsPerSecond())} fdatasync of 8 KiB a second.`,
)
say()
say(
  '| engine | processes | claims/s | p50 ms | p99 ms | CPU of the database, ms a claim | GET/s, linearizable | p50 ms | p99 ms | CPU of the database, ms a GET |',
)
say('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
for (const [name, processes, start] of cases) {
  const cloud = await Cloud.start(processes, 'linearizable', start)
  try {
    const claimed = await claims(cloud, CLAIMERS, forMs)
    const read = await reads(cloud, READERS, forMs / 2)
    say(`| ${name} | ${processes} | ${cells(claimed)} | ${cells(read)} |`)
  } finally {
    await cloud.end()
  }
}
process.exit(0)
