/** What a share worker does is nobody's request, though a request woke it. */
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ShareClient } from '../share-client.fixture.ts'

interface Entry {
  readonly user: string
  readonly project: string
  readonly command: string
  readonly operation: string | null
}

test('the audit log has what requests did and nothing of the steps that followed', async () => {
  const client = await ShareClient.start()
  const first = await client.create({}, 'ann:one')
  const second = await client.create({}, 'bob:two')
  for (const id of [first, second]) expect((await client.settled(id)).status).toBe('available')
  await client.remove(first)
  const { json } = await client.berth.ask('GET', '/v1/audit')
  const told = (json.entries as Entry[]).map(one => [one.user, one.project, one.operation, one.command])
  expect(told.toReversed()).toEqual([
    ['ann', 'one', 'share:create', 'shares:create'],
    ['bob', 'two', 'share:create', 'shares:create'],
    ['admin', 'ops', 'share:delete', 'shares:delete'],
  ])
  await client.berth.end()
})

test('work by a timer leaves the context of the request that woke it', async () => {
  const source = new URL('../../', import.meta.url)
  const found: string[] = []
  for await (const path of glob('**/*.ts', { cwd: fileURLToPath(source) })) {
    if (/\.(test|fixture)\.ts$/.test(path)) continue
    const text = await readFile(new URL(path, source), 'utf8')
    if (!/\bsetInterval\(/.test(text) || !/\.submit\(/.test(text)) continue
    found.push(path)
    expect(text, path).toContain('AsyncLocalStorage.snapshot()')
  }
  expect(found).toContain('shares/worker/share-worker.loop.ts')
})
