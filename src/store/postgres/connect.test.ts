import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../test/postgres.ts'
import type { NoConnection } from '../shared/connecting.ts'
import { LinkLost } from '../shared/link.ts'
import {
  anotherAuthority,
  authority,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
} from './certificates.fixture.ts'
import { connect } from './connect.ts'
import { resolveOptions } from './connection-options.ts'
import { freshLinks, nowhere } from './fresh-database.fixture.ts'
import { openPostgresLinks } from './open.ts'
import type { Session } from './session.ts'

const timeouts = { answerMsMax: 3_000, frozenMsMax: 7_000 }

async function session(url: string, limits = timeouts): Promise<Session> {
  const made = await connect(resolveOptions(url, nowhere), limits)
  onTestFinished(() => made.close())
  return made
}

async function value(asked: Session, sql: string): Promise<unknown> {
  const [answer] = await asked.ask([{ text: sql }], 5_000)
  return answer?.ok === true ? answer.rows[0]?.[0] : answer?.error
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it worked',
    (reason: NoConnection) => `${reason.isLasting ? 'for good: ' : ''}${reason.message}`,
  )

/** A file that only we may read. */
function file(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'file')
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

describe('a session', () => {
  test('has our settings, for any defaults of the database', async () => {
    const { database } = await freshLinks()
    for (const setting of [
      'synchronous_commit = off',
      "default_transaction_isolation = 'serializable'",
      'extra_float_digits = 0',
    ])
      await database.query(`ALTER DATABASE ${database.name} SET ${setting}`)
    const asked = await session(database.url)
    const settings = {
      synchronous_commit: 'on',
      transaction_isolation: 'read committed',
      client_encoding: 'UTF8',
      statement_timeout: '3s',
      lock_timeout: '3s',
      idle_in_transaction_session_timeout: '7s',
      application_name: 'berth',
      enable_seqscan: 'off',
    }
    for (const [name, wanted] of Object.entries(settings))
      expect(await value(asked, `SHOW ${name}`), name).toBe(wanted)
  })

  test('leaves alone who waits for even more than we ask for', async () => {
    const { database } = await freshLinks()
    await database.query(`ALTER DATABASE ${database.name} SET synchronous_commit = remote_apply`)
    expect(await value(await session(database.url), 'SHOW synchronous_commit')).toBe('remote_apply')
  })
})

/** A server that takes connections and passes on what they say, for as long as it is told to. */
async function relay(port: number | null): Promise<{ port: number; hush(): void }> {
  const sockets = new Set<Socket>()
  let silent = port === null
  const server = createServer(client => {
    sockets.add(client)
    client.on('error', () => undefined)
    if (port === null) return
    const upstream = new (client.constructor as new () => Socket)()
    sockets.add(upstream)
    upstream.on('error', () => undefined).connect(port, '127.0.0.1')
    client.on('data', data => silent || upstream.write(data))
    upstream.on('data', data => silent || client.write(data))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as { port: number }).port,
    hush: () => {
      silent = true
    },
  }
}

describe('a server that says nothing', () => {
  test('is given up after a while', async () => {
    const { port } = await relay(null)
    const url = `postgres://postgres@127.0.0.1:${port}/x`
    const work = openPostgresLinks(url, { ...nowhere, answerMsMax: 500 })
    expect(await failure(work)).toBe(
      `no PostgreSQL can be used: 127.0.0.1:${port}: it did not answer in time`,
    )
  })

  test('while we wait for an answer is given up, and so is everything that waits behind it', async () => {
    const { database } = await freshLinks()
    const through = await relay(Number(new URL(database.url).port))
    const url = database.url.replace(/:\d+\//, `:${through.port}/`)
    const links = await openPostgresLinks(url, { ...nowhere, answerMsMax: 500 })
    const link = await links.connect()
    through.hush()
    const results = await Promise.allSettled([link.head(), link.changesAfter(0, 1), link.begin(0)])
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(LinkLost) })
    await link.close()
    await links.close()
  })
})

