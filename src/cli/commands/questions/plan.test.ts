import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let directory: string

const VCPU = (total: number) => ({ VCPU: { total }, MEMORY_MB: { total: 8_192 } })
const hosts = [
  { name: 'alpha', inventories: VCPU(4) },
  { name: 'beta', inventories: VCPU(4) },
  { name: 'gamma', inventories: VCPU(4) },
]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plan-'))
  berth = await Berth.start()
  const applied = await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts } })
  expect(applied.status).toBe(200)
})
afterEach(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])
const place = async (nth: number, host: string, vcpus: number) => {
  const { exitCode, err } = await at(
    ...['schedule', '--resources', `VCPU=${vcpus},MEMORY_MB=1024`, '--host', host, '--instance', uuid(nth)],
  )
  expect([exitCode, err]).toEqual([0, ''])
}
const hostOf = async (nth: number) =>
  (await berth.ask('GET', `/v1/consumers/${uuid(nth)}`)).json.hosts[0].name as string

test('drain: the plan is printed and kept, writes nothing, and apply runs it; applied again, nothing is left', async () => {
  await place(1, 'alpha', 2)
  await place(2, 'alpha', 1)
  const file = join(directory, 'drain.json')
  const planned = await at('plan', 'drain', 'alpha', '--out', file)
  expect([planned.exitCode, planned.err]).toEqual([0, `berth: to run it: berth plan apply ${file}\n`])
  expect(planned.out).toContain('drain alpha: 2 moves')
  expect(planned.out).toContain('No plan has fewer moves.')
  expect(await hostOf(1)).toBe('alpha')
  const { moves } = JSON.parse(await readFile(file, 'utf8'))
  const applied = await at('plan', 'apply', file)
  expect([applied.exitCode, applied.err]).toEqual([0, 'berth: 2 of 2 moves are done\n'])
  for (const { instance, to } of moves)
    expect((await berth.ask('GET', `/v1/consumers/${instance}`)).json.hosts[0].name).toBe(to)
  const again = await at('plan', 'apply', file, '--json')
  expect(again.json).toMatchObject({ done: 2, moved: [], left: [], stopped: null })
})

test('apply goes on where it was, stops where the plan does not hold any more, and says why', async () => {
  await place(1, 'alpha', 2)
  await place(2, 'alpha', 1)
  const file = join(directory, 'drain.json')
  await at('plan', 'drain', 'alpha', '--out', file)
  const { moves } = JSON.parse(await readFile(file, 'utf8'))
  const other = ['beta', 'gamma'].find(host => host !== moves[0].to) as string
  await at('move', moves[0].instance, '--host', other)
  const lost = await at('plan', 'apply', file)
  expect(lost.exitCode).toBe(75)
  expect(lost.err).toContain(`server ${moves[0].instance} is on ${other}, and the plan has it on alpha or `)
  await at('move', moves[0].instance, '--host', moves[0].to)
  // The host of the second move has no room any more.
  await place(3, moves[1].to, moves[1].to === moves[0].to ? 2 : 4)
  const stopped = await at('plan', 'apply', file)
  expect(stopped.exitCode).toBe(2)
  expect(stopped.err).toContain('1 of 2 moves is done')
  expect(stopped.err).toContain(`the plan does not hold any more: server ${moves[1].instance} from alpha`)
})

test('Ctrl-C ends apply after the move under way, not as if all were done, and the next run does the rest', async () => {
  await place(1, 'alpha', 1)
  await place(2, 'alpha', 1)
  const file = join(directory, 'drain.json')
  await at('plan', 'drain', 'alpha', '--out', file)
  const around = new FakeEnvironment()
  around.stdout.onWrite = () => around.signal('SIGINT')
  const args = ['plan', 'apply', file, '--url', berth.server.url, '--token', 'root:ops:admin']
  const stopped = await run(args, { around })
  expect([stopped.exitCode, stopped.err]).toEqual([
    2,
    'berth: 1 of 2 moves is done\nberth: stopped; the same command goes on from here\n',
  ])
  const rest = await at('plan', 'apply', file)
  expect([rest.exitCode, rest.out.trim().split('\n').length]).toEqual([0, 1])
})

test('--openstack prints what is left as commands; a file that is no plan is refused with its fault', async () => {
  await place(1, 'alpha', 2)
  const file = join(directory, 'drain.json')
  const { json } = await at('plan', 'drain', 'alpha', '--out', file, '--json')
  const { out } = await at('plan', 'apply', file, '--openstack')
  const [{ to }] = json.moves
  expect(out.slice(out.indexOf('}\n') + 2)).toBe(
    `must_be_on ${uuid(1)} alpha\n` +
      `openstack --os-compute-api-version 2.30 server migrate --live-migration --wait --host ${to} ${uuid(1)}\n` +
      `must_be_on ${uuid(1)} ${to}\n`,
  )
  await writeFile(join(directory, 'bad.json'), '{"moves": [{"instance": 1}]}')
  const bad = await at('plan', 'apply', join(directory, 'bad.json'))
  expect([bad.exitCode, bad.err]).toEqual([
    65,
    `berth: ${join(directory, 'bad.json')} is no plan: move 1 has no text "instance"\n`,
  ])
})

