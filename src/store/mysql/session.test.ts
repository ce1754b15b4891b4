import type { AddressInfo } from 'node:net'
import mysql from 'mysql2'
import { afterEach, expect, test } from 'vitest'
import { Session } from './session.ts'

const MORE_RESULTS = 0x0008
const DEADLOCK = { code: 1213, message: 'Deadlock found when trying to get lock; try restarting transaction' }
const COLUMN = {
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name: 'n',
  orgName: 'n',
  characterSet: 63,
  columnLength: 20,
  columnType: 8,
  flags: 0,
  decimals: 0,
}

/** What the driver offers to play a server. */
interface Peer {
  /** Of packets: each command begins at 0. */
  sequenceId: number
  serverHandshake(hello: object): void
  writeColumns(columns: readonly object[]): void
  writeTextRow(row: readonly string[]): void
  writeEof(warnings?: number, status?: number): void
  writeOk(result: object): void
  writeError(error: object): void
  on(event: 'query', run: () => void): void
  on(event: 'error', run: () => void): void
}

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A session with a server that answers every text as told. */
async function converse(answer: (peer: Peer) => void): Promise<Session> {
  const server = mysql.createServer(connection => {
    const peer = connection as unknown as Peer
    peer.on('error', () => undefined)
    peer.serverHandshake({
      protocolVersion: 10,
      serverVersion: '10.11.0-MariaDB',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xffffff ^ (1 << 11) ^ (1 << 24),
      authCallback: (_: unknown, accept: (error: null) => void) => {
        accept(null)
        peer.sequenceId = 0
      },
    })
    peer.on('query', () => {
      answer(peer)
      peer.sequenceId = 0
    })
  })
  servers.push(server as unknown as { close(): void })
  const listening = server as unknown as { listen(port: number, host: string, then: () => void): void }
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve))
  const { port } = (server as unknown as { _server: { address(): AddressInfo } })._server.address()
  const place = { host: '127.0.0.1', port, user: 'berth', password: null, database: 'berth' }
  return Session.connect({ ...place, tls: false, connectMsMax: 2_000 }, 'there')
}

const outcomes = async (session: Session, statements: readonly string[]) =>
  (await session.ask(statements, 2_000)).map(answer => (answer.ok ? answer.rows : answer.error.message))

const sendRow = (peer: Peer, status: number | null) => {
  peer.writeColumns([COLUMN])
  peer.writeTextRow(['7'])
  if (status !== null) peer.writeEof(0, status)
}

test('an error after the rows of the last statement is not lost: the node has rolled back', async () => {
  const session = await converse(peer => {
    sendRow(peer, MORE_RESULTS)
    sendRow(peer, null)
    peer.writeError(DEADLOCK)
  })
  expect(await outcomes(session, ['SELECT 7', 'SELECT 7'])).toEqual([[[7]], DEADLOCK.message])
  await session.close()
})

test('an error after a whole answer is that of the next statement', async () => {
  const session = await converse(peer => {
    sendRow(peer, MORE_RESULTS)
    peer.writeError(DEADLOCK)
  })
  expect(await outcomes(session, ['SELECT 7', 'COMMIT'])).toEqual([[[7]], DEADLOCK.message])
  await session.close()
})

test('a text that ends early counts as rolled back', async () => {
  const session = await converse(peer => sendRow(peer, 0))
  expect(await outcomes(session, ['SELECT 7', 'SELECT 8'])).toEqual([
    [[7]],
    'the server ended the statements early',
  ])
  await session.close()
})
