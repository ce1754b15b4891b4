/** The messages of a command that cannot talk to its server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { Answering, answerJson } from '../../client/answering.fixture.ts'
import { run } from '../commands/run.fixture.ts'

let berth: Berth
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-cli-'))
  berth = await Berth.start({ auth: 'token' })
})
afterAll(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const LIST = ['provider', 'list']

test('a refused connection names the remedy', async () => {
  const nobody = await Answering.start(() => undefined)
  nobody.stop()
  const port = new URL(nobody.url).port
  expect(await run(LIST, { env: { BERTH_PORT: port } })).toMatchObject({
    exitCode: 69,
    out: '',
    err: `berth: no server answers at ${nobody.url} (connection refused): start one with 'berth serve', or name another with --url or BERTH_URL\n`,
  })
  expect((await run(LIST, { env: { BERTH_URL: nobody.url } })).err).toBe(
    `berth: no server answers at ${nobody.url} (connection refused): check the address, which is from the environment variable BERTH_URL\n`,
  )
})

test('no token, and a wrong one, are told apart', async () => {
  const { url } = berth.server
  const remedy = 'give one with --token-file or BERTH_TOKEN; a server keeps its own in DATA_DIR/admin-token'
  expect(await run([...LIST, '--url', url])).toMatchObject({
    exitCode: 77,
    out: '',
    err: `berth: ${url} needs a token: ${remedy}\n`,
  })
  expect(await run([...LIST, '--url', url], { env: { BERTH_TOKEN: 'wrong' } })).toMatchObject({
    exitCode: 77,
    err: `berth: ${url} does not know the token (environment variable BERTH_TOKEN): ${remedy}\n`,
  })
})

test("the token of this machine's server is found in its data directory", async () => {
  const port = new URL(berth.server.url).port
  const env = { BERTH_PORT: port, BERTH_DATA_DIR: berth.directory }
  expect(await run([...LIST, '--json'], { env })).toMatchObject({ exitCode: 0, json: [] })
})

test('a token without the right gets the operation it lacks', async () => {
  const open = await Berth.start()
  try {
    expect(await run([...LIST, '--url', open.server.url, '--token', 'mallory'])).toMatchObject({
      exitCode: 77,
      err: 'berth: the token (flag --token) may not do this: Policy does not allow placement:resource_providers:list to be performed. Use a token with the role admin\n',
    })
  } finally {
    await open.end()
  }
})

test('a named server of the client configuration is used', async () => {
  const path = join(directory, 'client.json')
  const token_file = join(berth.directory, 'admin-token')
  await writeFile(path, JSON.stringify({ servers: { lab: { url: berth.server.url, token_file } } }))
  const env = { BERTH_CLIENT_CONFIG: path }
  expect(await run([...LIST, '--server', 'lab', '--json'], { env })).toMatchObject({ exitCode: 0, json: [] })
  expect(await run([...LIST, '--server', 'nope'], { env })).toMatchObject({
    exitCode: 78,
    err: `berth: there is no server named nope (flag --server): ${path} has lab\n`,
  })
})

test('flags that contradict each other are a wrong command line', async () => {
  expect(await run([...LIST, '--url', 'http://a', '--server', 'b'])).toMatchObject({ exitCode: 64 })
})

test("a wrong configuration of this machine's server is told only where it is needed", async () => {
  const env = { BERTH_PORT: 'tcp://10.0.0.1:8778' }
  expect(await run(LIST, { env })).toMatchObject({ exitCode: 78 })
  expect(await run([...LIST, '--url', berth.server.url, '--token', 'x'], { env })).toMatchObject({
    exitCode: 77,
  })
})

test('an address without Berth is reported as such', async () => {
  const other = await Answering.start((_, response) => answerJson(response, 200, { hello: 'world' }))
  try {
    expect(await run([...LIST, '--url', other.url])).toMatchObject({
      exitCode: 69,
      err: `berth: ${other.url}: it has no Placement API, neither at /placement/ nor at /\n`,
    })
  } finally {
    other.stop()
  }
})

test('a server that fails is unavailable, in its own words', async () => {
  const failing = await Answering.start(({ url }, response) =>
    url === '/placement/'
      ? answerJson(response, 200, { versions: [{ max_version: '1.40' }] })
      : answerJson(response, 503, { errors: [{ detail: 'Unavailable.\n\n the store is full  ' }] }),
  )
  try {
    expect(await run([...LIST, '--url', failing.url])).toMatchObject({
      exitCode: 69,
      err: 'berth: the store is full\n',
    })
  } finally {
    failing.stop()
  }
})
