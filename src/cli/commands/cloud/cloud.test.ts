/** The commands that need Berth's own API, against a small fake server. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuid } from '../../../../test/running-berth.ts'
import { Answering, type Asked, answerJson, answerProblem } from '../../../client/answering.fixture.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

type Answer = (asked: Asked, response: ServerResponse) => unknown

let server: Answering
let answer: Answer
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-cli-'))
})
afterAll(() => rm(directory, { recursive: true }))
beforeEach(async () => {
  server = await Answering.start((asked, response) =>
    asked.url === '/placement/'
      ? answerJson(response, 200, { versions: [{ max_version: '1.40' }] })
      : answer(asked, response),
  )
})
afterEach(() => server.stop())

const at = (...args: string[]) => run([...args, '--url', server.url, '--token', 'admin'])

const NDJSON = { 'content-type': 'application/x-ndjson', 'berth-revision': '812' }
const inventory = { total: 64, reserved: 4, min_unit: 1, max_unit: 64, step_size: 1, allocation_ratio: 2 }
const provider = (number: number) => ({
  uuid: `u${number}`,
  name: `host-${number}`,
  generation: 1,
  parent_provider_uuid: null,
  root_provider_uuid: `u${number}`,
  inventories: { VCPU: inventory },
  usages: { VCPU: 12 },
  traits: ['COMPUTE_NODE'],
  aggregates: [],
})

describe('fleet', () => {
  const lines = [1, 2].map(number => `${JSON.stringify(provider(number))}\n`).join('')

  beforeEach(() => {
    answer = (_, response) => response.writeHead(200, NDJSON).end(lines)
  })

  test('prints a table of used and capacity', async () => {
    expect(await at('fleet')).toMatchObject({
      exitCode: 0,
      out: `NAME    UUID  TRAITS  AGGREGATES  USED OF CAPACITY
host-1  u1         1           0  VCPU 12/120
host-2  u2         1           0  VCPU 12/120
`,
      err: 'berth: 2 providers at revision 812\n',
    })
  })

  test('passes NDJSON through as it is', async () => {
    expect(await at('fleet', '--json')).toMatchObject({ exitCode: 0, out: lines, err: '' })
  })

  test('hands its filters to the server', async () => {
    await at(
      'fleet',
      '--name',
      'host-*',
      '--uuid',
      'a',
      '--uuid',
      'b',
      '--required',
      'A,!B',
      '--member-of',
      `in:${uuid(3)},${uuid(4)}`,
      '--resource-class',
      'VGPU',
    )
    expect(server.asked.at(-1)?.url).toBe(
      `/v1/fleet?name=host-*&uuid=a&uuid=b&required=A,!B&member_of=in:${uuid(3)},${uuid(4)}&resource_class=VGPU`,
    )
  })

  test('a server without the export is reported', async () => {
    answer = (_, response) => answerJson(response, 404, { errors: [{ detail: 'Not here.' }] })
    expect(await at('fleet')).toMatchObject({
      exitCode: 69,
      err: `berth: ${server.url}: it has no /v1/fleet: it is not a Berth, or an older one, or this is not its root\n`,
    })
  })

  test('an answer that is no NDJSON is an error', async () => {
    answer = (_, response) => response.writeHead(200, NDJSON).end('<html>')
    expect(await at('fleet')).toMatchObject({
      exitCode: 69,
      err: `berth: ${server.url}: line 1 of the answer is not JSON\n`,
    })
  })

  test('an answer that breaks off is an error, even after output', async () => {
    answer = (_, response) => {
      response.writeHead(200, NDJSON).write(lines)
      setTimeout(() => response.destroy(), 20)
    }
    expect(await at('fleet', '--json')).toMatchObject({ exitCode: 69, out: lines })
  })

  test('a reader that has enough ends it quietly', async () => {
    answer = (_, response) => {
      response.writeHead(200, NDJSON)
      const timer = setInterval(() => response.write(lines), 5)
      response.on('close', () => clearInterval(timer))
    }
    const around = new FakeEnvironment()
    around.stdout.onWrite = () => around.stdout.close()
    const ran = await run(['fleet', '--json', '--url', server.url, '--token', 'admin'], { around })
    expect(ran).toMatchObject({ exitCode: 0, err: '' })
  })
})

describe('watch', () => {
  const change = (revision: number, name: string) => ({
    revision,
    at: '2031-05-01T12:00:00.000Z',
    ops: [{ table: 'traits', before: null, after: { name } }],
  })
  const event = (revision: number, name: string) =>
    `: alive\n\nid: ${revision}\nevent: change\ndata: ${JSON.stringify(change(revision, name))}\n\n`

  /** Watches until this many lines were printed, then closes the stream. */
  async function watched(lines: number, ...args: string[]) {
    const around = new FakeEnvironment()
    around.stdout.onWrite = () => {
      if (around.stdout.lines.length >= lines) around.stdout.close()
    }
    return run(['watch', ...args, '--url', server.url, '--token', 'admin'], { around })
  }

  const positions = () => server.asked.map(({ headers }) => headers['last-event-id'])

  test('prints a line a change, and goes on where it broke off', async () => {
    const answers = [event(8, 'CUSTOM_A'), event(9, 'CUSTOM_B')]
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = answers.shift()
      if (answers.length > 0) response.end(text)
      else response.write(text)
    }
    expect(await watched(2, '--since', '7')).toMatchObject({
      exitCode: 0,
      out:
        '2031-05-01T12:00:00.000Z  #8  trait CUSTOM_A created\n' +
        '2031-05-01T12:00:00.000Z  #9  trait CUSTOM_B created\n',
      err: 'berth: the stream ended; connecting again in 0:01\n',
    })
    expect(positions()).toEqual(['7', '8'])
  })

  test('--json is one change a line', async () => {
    answer = (_, response) => response.writeHead(200).write(event(8, 'CUSTOM_A'))
    expect((await watched(1, '--json')).json).toEqual(change(8, 'CUSTOM_A'))
    expect(positions()).toEqual([undefined])
  })

  test('providers are named as people name them', async () => {
    const ops = [{ table: 'provider_traits', before: null, after: { provider: 'u1', trait: 'CUSTOM_A' } }]
    const data = JSON.stringify({ revision: 8, at: 'now', ops })
    answer = ({ url }, response) =>
      url === '/placement/resource_providers/u1'
        ? answerJson(response, 200, provider(1))
        : response.writeHead(200).write(`id: 8\nevent: change\ndata: ${data}\n\n`)
    expect((await watched(1)).out).toBe('now  #8  host-1: +CUSTOM_A\n')
  })

  test('a position that was trimmed away names the remedy', async () => {
    answer = (_, response) =>
      answerProblem(response, 410, 'changes.trimmed', 'Revision 3 is no longer kept.', { oldest: 40 })
    expect(await watched(1, '--since', '3')).toMatchObject({
      exitCode: 66,
      err: "berth: Revision 3 is no longer kept. There is a gap: begin with --since 39, or look at 'berth fleet'\n",
    })
  })

  test('falling behind what the server keeps ends it, too', async () => {
    answer = (_, response) => response.writeHead(200).write('event: trimmed\ndata: {"oldest":40}\n\n')
    const { exitCode, err } = await watched(1)
    expect(exitCode).toBe(66)
    expect(err).toContain('begin with --since 39')
  })

  test('--since is a number', async () => {
    expect(await watched(1, '--since', 'yesterday')).toMatchObject({ exitCode: 64 })
  })
})