/** Servers 1 and 2 move together, then server 3. */
async function printWaves(): Promise<string> {
  await place(1, 'alpha', 1)
  await place(2, 'alpha', 1)
  await place(3, 'beta', 1)
  const move = (nth: number, from: string, to: string, wave: number) => ({
    instance: uuid(nth),
    from,
    to,
    to_provider: uuid(9),
    wave,
  })
  const moves = [move(1, 'alpha', 'beta', 1), move(2, 'alpha', 'gamma', 1), move(3, 'beta', 'gamma', 2)]
  const file = join(directory, 'waves.json')
  await writeFile(file, JSON.stringify({ moves }))
  return (await at('plan', 'apply', file, '--openstack')).out
}

/** Runs a script with an openstack command that keeps the host of each server in a file of its name. */
async function runScript(script: string, failing: string, migrate: string) {
  const log = join(directory, 'log')
  await rm(log, { force: true })
  for (const [nth, host] of ['alpha', 'alpha', 'beta'].entries())
    await writeFile(join(directory, uuid(nth + 1)), host)
  await writeFile(
    join(directory, 'openstack'),
    `#!/bin/sh
cd ${directory}
for last; do :; done
case "$*" in
*show*) cat "$last"; exit ;;
esac
echo "$last" >> ${log}
case "$*" in *${failing}) ${migrate} ;; esac
echo "$8" > "$last"
`,
    { mode: 0o755 },
  )
  const env = { PATH: `${directory}:${process.env.PATH}`, moves: '1' }
  const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })
  const ran = await readFile(log, 'utf8')
  return [status, [1, 2, 3].filter(nth => ran.includes(uuid(nth))), stderr]
}

test('the commands of a wave run side by side, and the next wave only if none of them failed', async () => {
  const script = await printWaves()
  expect(await runScript(script, 'none', '')).toEqual([0, [1, 2, 3], ''])
  expect(await runScript(script, uuid(1), 'exit 7')).toEqual([7, [1, 2], ''])
  expect(await runScript(script, uuid(2), 'exit 7')).toEqual([7, [1, 2], ''])
})

test('a migration that ends where it began stops the script, as one whose server went elsewhere before', async () => {
  const script = await printWaves()
  const stays = await runScript(script, uuid(2), 'exit 0')
  expect(stays).toEqual([1, [1, 2], expect.stringContaining(`server ${uuid(2)} is on alpha, not on gamma`)])
  const elsewhere = await runScript(script, uuid(1), `echo beta > ${uuid(1)}; echo delta > ${uuid(3)}; exit`)
  expect(elsewhere).toEqual([
    1,
    [1, 2],
    expect.stringContaining(`server ${uuid(3)} is on delta, not on beta`),
  ])
})

test('simulate --fail says whether servers find a place if a host fails, and exits with 2 if one does not', async () => {
  await place(1, 'alpha', 3)
  await place(2, 'beta', 2)
  const yes = await at('simulate', '--fail', 'host', 'alpha')
  expect([yes.exitCode, yes.err]).toEqual([0, ''])
  expect(yes.out).toContain('yes: failure of alpha: all servers find another place')
  await place(3, 'gamma', 2)
  const no = await at('simulate', '--fail', 'host', 'alpha', 'beta')
  expect(no.exitCode).toBe(2)
  expect(no.out).toContain('no: failure of alpha, beta: some servers find no place: 1 of 2 servers')
  expect(no.out).toContain(`${uuid(1)} on alpha: No host fits`)
  expect((await at('simulate', '--fail', 'alpha')).exitCode).toBe(64)
  expect((await at('simulate', 'm1.small', '--fail', 'host', 'alpha')).exitCode).toBe(64)
})

test('make-room moves what stands in the way; without any way it says so with exit code 2', async () => {
  await place(1, 'alpha', 1)
  await place(2, 'beta', 1)
  await place(3, 'gamma', 1)
  const raw = ['--resources', 'VCPU=4,MEMORY_MB=1024']
  const one = await at('plan', 'make-room', ...raw)
  expect(one.exitCode).toBe(0)
  expect(one.out).toContain('make room for 1 server of the request: 1 move')
  expect(one.out).toContain('servers that fit: 0 now, 1 then, 1 wanted')
  const three = await at('plan', 'make-room', ...raw, '--count', '3')
  expect(three.exitCode).toBe(2)
  const never = await at(
    ...['plan', 'make-room', ...raw, '--never', uuid(1), '--never', uuid(2), '--never', uuid(3)],
  )
  expect(never.exitCode).toBe(2)
  expect((await at('plan', 'defragment', ...raw)).out).toContain('servers that fit: 0 now, 2 then')
})

