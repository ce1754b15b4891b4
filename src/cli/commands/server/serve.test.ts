import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Config, keyNames } from '../../../config/keys.ts'
import { resolveConfig } from '../../../config/resolve.ts'
import { TokenFileRefused } from '../../../identity/token-file.ts'
import type { RunningServer } from '../../../server/start.ts'
import { StoreRefused } from '../../../store/store.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { serve } from './serve.ts'

function configWith(flags: Partial<Record<(typeof keyNames)[number], string>> = {}): Config {
  const resolved = resolveConfig({ flags, env: {}, file: null, terminal: false })
  if (!resolved.ok) throw new Error('the test has a wrong configuration')
  return resolved.values
}

/** A server whose input and output the test controls. */
function fakeServer(firstStartToken: string | null = null) {
  const drained = Promise.withResolvers<void>()
  const fatal = Promise.withResolvers<Error>()
  let drains = 0
  const server: RunningServer = {
    addresses: ['127.0.0.1:8778'],
    url: 'http://127.0.0.1:8778',
    routes: [],
    firstStartToken,
    drain: () => {
      drains++
      return drained.promise
    },
    fatal: fatal.promise,
  }
  return { server, drained, fatal, drains: () => drains }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('the address is on stdout; a later start shows no token', async () => {
  const around = new FakeEnvironment()
  const { server, drained } = fakeServer()
  drained.resolve()
  const ended = serve(configWith(), around, async () => server)
  await turn()
  around.signal('SIGTERM')
  expect(await ended).toBe(0)
  expect(around.stdout.text).toBe('berth 1.2.3 listens on http://127.0.0.1:8778\n')
  expect(around.stderr.text).toBe('')
})

test('the first start shows the admin token on a terminal, and where it is kept', async () => {
  const around = new FakeEnvironment()
  around.stdout.isTerminal = true
  const { server } = fakeServer('s3cret')
  void serve(configWith({ only: 'placement', data_dir: '/var/lib/berth' }), around, async () => server)
  await turn()
  expect(around.stdout.lines).toEqual([
    'berth 1.2.3 listens on http://127.0.0.1:8778, placement only',
    'admin token: s3cret',
    '(created at this first start, not shown again; stored in /var/lib/berth/admin-token)',
  ])
})

test('output that is no terminal says where the admin token is, never the token', async () => {
  const around = new FakeEnvironment()
  const { server } = fakeServer('s3cret')
  void serve(configWith({ only: 'placement', data_dir: '/var/lib/berth' }), around, async () => server)
  await turn()
  expect(around.stdout.lines).toEqual([
    'berth 1.2.3 listens on http://127.0.0.1:8778, placement only',
    'admin token: created at this first start, in /var/lib/berth/admin-token',
  ])
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s drains, and the exit waits for it', async signal => {
  const around = new FakeEnvironment()
  const fake = fakeServer()
  let exitCode: number | null = null
  const ended = serve(configWith(), around, async () => fake.server).then(code => {
    exitCode = code
  })
  await turn()
  around.signal(signal)
  await turn()
  expect([fake.drains(), exitCode]).toEqual([1, null])
  fake.drained.resolve()
  await ended
  expect(exitCode).toBe(0)
})

test('a second signal ends the process at once, a first one never does', async () => {
  const around = new FakeEnvironment()
  const { server } = fakeServer()
  void serve(configWith(), around, async () => server)
  await turn()
  around.signal('SIGTERM')
  expect(around.exits).toEqual([])
  around.atMs += 1000
  around.signal('SIGINT')
  expect(around.exits).toEqual([130])
})

test('the echo of the first signal, as npm makes one, is not a second', async () => {
  const around = new FakeEnvironment()
  const { server } = fakeServer()
  void serve(configWith(), around, async () => server)
  await turn()
  around.signal('SIGINT')
  around.atMs += 20
  around.signal('SIGINT')
  expect(around.exits).toEqual([])
})

test('a signal while starting is not lost', async () => {
  const around = new FakeEnvironment()
  const started = Promise.withResolvers<RunningServer>()
  const fake = fakeServer()
  fake.drained.resolve()
  const ended = serve(configWith(), around, () => started.promise)
  around.signal('SIGTERM')
  started.resolve(fake.server)
  expect(await ended).toBe(0)
  expect(fake.drains()).toBe(1)
})

test('a server that cannot go on is one line and exit code 70', async () => {
  const around = new FakeEnvironment()
  const { server, fatal } = fakeServer()
  const ended = serve(configWith(), around, async () => server)
  fatal.resolve(new Error('the writer died:\n  disk I/O error'))
  expect(await ended).toBe(70)
  expect(around.stderr.text).toBe('berth: cannot go on: the writer died: disk I/O error\n')
})

test('a server that breaks while it drains ends with 70 too', async () => {
  const around = new FakeEnvironment()
  const { server, fatal } = fakeServer()
  const ended = serve(configWith(), around, async () => server)
  await turn()
  around.signal('SIGTERM')
  fatal.resolve(new Error('disk full'))
  expect(await ended).toBe(70)
})

const system = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: some text, ${syscall}`), { code, syscall, ...(path ? { path } : {}) })

test.each([
  [
    system('EADDRINUSE', 'listen'),
    69,
    '127.0.0.1 port 8778 is in use: stop the other server, or choose another --port',
  ],
  [
    system('EACCES', 'listen'),
    69,
    '127.0.0.1 port 8778 is not allowed for this user: choose a --port of 1024 or higher',
  ],
  [
    system('ENOTFOUND', 'getaddrinfo'),
    69,
    '127.0.0.1 is not an address of this machine: choose another --host',
  ],
  [system('EACCES', 'mkdir', '/srv/x'), 74, 'data directory ./berth-data: permission denied: /srv/x'],
  [new StoreRefused('berth-data is held by another server'), 74, 'berth-data is held by another server'],
  [new TokenFileRefused('admin-token must hold one token'), 74, 'admin-token must hold one token'],
])('%s is one plain line and exit code %i', async (error, exitCode, line) => {
  const around = new FakeEnvironment()
  expect(await serve(configWith(), around, () => Promise.reject(error))).toBe(exitCode)
  expect(around.stderr.text).toBe(`berth: ${line}\n`)
  expect(around.stdout.text).toBe('')
})

test('an unexpected error is thrown on, so that its stack shows', async () => {
  const bug = new TypeError('x is not a function')
  await expect(serve(configWith(), new FakeEnvironment(), () => Promise.reject(bug))).rejects.toBe(bug)
})

test('the server’s log lines go to stderr', async () => {
  const around = new FakeEnvironment()
  const { server } = fakeServer()
  void serve(configWith(), around, async (_, parts) => {
    parts.log('{"msg":"ready"}')
    return server
  })
  await turn()
  expect(around.stderr.text).toBe('{"msg":"ready"}\n')
})

test('with log_file the log goes there and not to stderr, and SIGHUP reopens it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-serve-'))
  const path = join(directory, 'berth.log')
  const around = new FakeEnvironment()
  let log: (line: string) => void = () => undefined
  void serve(configWith({ log_file: path }), around, async (_, parts) => {
    log = parts.log
    return fakeServer().server
  })
  await turn()
  log('one')
  await rename(path, `${path}.1`)
  around.hangUp()
  log('two')
  expect([await readFile(`${path}.1`, 'utf8'), await readFile(path, 'utf8')]).toEqual(['one\n', 'two\n'])
  expect(around.stderr.text).toBe('')
  const missing = join(directory, 'no', 'berth.log')
  expect(await serve(configWith({ log_file: missing }), around, async () => fakeServer().server)).toBe(78)
  expect(around.stderr.text).toBe(
    `berth: configuration: log_file = ${missing} cannot be opened (its directory does not exist)\n`,
  )
  await rm(directory, { recursive: true })
})
