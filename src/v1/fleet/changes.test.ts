import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import { busyCloud } from './busy-cloud.fixture.ts'
import { streamChanges } from './changes.ts'
import { EVERYTHING } from './feed-rights.ts'

interface SeenEvent {
  readonly id: number
  readonly event: string | undefined
  readonly data: { readonly revision: number; readonly ops: readonly unknown[] } | null
}

/** The events of an answer as they arrive. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<SeenEvent> {
  let text = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    for (const block of blocks) {
      if (block.startsWith(':')) continue
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const data = field('data')
      yield {
        id: Number.parseInt(field('id') ?? '', 10),
        event: field('event'),
        data: data === undefined ? null : JSON.parse(data),
      }
    }
  }
}

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start({ changes_keep_rows: 100 })
})
afterEach(() => berth.end())

const follow = async (query: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${berth.server.url}/v1/changes${query}`, {
    headers: { 'x-auth-token': 'admin', ...headers },
    signal: signal ?? null,
  })

const trait = (name: string | number) => berth.ask('PUT', `/traits/CUSTOM_${name}`, { minor: 6 })

describe('over HTTP', () => {
  test('what happened since a revision comes in order, with names, and ends at the head', async () => {
    for (const name of ['A', 'B', 'C']) await trait(name)
    const answer = await follow('?since=2&follow=false')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const text = await answer.text()
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(match => JSON.parse(match[1] as string))
    expect(data).toMatchObject([
      { revision: 3, ops: [{ table: 'traits', before: null, after: { name: 'CUSTOM_B' } }] },
      { revision: 4, ops: [{ table: 'traits', before: null, after: { name: 'CUSTOM_C' } }] },
    ])
    expect(new Date(data[0].at).toISOString()).toBe(data[0].at)
  })

  test('without a position it begins now, and says where that is', async () => {
    await trait('A')
    const answer = await follow('')
    expect(answer.headers.get('berth-revision')).toBe('2')
    const events = eventsOf(answer.body as ReadableStream<Uint8Array>)
    expect((await events.next()).value).toEqual({ id: 2, event: undefined, data: null })
    await trait('B')
    expect((await events.next()).value).toMatchObject({ id: 3, event: 'change', data: { revision: 3 } })
    await events.return(undefined)
  })

  test('a client that comes back again and again with its last id misses nothing and sees nothing twice', async () => {
    const writes = 90
    const writing = (async () => {
      for (let number = 0; number < writes; number++) await trait(number)
    })()
    const seen: number[] = []
    let last = 1
    while (seen.length < writes) {
      const leaving = new AbortController()
      // A browser that reconnects sends its old query again, plus the newer Last-Event-ID.
      const answer = await follow('?since=1', { 'last-event-id': String(last) }, leaving.signal)
      let left = 1 + (seen.length % 7)
      for await (const { id, data } of eventsOf(answer.body as ReadableStream<Uint8Array>)) {
        if (data === null) continue
        seen.push(id)
        last = id
        if (--left === 0 || seen.length === writes) break
      }
      leaving.abort()
    }
    await writing
    expect(seen).toEqual(Array.from({ length: writes }, (_, at) => at + 2))
  })

  test('a position that was trimmed away is 410 with the oldest one, the oldest one itself is not', async () => {
    for (let number = 0; number < 130; number++) await trait(number)
    // Until it restarts, a server remembers more changes than the store keeps.
    expect((await berth.ask('GET', '/v1/changes?since=0&follow=false')).status).toBe(200)
    await berth.stop()
    berth = await Berth.start({ changes_keep_rows: 100, data_dir: berth.directory })
    const gone = await berth.ask('GET', '/v1/changes?since=0&follow=false')
    expect([gone.status, gone.json.code]).toEqual([410, 'changes.trimmed'])
    const { oldest } = gone.json
    expect(oldest).toBeGreaterThan(1)
    expect((await berth.ask('GET', `/v1/changes?since=${oldest - 1}&follow=false`)).text).toMatch(
      new RegExp(`\nid: ${oldest}-[0-9a-f]{8}\nevent: change`),
    )
    expect((await berth.ask('GET', `/v1/changes?since=${oldest - 2}&follow=false`)).status).toBe(410)
  })

  test('a client with another history has to start again', async () => {
    for (let number = 0; number < 3; number++) await trait(number)
    const text = (await berth.ask('GET', '/v1/changes?since=1&follow=false')).text
    const [, id, digits] = /\nid: (2-([0-9a-f]{8}))\n/.exec(text) as unknown as string[]
    const from = (position: string) =>
      berth.ask('GET', '/v1/changes?follow=false', { headers: { 'last-event-id': position } })
    expect((await from(id as string)).status).toBe(200)
    for (const other of [`2-${digits === '00000000' ? '1' : '0'}0000000`, `99-${digits}`])
      expect(await from(other)).toMatchObject({ status: 410, json: { code: 'changes.trimmed' } })
  })

  test.each([
    ['?since=99', {}, 'changes.future'],
    ['', { 'last-event-id': '99' }, 'changes.future'],
    ['', { 'last-event-id': 'nonsense' }, 'changes.bad-position'],
    ['?since=-1', {}, 'request.invalid'],
    ['?since=1&follow=maybe', {}, 'request.invalid'],
  ])('%s %j is refused as %s', async (query, headers, code) => {
    const { status, json } = await berth.ask('GET', `/v1/changes${query}`, { headers })
    expect([status, json.code]).toEqual([400, code])
  })

  test('a client that reads nothing for a while gets everything once it does', async () => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = get(`${berth.server.url}/v1/changes`, { headers: { 'x-auth-token': 'admin' } })
      asking.on('response', resolve).on('error', reject)
    })
    const lines = Array.from({ length: 20_000 }, (_, number) => ({
      trait: { name: `CUSTOM_${'X'.repeat(200)}_${number}` },
    }))
    const raw = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    const headers = { 'content-type': 'application/x-ndjson' }
    expect((await berth.ask('POST', '/v1/import', { raw, headers })).status).toBe(200)
    let names = 0
    const revisions: number[] = []
    for await (const { data } of eventsOf(Readable.toWeb(answer) as ReadableStream<Uint8Array>)) {
      if (data === null) continue
      revisions.push(data.revision)
      names += data.ops.length
      if (names === lines.length) break
    }
    expect(revisions).toEqual(revisions.map((_, at) => at + 2))
  })

  test('a server that stops ends those who follow', async () => {
    const answer = await follow('')
    const reading = answer.text()
    const stopped = berth.stop()
    expect(await reading).toMatch(/^id: 1\n\n/)
    await stopped
    // The answer began before the stop and said that its connection stays: nothing may wait for that.
    expect(berth.logLines.map(line => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'stopped', finished: true }),
    )
    berth = await Berth.start()
  })
})

describe('at the pace of the client', () => {
  const here = new AbortController().signal
  const sight = async () => EVERYTHING

  test('a slow one gets everything that is still kept, from the store, and memory keeps nothing for it', async () => {
    const { feed, write, world } = await busyCloud(7, undefined, { changesMax: 4 })
    const events = streamChanges(feed, { after: 0, upTo: null, gone: here, sight })
    await events.next()
    await write(300)
    for (let revision = 1; revision <= world.revision; revision++)
      expect((await events.next()).value).toMatch(
        new RegExp(`^id: ${revision}-[0-9a-f]{8}\\nevent: change\\n`),
      )
    await events.return(undefined)
  })

  test('a client that falls behind what is kept gets an error and the stream ends', async () => {
    const store = new MemoryStore({ changesCountMax: 10 })
    const { feed, write, world } = await busyCloud(7, store, { changesMax: 4 })
    await write(20)
    const events = streamChanges(feed, { after: world.revision - 3, upTo: null, gone: here, sight })
    await events.next()
    await write(200)
    const oldest = world.revision - 9
    expect((await events.next()).value).toBe(`event: trimmed\ndata: {"oldest":${oldest}}\n\n`)
    expect((await events.next()).done).toBe(true)
  })

  test('an idle stream gets keep-alive comments', async () => {
    const { feed } = await busyCloud(7)
    const events = streamChanges(feed, {
      after: feed.revision,
      upTo: null,
      gone: here,
      sight,
      heartbeatMs: 1,
    })
    await events.next()
    expect((await events.next()).value).toBe(': alive\n\n')
    expect((await events.next()).value).toBe(': alive\n\n')
    await events.return(undefined)
  })

  test('one that is gone is let go of', async () => {
    const { feed } = await busyCloud(7)
    const leaving = new AbortController()
    const events = streamChanges(feed, { after: feed.revision, upTo: null, gone: leaving.signal, sight })
    await events.next()
    const next = events.next()
    leaving.abort()
    await next
    expect((await events.next()).done).toBe(true)
  })
})