describe('explain', () => {
  const explained = {
    revision: 812,
    candidates: 0,
    capped: false,
    funnel: [],
    changes: [{ text: 'Drop: trait CUSTOM_A.', kind: 'drop' }],
  }

  beforeEach(() => {
    answer = (_, response) => answerJson(response, 200, explained)
  })

  test('asks what candidates would ask, and prints what would help', async () => {
    expect(await at('explain', '--resources', 'VCPU:1', '--forbidden', 'CUSTOM_A')).toMatchObject({
      exitCode: 0,
      out: 'No candidate at revision 812\n\nAny one of these would give a candidate:\n  Drop: trait CUSTOM_A.\n',
    })
    expect(server.asked.at(-1)?.url).toBe(
      '/v1/explain/allocation_candidates?resources=VCPU:1&required=!CUSTOM_A',
    )
  })

  test('--json passes the answer through, --microversion the version', async () => {
    const ran = await at('explain', '--query', 'resources=VCPU:1', '--microversion', '1.39', '--json')
    expect(ran.json).toEqual(explained)
    expect(server.asked.at(-1)?.headers['openstack-api-version']).toBe('placement 1.39')
  })
})

describe('export', () => {
  const lines =
    '{"berth_export":1,"revision":812}\n{"trait":{"name":"CUSTOM_A"}}\n' +
    '{"end":{"resource_classes":0,"traits":1,"providers":0,"consumers":0}}\n'

  beforeEach(() => {
    answer = (_, response) => response.writeHead(200, NDJSON).end(lines)
  })

  test('writes a file and says what is in it', async () => {
    const file = join(directory, 'cloud.ndjson')
    expect(await at('export', file)).toMatchObject({
      exitCode: 0,
      out: `${file}: ${lines.length} B, revision 812: 0 resource classes, 1 trait, 0 providers, 0 consumers\n`,
      err: '',
    })
    expect(await readFile(file, 'utf8')).toBe(lines)
    expect(await at('export', file)).toMatchObject({
      exitCode: 73,
      err: `berth: ${file} already exists: name another file, or give --force\n`,
    })
    expect((await at('export', file, '--force', '--json')).json).toEqual({
      file,
      bytes: lines.length,
      lines: 3,
      revision: 812,
      resource_classes: 0,
      traits: 1,
      providers: 0,
      consumers: 0,
    })
  })

  test('- is standard output, and nothing else is printed there', async () => {
    expect(await at('export', '-')).toMatchObject({ exitCode: 0, out: lines, err: '' })
  })

  test('without its last line it is no export, and leaves no file', async () => {
    answer = (_, response) => response.writeHead(200, NDJSON).end(lines.split('\n').slice(0, 2).join('\n'))
    const file = join(directory, 'broken.ndjson')
    expect(await at('export', file)).toMatchObject({
      exitCode: 69,
      err: 'berth: the export broke off: its last line is missing\n',
    })
    expect((await readdir(directory)).filter(name => name.startsWith('broken'))).toEqual([])
    expect((await at('export', '-')).exitCode).toBe(69)
  })

  test('a missing directory is reported', async () => {
    expect(await at('export', join(directory, 'no', 'cloud.ndjson'))).toMatchObject({
      exitCode: 73,
      err: expect.stringContaining('cannot be written: there is no such directory'),
    })
  })
})