test('consolidate frees hosts; a server that is tied stays and is named', async () => {
  await place(1, 'alpha', 1)
  await place(2, 'beta', 2)
  const freed = await at('plan', 'consolidate', '--free', '1', '--json')
  expect(freed.json).toMatchObject({
    is_reached: true,
    is_shortest: true,
    cost: { moves: 1 },
    gain: { of: 'empty-hosts', before: 1, after: 2, wanted: 2 },
  })
  await place(3, 'gamma', 4)
  await place(4, 'beta', 2)
  const { json, exitCode } = await at('plan', 'drain', 'gamma', '--json')
  expect([exitCode, json.stuck.map(({ instance }: { instance: string }) => instance)]).toEqual([2, [uuid(3)]])
  expect(json.stuck[0].text).toMatch(/No host/)
})

test('a goal without its field, and one with a field of another goal, are refused by name', async () => {
  const ask = async (body: object) => {
    const { status, json } = await berth.ask('POST', '/v1/plan', { body })
    return [status, json.field ?? json.facts?.field, json.detail ?? json.message]
  }
  expect(await ask({ goal: 'drain' })).toMatchObject([
    400,
    'hosts',
    expect.stringContaining('required with the goal'),
  ])
  expect(await ask({ goal: 'drain', hosts: ['alpha'], free: 1 })).toMatchObject([
    400,
    'free',
    expect.anything(),
  ])
  expect((await ask({ goal: 'drain', hosts: ['nope'] }))[0]).toBe(404)
})

test('defragment without a flavor takes the largest one for which moves help', async () => {
  const flavors = [
    { id: 's', name: 'small', vcpus: 1, ram: 1_024, disk: 0 },
    { id: 'm', name: 'medium', vcpus: 4, ram: 4_096, disk: 0 },
    { id: 'x', name: 'huge', vcpus: 64, ram: 65_536, disk: 0 },
  ]
  expect((await berth.ask('POST', '/v1/apply?owner=other', { body: { flavors } })).status).toBe(200)
  await place(1, 'alpha', 1)
  await place(2, 'beta', 1)
  await place(3, 'gamma', 1)
  const { json, exitCode } = await at('plan', 'defragment', '--json')
  expect([exitCode, json.what]).toEqual([0, 'make room for as many servers of medium as possible'])
  expect(json.gain).toMatchObject({ before: 0, after: 2 })
  expect(json.moves).toHaveLength(2)
  expect((await at('plan', 'defragment', '--zone', 'nova')).exitCode).toBe(64)
})

test('apply moves nothing if a later move is not possible any more, or would break what another server asked for', async () => {
  await place(1, 'alpha', 2)
  await place(2, 'alpha', 1)
  const file = join(directory, 'drain.json')
  const { json } = await at('plan', 'drain', 'alpha', '--out', file, '--json')
  const [first, second] = json.moves
  const away = ['--host', second.to, '--hint', `different_host=${second.instance}`]
  const tied = await at('schedule', '--resources', 'VCPU=1,MEMORY_MB=1024', ...away, '--instance', uuid(7))
  expect([tied.exitCode, tied.err]).toEqual([0, ''])
  const stopped = await at('plan', 'apply', file, '--json')
  expect([stopped.exitCode, stopped.json.done]).toEqual([2, 0])
  expect(stopped.json.stopped).toContain(`server ${second.instance} from alpha`)
  expect(stopped.json.stopped).toContain(`server ${uuid(7)}`)
  expect(await hostOf(1)).toBe('alpha')
  await berth.ask('DELETE', `/allocations/${uuid(7)}`)
  await at('move', first.instance, '--host', first.to)
  expect((await at('plan', 'apply', file)).exitCode).toBe(0)
})

test('a check says which move does not hold; at the revision at which they held nothing is tried', async () => {
  await place(1, 'alpha', 4)
  await place(2, 'beta', 3)
  const check = async (body: object) => (await berth.ask('POST', '/v1/plan/check', { body })).json
  const move = { instance: uuid(1), from: 'alpha', to: 'beta' }
  const found = await check({ moves: [{ instance: uuid(2), from: 'beta', to: 'gamma' }, move] })
  expect(found).toMatchObject({ holds: true, at: null, text: null })
  expect(await check({ moves: [move] })).toMatchObject({ holds: false, at: 0 })
  expect(await check({ moves: [move], held_at: found.revision })).toMatchObject({ holds: true })
  expect(await check({ moves: [{ ...move, from: 'gamma' }] })).toMatchObject({
    holds: false,
    text: 'The server is not on the host where the move begins.',
  })
})