describe('with TLS and passwords', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    postgres.writeFile('server.crt', serverCertificate)
    postgres.writeFile('server.key', serverKey)
    postgres.writeFile('ca.crt', authority)
    const lines = readFileSync(join(postgres.dataDir, 'pg_hba.conf'), 'utf8')
    const rules = [
      'hostnossl all tls_only all reject',
      'hostssl all with_certificate all cert map=certificates',
      'host all with_password all scram-sha-256',
    ]
    postgres.writeFile('pg_hba.conf', `${rules.join('\n')}\n${lines}`)
    postgres.writeFile('pg_ident.conf', 'certificates postgres with_certificate\n')
    await postgres.query(
      "CREATE ROLE tls_only LOGIN; CREATE ROLE with_certificate LOGIN; CREATE ROLE with_password LOGIN PASSWORD 'secret'",
    )
    await postgres.configure({ ssl: 'on', ssl_ca_file: "'ca.crt'" })
    await postgres.restart()
  })
  afterAll(() => postgres.remove())

  const url = (parameters: string, user = 'postgres', host = '127.0.0.1') =>
    `postgres://${user}@${host}:${postgres.port}/postgres?${parameters}`
  const isEncrypted = async (address: string) =>
    value(await session(address), 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')

  test('a connection is encrypted where the mode and the server want it', async () => {
    expect(await isEncrypted(url('sslmode=disable'))).toBe(false)
    expect(await isEncrypted(url('sslmode=allow'))).toBe(false)
    expect(await isEncrypted(url('sslmode=allow', 'tls_only'))).toBe(true)
    expect(await isEncrypted(url(''))).toBe(true)
    expect(await isEncrypted(url('sslmode=require'))).toBe(true)
    expect(await failure(session(url('sslmode=disable', 'tls_only')))).toMatch(/^for good: .*pg_hba/)
  })

  test('a server without TLS is taken by prefer, and not by require', async () => {
    const { database } = await freshLinks()
    expect(await isEncrypted(`${database.url}?sslmode=prefer`)).toBe(false)
    expect(await failure(session(`${database.url}?sslmode=require`))).toMatch(/does not support SSL/)
  })

  test('a server is believed if the right one signed for it, and for its name', async () => {
    const right = `sslrootcert=${file(authority)}`
    const wrong = `sslrootcert=${file(anotherAuthority)}`
    expect(await isEncrypted(url(`sslmode=verify-ca&${right}`))).toBe(true)
    expect(await isEncrypted(url(`sslmode=require&${right}`))).toBe(true)
    expect(await isEncrypted(url(`sslmode=verify-full&${right}`, 'postgres', 'localhost'))).toBe(true)
    expect(await failure(session(url(`sslmode=verify-full&${right}`)))).toMatch(/^for good: .*certificate/)
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      expect(await failure(session(url(`sslmode=${mode}&${wrong}`, 'postgres', 'localhost')))).toMatch(
        /certificate/,
      )
  })

  test('we are known by our certificate', async () => {
    const own = `sslcert=${file(clientCertificate)}&sslkey=${file(clientKey)}`
    expect(await isEncrypted(url(own, 'with_certificate'))).toBe(true)
    expect(await failure(session(url('sslmode=require', 'with_certificate')))).toMatch(/certificate/)
  })

  test('we authenticate by password, and a failure says why', async () => {
    const address = (password: string) => url('', `with_password${password}`)
    expect(await isEncrypted(address(':secret'))).toBe(true)
    expect(await failure(session(address(':wrong')))).toMatch(/^for good: .*password authentication failed/)
    expect(await failure(session(address('')))).toMatch(
      /^for good: .*it asks for a password, and there is none/,
    )
    const lines = file('*:*:*:with_password:secret\n')
    expect(await isEncrypted(url(`passfile=${lines}`, 'with_password'))).toBe(true)
    chmodSync(lines, 0o644)
    expect(await failure(session(url(`passfile=${lines}`, 'with_password')))).toMatch(/chmod 600/)
  })

  test('a session over TLS that is not answered ends in time', async () => {
    const asked = await session(url('sslmode=require'))
    const [answer] = await asked.ask([{ text: 'SELECT pg_sleep(5)' }], 200)
    expect(answer).toMatchObject({ ok: false, error: expect.any(LinkLost) })
  })

  test('a Unix socket will do', async () => {
    const address = `postgres://postgres@/postgres?host=${postgres.socketDirectory}&port=${postgres.port}`
    expect(await value(await session(address), 'SELECT 1')).toBe(1)
  })
})
