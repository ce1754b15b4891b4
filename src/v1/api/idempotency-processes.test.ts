import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { freshDatabase } from '../../store/postgres/fresh-database.fixture.ts'

const HEADERS = {
  'content-type': 'application/x-ndjson',
  'x-auth-token': 'admin',
  'idempotency-key': 'one',
}
/** More lines than one command accepts. */
const MANY = Array.from({ length: 300 }, (_, at) => `{"trait":{"name":"CUSTOM_${at}"}}\n`).join('')

async function two(): Promise<[Berth, Berth]> {
  const { url, drop } = await freshDatabase('nothing')
  const one = await Berth.start({ database: url, catalog_builtin: false })
  const other = await Berth.start({ database: url, catalog_builtin: false })
  onTestFinished(async () => {
    await Promise.all([one.end(), other.end()])
    await drop()
  })
  return [one, other]
}

test('a request that reached two processes at once has one effect, and both give one answer', async () => {
  const [one, other] = await two()
  const slow = request(`${one.server.url}/v1/import`, { method: 'POST', headers: HEADERS })
  const answered = new Promise<[number, string | undefined, string]>((resolve, reject) => {
    slow.on('error', reject).on('response', answer => {
      let text = ''
      answer.on('data', piece => {
        text += piece
      })
      answer.on('end', () =>
        resolve([
          answer.statusCode as number,
          answer.headers['idempotent-replay'] as string | undefined,
          text,
        ]),
      )
    })
  })
  slow.write(MANY)
  while ((await one.ask('GET', '/traits/CUSTOM_0', { minor: 6 })).status !== 204);
  const fast = await other.ask('POST', '/v1/import', { raw: `${MANY}`, headers: HEADERS })
  expect([fast.status, fast.headers.get('idempotent-replay')]).toEqual([200, null])
  slow.end()
  expect(await answered).toEqual([200, 'true', fast.text])
})
