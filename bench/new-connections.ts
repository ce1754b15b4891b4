/**
 * How long new connections wait for `/readyz` beside busy ones: `node bench/new-connections.ts [BUSY] [NEW]`, after
 * `npm run build`. The busy ones are in another process, so that only the server delays the new ones.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { BerthProcess } from './berth-process.ts'
import { Connection } from './connection.ts'

const [busy, fresh] = [Number(process.argv[2] ?? 1_000), Number(process.argv[3] ?? 300)]

/** In the other process: connections that send the next request at once. */
async function keepBusy(origin: string): Promise<void> {
  const connections = Array.from({ length: busy }, () => new Connection(origin))
  let accepted = 0
  for (const connection of connections)
    void (async () => {
      for (let answers = 0; ; answers++) {
        await connection.send('GET', '/placement/resource_classes')
        if (answers === 1 && ++accepted === busy) process.send?.('busy')
      }
    })()
}

async function measure(): Promise<void> {
  const berth = new BerthProcess()
  await berth.start()
  const load = fork(fileURLToPath(import.meta.url), [String(busy), String(fresh)], {
    env: { ...process.env, BUSY_ORIGIN: berth.origin },
  })
  await once(load, 'message')
  const waits = await Promise.all(
    Array.from({ length: fresh }, async () => {
      const beganMs = performance.now()
      const { status } = await new Connection(berth.origin).send('GET', '/readyz')
      if (status !== 200) throw new Error(`/readyz answered ${status}`)
      return performance.now() - beganMs
    }),
  )
  waits.sort((a, b) => a - b)
  const at = (share: number) => Math.round(waits[Math.ceil(share * waits.length) - 1] as number)
  console.log(JSON.stringify({ busy, fresh, medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) }))
  load.kill('SIGKILL')
  await berth.remove()
  process.exit(0)
}

const origin = process.env.BUSY_ORIGIN
await (origin === undefined ? measure() : keepBusy(origin))
