/** Another client writes between our read and our write: a real server, with a proxy that interferes. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { Answering, passOn } from '../../../client/answering.fixture.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let proxy: Answering
/** How many more of our writes will meet a newer generation. */
let meddling = 0

beforeAll(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/resource_providers', { body: { name: 'host-1', uuid: uuid(1) } })
  proxy = await Answering.start(async ({ method, url, headers, body }, response) => {
    if (method === 'PUT' && meddling-- > 0) await meddle()
    await passOn(berth.server.url, { method, url, headers, body }, response)
  })
})
afterEach(() => {
  meddling = 0
})
afterAll(async () => {
  proxy.stop()
  await berth.end()
})

/** Raises the generations of the provider and of the consumer. */
async function meddle(): Promise<void> {
  await berth.ask('POST', `/resource_providers/${uuid(1)}/inventories`, {
    body: { resource_class: 'PCPU', total: 1 },
  })
  await berth.ask('DELETE', `/resource_providers/${uuid(1)}/inventories/PCPU`)
  const { json } = await berth.ask('GET', `/allocations/${uuid(500)}`, { minor: 28 })
  if (json.consumer_generation !== undefined)
    await berth.ask('PUT', `/allocations/${uuid(500)}`, { minor: 28, body: json })
}

const at = (...args: string[]) => run([...args, '--url', proxy.url, '--token', 'admin'])

const definedFields = (what: string, times: number) =>
  Array.from(
    { length: times },
    (_, at) => `berth: ${what} was changed by someone else meanwhile; reading it again (${at + 1} of 3)\n`,
  ).join('')

const cases: [string, string[], string][] = [
  ['inventory set', ['inventory', 'set', 'host-1', 'VCPU=64'], 'host-1'],
  ['inventory set --amend', ['inventory', 'set', 'host-1', '--amend', 'DISK_GB=5'], 'host-1'],
  ['trait set', ['trait', 'set', 'host-1', 'COMPUTE_NODE'], 'host-1'],
  ['aggregate set', ['aggregate', 'set', 'host-1', uuid(900)], 'host-1'],
]

test.each(cases)('%s reads again, says so, and writes', async (_, args, what) => {
  meddling = 3
  expect(await at(...args)).toMatchObject({ exitCode: 0, err: definedFields(what, 3) })
})

test.each(cases)('%s gives up after the third time', async (_, args, what) => {
  meddling = 4
  expect(await at(...args)).toMatchObject({
    exitCode: 75,
    out: '',
    err: `${definedFields(what, 3)}berth: ${what} was changed by someone else 4 times: nothing was written; try again later\n`,
  })
})

test('allocation set reads the consumer again', async () => {
  const args = ['allocation', 'set', uuid(500), 'host-1:VCPU=2', '--project', 'p', '--user', 'u']
  await at(...args)
  meddling = 2
  expect(await at(...args)).toMatchObject({ exitCode: 0, err: definedFields(`consumer ${uuid(500)}`, 2) })
})

test('amending keeps what the others wrote meanwhile', async () => {
  await at('inventory', 'set', 'host-1', 'VCPU=64')
  meddling = 1
  const { json } = await at('inventory', 'set', 'host-1', '--amend', 'MEMORY_MB=1', '--json')
  expect(Object.keys(json.inventories)).toEqual(['VCPU', 'MEMORY_MB'])
})

test('another conflict is not tried again', async () => {
  const before = proxy.asked.length
  const { exitCode, err } = await at('inventory', 'set', 'host-1', 'DISK_GB=1')
  expect(exitCode).toBe(75)
  expect(err).toContain('in use')
  expect(proxy.asked.slice(before).filter(({ method }) => method === 'PUT')).toHaveLength(1)
})
