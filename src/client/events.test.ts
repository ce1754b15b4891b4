import { describe, expect, test } from 'vitest'
import { eventsOf, follow, type OpenStream, type ServerEvent } from './events.ts'
import { Refused, Unreachable } from './failure.ts'

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('reading events', () => {
  test('fields, comments and several lines of data', async () => {
    const text = ': alive\n\nid: 7\nevent: change\ndata: {"a":\ndata: 1}\n\ndata:plain\n\n'
    expect(await all(eventsOf(once(text)))).toEqual([
      { id: '7', event: 'change', data: '{"a":\n1}' },
      { id: '7', event: 'message', data: 'plain' },
    ])
  })

  test('an event without its empty line has not happened', async () => {
    expect(await all(eventsOf(once('id: 7\ndata: half\n')))).toEqual([])
  })
})

describe('following', () => {
  /** Streams that end or fail as told, one after the other; the last stays for ever. */
  function streams(...each: (readonly string[] | Error)[]) {
    const opened: (string | null)[] = []
    const open = async (after: string | null): Promise<OpenStream> => {
      const next = each[opened.length]
      opened.push(after)
      if (next instanceof Error) throw next
      return { events: events(next ?? []), position: '40' }
    }
    return { opened, open }
  }

  async function* events(ids: readonly string[]): AsyncGenerator<ServerEvent> {
    for (const id of ids) {
      if (id === 'break') throw new Unreachable('http://x', 'the connection was closed')
      yield { id, event: 'change', data: id }
    }
  }

  async function seen(
    count: number,
    after: string | null,
    open: (after: string | null) => Promise<OpenStream>,
  ) {
    const pauses: number[] = []
    const data: string[] = []
    for await (const event of follow({ open, after, sleep: async ms => void pauses.push(ms) })) {
      data.push(event.data)
      if (data.length === count) break
    }
    return { data, pauses }
  }

  test('a stream that breaks goes on after the last event seen', async () => {
    const { opened, open } = streams(['8', '9', 'break'], ['10'], ['11'])
    expect((await seen(4, '7', open)).data).toEqual(['8', '9', '10', '11'])
    expect(opened).toEqual(['7', '9', '10'])
  })

  test('from now on is a position, too: what happens while it is broken is not missed', async () => {
    const { opened, open } = streams(['break'], ['41'])
    await seen(1, null, open)
    expect(opened).toEqual([null, '40'])
  })

  test('each failure waits twice as long, up to half a minute, and an event starts over', async () => {
    const down = new Unreachable('http://x', 'connection refused')
    const busy = new Refused(503, 'busy')
    const { open } = streams(
      ['1'],
      ...Array.from({ length: 8 }, (_, at) => (at % 2 ? down : busy)),
      ['2'],
      ['3'],
    )
    expect((await seen(3, '0', open)).pauses).toEqual([
      500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 500,
    ])
  })

  test('a first connection that fails is not tried again', async () => {
    const { open } = streams(new Unreachable('http://x', 'connection refused'))
    await expect(seen(1, '7', open)).rejects.toThrow('connection refused')
  })

  test.each([401, 410])('%i ends it', async status => {
    const { open } = streams(['8'], new Refused(status, 'no'))
    await expect(seen(2, '7', open)).rejects.toThrow('no')
  })
})
