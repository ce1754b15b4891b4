import { expect, test } from 'vitest'
import { freePort } from '../../scripts/free-port.ts'
import { startMariadb, testsMariadb } from '../../test/mariadb.ts'
import { Berth } from '../../test/running-berth.ts'
import { freshDatabase } from '../store/postgres/fresh-database.fixture.ts'

/** No one can create a directory there, not even root. */
const READ_ONLY = '/sys/berth'
const KEYSTONE = {
  auth: 'keystone',
  keystone_url: 'http://127.0.0.1:9/v3',
  keystone_username: 'placement',
  keystone_password: 'sesame',
} as const

test('with a database and Keystone it serves where the data directory cannot be written, and says so', async () => {
  const database = await freshDatabase()
  const berth = await Berth.start({ ...KEYSTONE, database: database.url, data_dir: READ_ONLY })
  try {
    expect((await fetch(`${berth.server.url}/readyz`)).status).toBe(200)
    expect(berth.server.firstStartToken).toBeNull()
    expect(berth.logLines.map(line => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'no admin token',
        text: expect.stringContaining(READ_ONLY),
      }),
    )
  } finally {
    await berth.end()
    await database.drop()
  }
})

test('where its own tokens are the only ones, it does not start without a place for them', async () => {
  const database = await freshDatabase()
  await expect(Berth.start({ auth: 'token', database: database.url, data_dir: READ_ONLY })).rejects.toThrow(
    /EACCES|EPERM|EROFS/,
  )
  await database.drop()
})

test('the address for health checks answers them and nothing else, until the server stops', async () => {
  const port = await freePort()
  const berth = await Berth.start({ health_listen: `127.0.0.1:${port}` })
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return [answer.status, await answer.text()]
  }
  expect(await get('/readyz')).toEqual([200, '{"ready":true}'])
  expect((await get('/metrics'))[1]).toContain('berth_http_requests_total')
  for (const path of ['/', '/placement/resource_providers', '/healthz'])
    expect(await get(path)).toEqual([200, '{"alive":true}'])
  await berth.end()
  await expect(get('/')).rejects.toThrow()
})

test.skipIf(!testsMariadb)(
  'a MariaDB that may lose acknowledged writes is told at the start and at /readyz',
  async () => {
    const mariadb = await startMariadb(['--innodb-flush-log-at-trx-commit=0'])
    const berth = await Berth.start({ database: await mariadb.newDatabase() })
    try {
      expect(await (await fetch(`${berth.server.url}/readyz`)).json()).toEqual({
        ready: true,
        may_lose: expect.stringContaining('loses acknowledged writes of the last second'),
      })
      expect(berth.logLines.join('\n')).toContain('innodb_flush_log_at_trx_commit is 0')
    } finally {
      await berth.end()
      await mariadb.remove()
    }
  },
)
