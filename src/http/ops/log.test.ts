import { expect, test } from 'vitest'
import { createLog, type LogOptions, type RequestRecord } from './log.ts'

function logTo(options: Partial<LogOptions> = {}) {
  const writes: string[] = []
  const log = createLog({ stream: { write: text => writes.push(text) }, nowMs: () => 0, ...options })
  return { log, writes, lines: () => writes.join('').split('\n').slice(0, -1) }
}

const record: RequestRecord = {
  requestId: 'req-1',
  globalRequestId: null,
  traceId: null,
  service: 'placement',
  method: 'GET',
  path: '/traits?name="x"',
  status: 200,
  durationMs: 1.23456,
  user: 'admin',
  project: null,
  microversion: '1.39',
  bytes: 42,
}

test('a record is one line of JSON with level, time, msg and fields', () => {
  const { log, lines } = logTo()
  log.warn('store is slow', { seconds: 3, what: 'a\nb', skipped: undefined })
  expect(lines().map(line => JSON.parse(line))).toEqual([
    { level: 'warn', time: '1970-01-01T00:00:00.000Z', msg: 'store is slow', seconds: 3, what: 'a\nb' },
  ])
})

test('a request is one line of JSON', () => {
  const { log, lines } = logTo()
  log.request(record)
  log.request({ ...record, globalRequestId: 'req-2', user: 'joe "x"', project: 'p', microversion: null })
  log.flush()
  const [first, second] = lines().map(line => JSON.parse(line))
  expect(first).toEqual({
    level: 'info',
    time: '1970-01-01T00:00:00.000Z',
    msg: 'request',
    request_id: 'req-1',
    service: 'placement',
    method: 'GET',
    path: '/traits?name="x"',
    status: 200,
    duration_ms: 1.235,
    user: 'admin',
    project: null,
    microversion: '1.39',
    bytes: 42,
  })
  expect(second).toMatchObject({
    global_request_id: 'req-2',
    user: 'joe "x"',
    project: 'p',
    microversion: null,
  })
})

test('lines of one turn are written together, and warnings at once', async () => {
  const { log, writes } = logTo()
  log.request(record)
  log.info('one')
  expect(writes).toHaveLength(0)
  await new Promise(resolve => setImmediate(resolve))
  expect(writes).toHaveLength(1)
  log.info('two')
  log.error('three')
  expect(writes).toHaveLength(2)
})

test('what lies below the level is not written', () => {
  const { log, lines } = logTo({ level: 'warn' })
  log.debug('no')
  log.info('no')
  log.request(record)
  log.warn('yes')
  log.flush()
  expect(lines()).toHaveLength(1)
})

test('an error shows its stack and its cause', () => {
  const { log, lines } = logTo()
  log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) })
  const { error } = JSON.parse(lines()[0] as string)
  expect(error).toMatchObject({ name: 'Error', message: 'outer', cause: { message: 'inner' } })
  expect(error.stack).toContain('log.test.ts')
})

test('fields named like secrets are hidden in both formats', () => {
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = logTo({ format })
    log.warn('oops', { 'x-auth-token': 'gAAAAA', adminPassword: 'pw' })
    expect(lines()[0]).not.toMatch(/gAAAAA|pw/)
    expect(lines()[0]).toContain('[hidden]')
  }
})

test('text is for people, and clients cannot forge lines in it', () => {
  const { log, lines } = logTo({ format: 'text' })
  log.warn('two\nlines', { who: 'x', why: 'a\n2030 ERROR \u009b2J' })
  log.request({ ...record, path: '/a b\u0007' })
  log.flush()
  expect(lines()).toEqual([
    '1970-01-01T00:00:00.000Z WARN  two lines who=x why="a\\n2030 ERROR \\u009b2J"',
    '1970-01-01T00:00:00.000Z INFO  GET "/a b\\u0007" 200 1.2ms 42B placement 1.39 admin/- req-1',
  ])
})

test('a giant path is cut', () => {
  const { log, lines } = logTo()
  log.request({ ...record, path: `/${'x'.repeat(60_000)}` })
  log.flush()
  expect((lines()[0] as string).length).toBeLessThan(3000)
})

test.each([
  ['/a?x=1&X-Auth-Token=gAAAA=&y=2', '/a?x=1&X-Auth-Token=[hidden]&y=2'],
  ['/a?password=pw', '/a?password=[hidden]'],
  ['/token=1?a', '/token=1?a'],
  [`/a?secret=${'s'.repeat(3_000)}`, '/a?secret=[hidden]...'],
])('secrets in an address are hidden', (path, shown) => {
  const { log, lines } = logTo()
  log.request({ ...record, path })
  log.flush()
  expect(JSON.parse(lines()[0] as string).path).toBe(shown)
})

test('an address is cut before secrets are sought in it', () => {
  const { log, lines } = logTo()
  log.request({ ...record, path: `/a${'?token'.repeat(100_000)}` })
  log.flush()
  expect(JSON.parse(lines()[0] as string).path).toHaveLength(2_048 + '...'.length)
})
