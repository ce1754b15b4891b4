/** A server killed with SIGKILL in the middle of imports that have a key: each is sent again until it is answered. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../src/kernel/random.ts'
import { Berth, uuid } from '../test/running-berth.ts'

const ROUNDS = Number(process.env.BERTH_SIM_ROUNDS ?? 4)
const SEED = Number(process.env.BERTH_SIM_SEED ?? 20_261_116)
const CHILD = fileURLToPath(new URL('./serve-child.ts', import.meta.url))
const HOSTS = 1_500

async function startServer(directory: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  return { child, url: String(said).trim() }
}

/** The lines of one round: hosts of its own, and one that every round renames. */
function linesOf(round: number): string {
  const host = (number: number, name: string) => ({
    provider: {
      uuid: uuid(number),
      name,
      generation: 0,
      parent_provider_uuid: null,
      inventories: {},
      traits: [],
      aggregates: [],
    },
  })
  const all = [
    host(1, `of round ${round}`),
    ...Array.from({ length: HOSTS }, (_, nth) => host(10_000 * (round + 1) + nth, `host-${round}-${nth}`)),
  ]
  return all.map(line => `${JSON.stringify(line)}\n`).join('')
}

interface Imported {
  readonly text: string
  readonly isReplay: boolean
}

async function send(url: string, round: number): Promise<Imported> {
  const answer = await fetch(`${url}/v1/import`, {
    method: 'POST',
    headers: {
      'x-auth-token': 'admin',
      'content-type': 'application/x-ndjson',
      'idempotency-key': `round-${round}`,
    },
    body: linesOf(round),
  })
  expect(answer.status).toBe(200)
  return { text: await answer.text(), isReplay: answer.headers.get('idempotent-replay') === 'true' }
}

test(`killed ${ROUNDS} times during imports: sent again, each has one effect and one answer`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-kill-import-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const random = new Random(SEED)
  for (let round = 0; round < ROUNDS; round++) {
    const first = await startServer(directory)
    const sent = send(first.url, round).catch(() => null)
    await new Promise(resolve => setTimeout(resolve, random.below(250)))
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const answered = await sent
    const second = await startServer(directory)
    const again = await send(second.url, round)
    // What was answered before the kill is answered again; otherwise the first answer is this one.
    if (answered !== null) expect(again).toEqual({ text: answered.text, isReplay: true })
    expect(await send(second.url, round)).toEqual({ text: again.text, isReplay: true })
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
  }
  const berth = await Berth.start({ data_dir: directory, rbac: 'open' })
  const { text } = await berth.ask('GET', '/v1/fleet')
  const names = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(names).toHaveLength(1 + ROUNDS * HOSTS)
  // Renamed once by each round after the first, however often that was sent.
  expect(names.find(line => line.uuid === uuid(1))).toMatchObject({
    name: `of round ${ROUNDS - 1}`,
    generation: ROUNDS - 1,
  })
  expect((await berth.ask('POST', '/v1/verify')).json).toMatchObject({
    differences_total: 0,
    problems_total: 0,
  })
  await berth.stop()
})
