import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

const asked: string[] = []
let server: Server
beforeAll(async () => {
  const entry = (revision: number) => ({
    at: '2026-11-18T12:00:00Z',
    since: '2026-11-18T12:00:00Z',
    revision,
    first_revision: revision,
    count: 1,
    user: 'joe',
    user_name: null,
    request_id: null,
    command: 'c',
    text: `t${revision}`,
    subjects: [],
  })
  // After the first look comes more than one page.
  const answers: Record<string, object> = {
    'limit=1': { entries: [entry(1)], revision: 1, next: null },
    'after=1': { entries: [entry(5), entry(4)], revision: 5, next: '4' },
    'before=4&after=1': { entries: [], revision: 6, next: '3' },
    'before=3&after=1': { entries: [entry(3), entry(2)], revision: 6, next: null },
  }
  server = createServer((request, response) => {
    const query =
      request.url
        ?.split('?')[1]
        ?.replace('limit=200&', '')
        .replace(/&limit=200$/, '') ?? ''
    asked.push(query)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[query]))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

test('--follow prints all that came, however many pages it is', async () => {
  const around = new FakeEnvironment()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const following = run(['activity', '--limit', '1', '--follow', '--json', '--url', url], { around })
  await expect.poll(() => asked, { timeout: 15_000 }).toContain('before=3&after=1')
  await expect.poll(() => around.stdout.text.trim().split('\n').length).toBe(5)
  around.stdout.close()
  await following
  const printed = around.stdout.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).revision)
  expect(printed).toEqual([1, 2, 3, 4, 5])
}, 20_000)
