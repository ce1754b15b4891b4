import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type ConnectionFlags, connectionOf } from './settings.ts'

const directory = mkdtempSync(join(tmpdir(), 'berth-client-'))
afterAll(() => rmSync(directory, { recursive: true }))

function file(name: string, content: unknown): string {
  const path = join(directory, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const tokenFile = file('token', 'of-a-file\n')
const named = file('client.json', {
  default: 'home',
  servers: {
    home: { url: 'http://home:1', token: 'of-home' },
    lab: { url: 'http://lab:2/', token_file: 'token' },
    bare: { url: 'http://bare:3' },
  },
})
const LOCAL = 'http://127.0.0.1:8778'

function settle(flags: ConnectionFlags, env: Record<string, string> = {}) {
  return connectionOf({
    flags,
    env,
    homeDirectory: directory,
    local: async () => ({ url: LOCAL, token: async () => ({ token: 'local', from: 'file admin-token' }) }),
  })
}

const all = { BERTH_URL: 'http://env:4', BERTH_TOKEN: 'of-env', BERTH_CLIENT_CONFIG: named }

describe('the first that is given wins', () => {
  test.each<[string, ConnectionFlags, Record<string, string>, string, string | null]>([
    ['nothing', {}, {}, LOCAL, 'local'],
    ['the default of the file', {}, { BERTH_CLIENT_CONFIG: named }, 'http://home:1', 'of-home'],
    ['the environment', {}, all, 'http://env:4', 'of-env'],
    ['--server', { server: 'lab' }, all, 'http://lab:2', 'of-a-file'],
    ['--server without a token', { server: 'bare' }, all, 'http://bare:3', 'of-env'],
    ['--url', { url: 'https://flag:5/berth/' }, all, 'https://flag:5/berth', 'of-env'],
    ['--token', { server: 'lab', token: 'of-flag' }, all, 'http://lab:2', 'of-flag'],
    ['--token-file', { tokenFile }, all, 'http://env:4', 'of-a-file'],
    [
      'the token of the environment over the file',
      {},
      { BERTH_CLIENT_CONFIG: named, BERTH_TOKEN: 'e' },
      'http://home:1',
      'e',
    ],
    [
      'variables that are set but empty',
      {},
      { BERTH_URL: '', BERTH_TOKEN: '', BERTH_CLIENT_CONFIG: '' },
      LOCAL,
      'local',
    ],
  ])('%s', async (_, flags, env, url, token) => {
    expect(await settle(flags, env)).toMatchObject({ url, token })
  })

  test('names its source', async () => {
    expect(await settle({ server: 'lab' }, all)).toMatchObject({
      urlFrom: `server lab in ${named}`,
      tokenFrom: `file ${tokenFile}`,
    })
  })
})

describe('the token of this machine', () => {
  test('goes to its own server, however that is named', async () => {
    expect((await settle({ url: LOCAL })).token).toBe('local')
    expect((await settle({ url: `${LOCAL}/placement` })).token).toBe('local')
  })

  test.each([
    'http://127.0.0.1:8779',
    'https://127.0.0.1:8778',
    'http://elsewhere:8778',
    'http://localhost:8778',
  ])('never goes to %s', async url => {
    expect(await settle({ url })).toMatchObject({ token: null, tokenFrom: null })
  })
})

describe('a fault is one line', () => {
  test.each<[ConnectionFlags, Record<string, string>, string]>([
    [{ url: 'http://a', server: 'lab' }, {}, '--url and --server both name a server'],
    [{ token: 'a', tokenFile }, {}, '--token and --token-file both give a token'],
    [{ url: 'lab:8778' }, {}, 'lab:8778 (flag --url) is not an address of a server'],
    [{ url: 'http://me:pw@lab' }, {}, 'must have neither user, query nor fragment'],
    [{}, { BERTH_URL: 'lab' }, 'lab (environment variable BERTH_URL) is not an address'],
    [{ server: 'nope' }, all, `there is no server named nope (flag --server): ${named} has home, lab, bare`],
    [{ server: 'constructor' }, all, 'there is no server named constructor'],
    [{ tokenFile: '/nonexistent' }, {}, 'the token file /nonexistent (flag --token-file) does not exist'],
    [{ token: 'two\nlines' }, {}, 'the token (flag --token) is not one line of plain text'],
    [{}, { BERTH_CLIENT_CONFIG: '/nonexistent' }, 'BERTH_CLIENT_CONFIG) does not exist'],
  ])('%j %j', async (flags, env, line) => {
    await expect(settle(flags, env)).rejects.toThrow(line)
  })

  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    [{}, 'servers is missing'],
    [{ servers: { a: {} } }, 'servers.a.url is missing'],
    [{ servers: { a: { url: 1 } } }, 'servers.a.url is not a string'],
    [{ servers: { a: { url: 'http://a', pasword: 'x' } } }, 'servers.a.pasword is not a known key'],
    [{ servers: { a: { url: 'http://a', token: 'x', token_file: 'y' } } }, 'has both token and token_file'],
    [{ default: 'b', servers: {} }, 'there is no server named b'],
  ])('a file with %j', async (content, line) => {
    const path = file('wrong.json', content)
    await expect(settle({}, { BERTH_CLIENT_CONFIG: path })).rejects.toThrow(line)
  })

  test('a token is never in the message', async () => {
    const error = await settle({ token: 's3\u0001cret' }).catch(error => error)
    expect(error.message).not.toContain('cret')
  })
})
