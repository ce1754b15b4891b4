import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMariadb, testsMariadb } from '../../../test/mariadb.ts'
import {
  anotherAuthority,
  authority,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
} from '../postgres/certificates.fixture.ts'
import { openMysqlServer } from './open.ts'
import { rowsOrThrow } from './session.ts'

describe.skipIf(!testsMariadb)('a MariaDB that lets nobody in without TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  const write = (name: string, text: string) => {
    const file = join(directory, name)
    writeFileSync(file, text)
    return file
  }
  let mariadb: Awaited<ReturnType<typeof startMariadb>>
  const files = {
    ca: write('ca.pem', authority),
    other: write('other.pem', anotherAuthority),
    cert: write('cert.pem', clientCertificate),
    key: write('key.pem', clientKey),
  }

  beforeAll(async () => {
    chmodSync(directory, 0o755)
    mariadb = await startMariadb([
      `--ssl-ca=${files.ca}`,
      `--ssl-cert=${write('server.pem', serverCertificate)}`,
      `--ssl-key=${write('server-key.pem', serverKey)}`,
      '--require-secure-transport=ON',
    ])
    await mariadb.query(
      "CREATE DATABASE berth; CREATE USER known@'%' REQUIRE X509; GRANT ALL ON *.* TO known@'%'",
    )
  })
  afterAll(async () => {
    await mariadb?.remove()
    rmSync(directory, { recursive: true, force: true })
  })

  /** The cipher of a connection. */
  const connect = async (parameters: string, place = 'berth:berth@127.0.0.1') => {
    const url = `mysql://${place}:${mariadb.port}/berth?${parameters}`
    const { session } = await openMysqlServer(url, { env: {} })
    try {
      const [status] = rowsOrThrow(
        await session.ask(["SHOW STATUS LIKE 'Ssl_cipher'"], 2_000),
        error => error,
      )
      return status?.[0]?.[1]
    } finally {
      await session.close()
    }
  }

  test.each([
    ['nothing is said', () => ''],
    ['it is required', () => 'ssl_mode=REQUIRED'],
    ['the authority of the server is known', () => `ssl_ca=${files.ca}`],
  ])('it is used if %s', async (_, parameters) => {
    expect(await connect(parameters())).toMatch(/TLS_|AES|CHACHA/)
  })

  test('the name in the certificate is compared if asked for', async () => {
    const parameters = `ssl_ca=${files.ca}&ssl_verify_identity=true`
    expect(await connect(parameters, 'berth:berth@localhost')).toMatch(/TLS_|AES|CHACHA/)
    // Where the name of the machine leads to another address, nobody listens.
    await expect(connect(parameters, `berth:berth@${hostname()}`)).rejects.toThrow(
      /altnames|no such host|no server listens/,
    )
    await expect(connect(parameters)).rejects.toThrow('the name in the certificate of 127.0.0.1')
  })

  test('a server of another authority is refused', async () => {
    await expect(connect(`ssl_ca=${files.other}`)).rejects.toThrow(/certificate/)
  })

  test('without TLS there is no way in', async () => {
    await expect(connect('ssl_mode=DISABLED')).rejects.toThrow(/Access denied|secure transport/)
  })

  test('a certificate of ours lets in a user who needs one', async () => {
    const parameters = `ssl_ca=${files.ca}&ssl_cert=${files.cert}&ssl_key=${files.key}`
    expect(await connect(parameters, 'known@127.0.0.1')).toMatch(/TLS_|AES|CHACHA/)
    await expect(connect(`ssl_ca=${files.ca}`, 'known@127.0.0.1')).rejects.toThrow(/Access denied/)
  })
})