describe('import', () => {
  const counts = { created: 2, updated: 1, unchanged: 0 }
  const report = { resource_classes: counts, traits: counts, providers: counts, consumers: counts, lines: 3 }

  beforeEach(() => {
    answer = (_, response) => answerJson(response, 200, report)
  })

  test('sends the file and prints what became of it', async () => {
    const file = join(directory, 'in.ndjson')
    await writeFile(file, 'a\nb\n')
    expect(await at('import', file)).toMatchObject({
      exitCode: 0,
      out: `                  CREATED  UPDATED  UNCHANGED
resource classes        2        1          0
traits                  2        1          0
providers               2        1          0
consumers               2        1          0
`,
      err: '',
    })
    expect(server.asked.at(-1)).toMatchObject({
      method: 'POST',
      url: '/v1/import',
      body: 'a\nb\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
  })

  test('- is standard input', async () => {
    const args = ['import', '-', '--json', '--url', server.url, '--token', 'admin']
    expect((await run(args, { typed: 'c\n' })).json).toEqual(report)
    expect(server.asked.at(-1)?.body).toBe('c\n')
  })

  test('on a terminal there is a bar while it runs', async () => {
    const file = join(directory, 'bar.ndjson')
    await writeFile(file, 'a\n'.repeat(10))
    const around = new FakeEnvironment()
    around.stderr.isTerminal = true
    await run(['import', file, '--url', server.url, '--token', 'admin'], { around })
    const [, bar, after] = around.stderr.text.split('\r').map(line => line.replace('\x1b[K', ''))
    expect(bar).toBe('import  [####################]  100%  20 B of 20 B  10 lines')
    expect(after).toBe('')
  })

  test.each([
    [409, 'Line 2: host-1 has another uuid.', {}, 75, 'Line 2: host-1 has another uuid.'],
    [400, 'The line is not JSON.', { line: 7 }, 65, 'line 7: The line is not JSON.'],
  ])('a refused line: %i', async (status, detail, facts, exitCode, line) => {
    answer = (_, response) => answerProblem(response, status, 'import.refused', detail, facts)
    const args = ['import', '-', '--url', server.url, '--token', 'admin']
    expect(await run(args, { typed: 'x\n' })).toMatchObject({
      exitCode,
      err: `berth: ${line} (the lines before it were imported)\n`,
    })
  })

  test('a missing file is reported before anything is sent', async () => {
    expect(await at('import', '/nonexistent')).toMatchObject({
      exitCode: 66,
      err: 'berth: /nonexistent does not exist\n',
    })
    expect(server.asked).toEqual([])
  })
})

describe('backup', () => {
  test('what is no database of Berth is not kept', async () => {
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/vnd.sqlite3' }).end('not a database')
    const file = join(directory, 'backup.sqlite')
    expect(await at('backup', file)).toMatchObject({
      exitCode: 65,
      err: `berth: what ${server.url} sent is not a SQLite database\n`,
    })
    expect((await readdir(directory)).filter(name => name.startsWith('backup'))).toEqual([])
  })

  test('Ctrl-C leaves no half of it behind', async () => {
    const begun = Promise.withResolvers<void>()
    answer = (_, response) => {
      response.writeHead(200).write('SQLite')
      setTimeout(begun.resolve, 100)
    }
    const around = new FakeEnvironment()
    const args = ['backup', join(directory, 'backup.sqlite'), '--url', server.url, '--token', 'admin']
    const running = run(args, { around })
    await begun.promise
    const halves = async () => (await readdir(directory)).filter(name => name.startsWith('backup'))
    expect(await halves()).toHaveLength(1)
    around.signal('SIGINT')
    expect([around.exits, await halves()]).toEqual([[130], []])
    server.stop()
    expect((await running).exitCode).toBe(69)
  })
})
