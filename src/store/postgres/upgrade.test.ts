import { expect, onTestFinished, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { freshDatabase } from './fresh-database.fixture.ts'

test('a process that is too old for its database answers everything with 503, and leaves', async () => {
  const fresh = await freshDatabase('nothing')
  const berth = await Berth.start({ database: fresh.url })
  onTestFinished(async () => {
    await berth.end()
    await fresh.drop()
  })
  await fresh.query("INSERT INTO berth_schema VALUES (9999, 'newer')")
  const asks = [
    berth.ask('GET', '/resource_classes'),
    berth.ask('PUT', '/traits/CUSTOM_A', { minor: 6 }),
    berth.ask('GET', '/v1/fleet'),
    berth.ask('POST', '/v1/tokens', { body: { name: 'a', token_sha256: 'a'.repeat(64), roles: [] } }),
  ]
  for (const { status, headers, text } of await Promise.all(asks)) {
    expect([status, headers.get('retry-after')], text).toEqual([503, '1'])
    expect(text).toContain('This server is stopping; nothing was changed.')
  }
  expect((await berth.server.fatal).message).toContain('schema version 9999')
  await expect(fetch(`${berth.server.url}/readyz`)).rejects.toThrow()
})
