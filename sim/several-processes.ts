/** Measures several processes on one PostgreSQL: `node sim/several-processes.ts [--seconds S]`, prints Markdown. */
import { parseArgs } from 'node:util'
import { Cloud } from './figures/cloud.ts'
import { machine, syncsPerSecond } from './figures/machine.ts'
import { claims, type Delay, delayOfChanges, delayOfReads, type Rate, reads } from './figures/measure.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const forMs = Number(values.seconds) * 1_000
const CONNECTIONS = 128
const CHANGES = 500

const say = (line = '') => process.stdout.write(`${line}\n`)
const whole = (value: number) => Math.round(value).toLocaleString('en')
const fine = (value: number) => value.toFixed(2)

async function on<T>(
  count: number,
  mode: 'linearizable' | 'local',
  measure: (cloud: Cloud) => Promise<T>,
): Promise<T> {
  const cloud = await Cloud.start(count, mode)
  try {
    return await measure(cloud)
  } finally {
    await cloud.end()
  }
}

say(`Machine: ${machine()}; servers, PostgreSQL and clients share it.`)
say(`Disk: ${whole(syncsPerSecond())} fdatasync of 8 KiB a second, one after the other.`)
say()
say(
  '| processes | claims/s | p50 ms | p99 ms | CPU of the servers, ms a claim | CPU of PostgreSQL, ms a claim |',
)
say('| --- | --- | --- | --- | --- | --- |')
for (const count of [1, 2, 4]) {
  const rate = await on(count, 'linearizable', cloud => claims(cloud, CONNECTIONS, forMs))
  say(`| ${count} | ${cells(rate)} |`)
}
say()
say('| a change made at one process is seen at another | p50 ms | p99 ms |')
say('| --- | --- | --- |')
const renderDelay = (delay: Delay) => `${fine(delay.p50Ms)} | ${fine(delay.p99Ms)}`
await on(2, 'local', async cloud => {
  say(`| by \`/v1/changes\` | ${renderDelay(await delayOfChanges(cloud, CHANGES))} |`)
  say(`| by GET with \`reads\` = \`local\` | ${renderDelay(await delayOfReads(cloud, CHANGES))} |`)
})
await on(2, 'linearizable', async cloud => {
  say(`| by GET with \`reads\` = \`linearizable\` | ${renderDelay(await delayOfReads(cloud, CHANGES))} |`)
})
say()
say(
  '| reads | connections | GET/s | p50 ms | p99 ms | CPU of the server, ms a GET | CPU of PostgreSQL, ms a GET |',
)
say('| --- | --- | --- | --- | --- | --- | --- |')
for (const mode of ['local', 'linearizable'] as const)
  await on(1, mode, async cloud => {
    for (const connections of [1, 32]) {
      const rate = await reads(cloud, connections, forMs / 2)
      say(`| \`${mode}\` | ${connections} | ${cells(rate)} |`)
    }
  })
process.exit(0)

function cells({ perSecond, p50Ms, p99Ms, serverCpuMs, databaseCpuMs }: Rate): string {
  return [whole(perSecond), fine(p50Ms), fine(p99Ms), serverCpuMs.toFixed(3), databaseCpuMs.toFixed(3)].join(
    ' | ',
  )
}
