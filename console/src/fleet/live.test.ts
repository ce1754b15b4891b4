import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LiveFleet } from './live.ts'

const line = (name: string, used: number) =>
  `${JSON.stringify({
    uuid: 'host',
    name,
    generation: 1,
    parent_provider_uuid: null,
    root_provider_uuid: 'host',
    inventories: {},
    usages: { VCPU: used },
    traits: [],
    aggregates: [],
    revision: 5,
  })}\n`

const taken = (revision: number, used: number) => {
  const after = { consumer: 'c', provider: 'host', resource_class: 'VCPU', used }
  const change = { revision, at: '', ops: [{ table: 'allocations', before: null, after }] }
  return `id: ${revision}\ndata: ${JSON.stringify(change)}\n\n`
}

/** A server that gives each answer once; streams of changes stay open unless they are to end. */
class Answers {
  readonly fleets: string[] = []
  readonly changes: (string | number)[] = []
  readonly since: (string | null)[] = []

  readonly fetch = async (path: string, { headers }: RequestInit): Promise<Response> => {
    if (path === '/v1/fleet')
      return new Response(this.fleets.shift() ?? '', { headers: { 'berth-revision': '5' } })
    this.since.push(new Headers(headers).get('last-event-id'))
    const next = this.changes.shift() ?? ''
    if (typeof next === 'number') return new Response('', { status: next })
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(next))
        },
      }),
    )
  }
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 20 })

describe('a live fleet', () => {
  let answers: Answers
  let live: LiveFleet
  const follower = { changed: vi.fn(), reloaded: vi.fn() }
  const host = () => live.picture().fleet.providers.get('host')

  beforeEach(() => {
    vi.clearAllMocks()
    answers = new Answers()
    vi.stubGlobal('fetch', answers.fetch)
    vi.stubGlobal('addEventListener', () => undefined)
    live = new LiveFleet(follower)
  })
  afterEach(() => {
    live.stop()
    vi.unstubAllGlobals()
  })

  test('a change right after loading is in the picture, though that comes later', async () => {
    answers.fleets.push(line('first', 1))
    answers.changes.push(taken(6, 3))
    void live.run()
    await until(() => expect(live.picture().phase).toBe('live'))
    expect(host()?.usages.get('VCPU')).toBe(4)
    expect(live.picture().fleet.revision).toBe(6)
    expect(follower.changed).toHaveBeenCalledOnce()
    expect(follower.reloaded).not.toHaveBeenCalled()
  })

  test.each<[string, string | number]>([
    ['the server no longer has the changes', 410],
    ['the stream says that it was trimmed', 'event: trimmed\ndata: {}\n\n'],
  ])('where %s the fleet is read again, and changes right after that are in it', async (_, news) => {
    answers.fleets.push(line('first', 1), line('second', 10))
    answers.changes.push(news, taken(6, 3))
    void live.run()
    await until(() => expect(host()?.name).toBe('second'))
    expect(host()?.usages.get('VCPU')).toBe(13)
    expect(follower.reloaded).toHaveBeenCalledOnce()
    expect(answers.since).toEqual(['5', '5'])
  })
})
