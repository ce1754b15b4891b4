import { expect, test } from 'vitest'
import type { ApiError } from '../api.ts'
import { Registry } from '../ops/metrics.ts'
import { Admission, type AdmissionLimits, type Entrant, type RequestKind, type Turns } from './admission.ts'
import { RequestAborted } from './request-body.ts'

/** An event loop whose turns the test takes. */
class Loop implements Turns {
  ms = 0
  #next: (() => void)[] = []
  #later: (() => void)[] = []

  nowMs = (): number => this.ms
  next = (callback: () => void): void => void this.#next.push(callback)
  later = (callback: () => void): void => void this.#later.push(callback)

  get isQuiet(): boolean {
    return this.#next.length === 0
  }

  async turn(): Promise<void> {
    for (const callback of this.#next.splice(0)) callback()
    await settle()
  }

  async check(): Promise<void> {
    for (const callback of this.#later.splice(0)) callback()
    await this.turn()
  }
}

/** Lets everything run that does not wait for a turn. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

class Desk {
  readonly loop = new Loop()
  readonly admission: Admission
  readonly registry = new Registry()
  /** In the order in which they were handled. */
  readonly handled: string[] = []
  readonly refused: { readonly name: string; readonly error: ApiError }[] = []
  readonly #open = new Map<string, () => void>()

  constructor(limits: Partial<AdmissionLimits>) {
    this.admission = new Admission(limits, this.loop)
    this.admission.addMetrics(this.registry)
  }

  /** `caller` followed by a number is its name. */
  send(kind: RequestKind, name: string, more: Partial<Entrant> = {}): void {
    const entrant = {
      kind,
      caller: name.replace(/\d+$/, ''),
      bodyBytes: 0,
      isStreamed: false,
      isGone: () => false,
      ...more,
    }
    const work = (): Promise<void> | undefined => {
      this.handled.push(name)
      return kind === 'read' ? undefined : new Promise(resolve => this.#open.set(name, resolve))
    }
    void (async () => this.admission.run(entrant, work))().catch(error => this.refused.push({ name, error }))
  }

  sendMany(kind: RequestKind, caller: string, count: number): void {
    for (let nth = 0; nth < count; nth++) this.send(kind, `${caller}${nth}`)
  }

  async answer(name: string): Promise<void> {
    this.#open.get(name)?.()
    await settle()
  }

  get refusedNames(): string[] {
    return this.refused.map(({ name }) => name)
  }
}

const FEW = { perTurn: { change: 2, read: 1 } }

test('a turn begins so many changes, then so many reads; the first of each turn do not wait', async () => {
  const desk = new Desk(FEW)
  desk.sendMany('read', 'r', 4)
  desk.sendMany('change', 'c', 5)
  expect(desk.handled).toEqual(['r0', 'c0', 'c1'])
  await desk.loop.turn()
  expect(desk.handled.slice(3)).toEqual(['c2', 'c3', 'r1'])
  await desk.loop.turn()
  expect(desk.handled.slice(6)).toEqual(['c4', 'r2'])
  await desk.loop.turn()
  expect(desk.handled.slice(8)).toEqual(['r3'])
  await desk.loop.turn()
  expect(desk.loop.isQuiet, 'an idle server takes no turns').toBe(true)
  expect(desk.refused).toEqual([])
})

test('callers take turns: one with a hundred requests does not delay another with one', async () => {
  const desk = new Desk({ perTurn: { change: 1, read: 1 } })
  desk.sendMany('read', 'greedy', 100)
  desk.send('read', 'modest0')
  for (let turn = 0; turn < 3; turn++) await desk.loop.turn()
  expect(desk.handled.indexOf('modest0')).toBe(2)
})

test('no more changes than allowed wait for the store, and reads go on', async () => {
  const desk = new Desk({ perTurn: { change: 8, read: 8 }, changesAtOnceMax: 2 })
  desk.sendMany('change', 'c', 4)
  await desk.loop.turn()
  expect(desk.handled).toEqual(['c0', 'c1'])
  desk.send('read', 'r0')
  expect(desk.handled).toEqual(['c0', 'c1', 'r0'])
  await desk.loop.turn()
  await desk.loop.turn()
  expect(desk.loop.isQuiet, 'it does not spin while it waits for the store').toBe(true)
  await desk.answer('c0')
  await desk.loop.turn()
  expect(desk.handled).toEqual(['c0', 'c1', 'r0', 'c2'])
})

test('a change whose body is a stream takes no place of others', async () => {
  const desk = new Desk({ perTurn: { change: 8, read: 8 }, changesAtOnceMax: 1 })
  desk.send('change', 'import0', { isStreamed: true })
  desk.send('change', 'c0')
  expect(desk.handled).toEqual(['import0', 'c0'])
})

test('who waits longer than allowed gets 503 with Retry-After, also while nothing can begin', async () => {
  const desk = new Desk({ ...FEW, changesAtOnceMax: 1, waitMsMax: 1_000 })
  desk.sendMany('change', 'c', 2)
  await desk.loop.turn()
  desk.loop.ms = 1_000
  await desk.loop.check()
  expect(desk.refused).toEqual([])
  desk.loop.ms = 1_001
  await desk.loop.check()
  expect(desk.refusedNames).toEqual(['c1'])
  expect(desk.refused[0]?.error).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
  expect(desk.handled).toEqual(['c0'])
})

test('in a lasting overload requests wait a tenth of the time, and are asked to come back later', async () => {
  const desk = new Desk({ perTurn: { change: 1, read: 1 }, waitMsMax: 1_000 })
  /** Two arrive for each that is answered, so that the line never gets empty. */
  const goOnUntil = async (ms: number): Promise<void> => {
    for (; desk.loop.ms < ms; desk.loop.ms += 90) {
      desk.sendMany('read', 'r', 2)
      await desk.loop.turn()
    }
  }
  await goOnUntil(990)
  expect(desk.refused, 'a burst').toEqual([])
  await goOnUntil(1_260)
  // None of them had waited for a second.
  expect(desk.refused.length).toBeGreaterThan(0)
  expect(desk.refused.at(-1)?.error.headers).toEqual({ 'retry-after': '2' })
  await goOnUntil(2_500)
  expect(desk.refused.at(-1)?.error.headers).toEqual({ 'retry-after': '3' })
})

test('a turn refuses only so many, so that health checks do not wait for it', async () => {
  const desk = new Desk({ ...FEW, waitMsMax: 1_000, refusalsPerTurn: 10 })
  desk.sendMany('read', 'r', 26)
  desk.loop.ms = 5_000
  const refused: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    await desk.loop.turn()
    refused.push(desk.refused.length)
  }
  expect(refused).toEqual([10, 20, 25])
})

test('when too many wait, a change displaces the last read of the caller with the most', async () => {
  const desk = new Desk({ ...FEW, waitingMax: 4 })
  desk.sendMany('read', 'greedy', 4)
  desk.sendMany('read', 'modest', 1)
  desk.sendMany('change', 'c', 4)
  await settle()
  expect(desk.refusedNames).toEqual(['greedy3', 'greedy2'])
  expect(desk.refused[0]?.error.headers).toEqual({ 'retry-after': '1' })
})

test('when too many wait, a caller displaces only one that has more waiting, and no read displaces a change', async () => {
  const desk = new Desk({ ...FEW, waitingMax: 4 })
  desk.sendMany('read', 'greedy', 5)
  desk.sendMany('read', 'modest', 3)
  await settle()
  expect(desk.refusedNames.sort(), 'two of each wait in the end').toEqual(['greedy3', 'greedy4', 'modest2'])
  const changes = new Desk({ ...FEW, waitingMax: 2 })
  changes.sendMany('change', 'c', 4)
  changes.sendMany('read', 'r', 2)
  await settle()
  expect(changes.handled).toEqual(['c0', 'c1', 'r0'])
  expect(changes.refusedNames).toEqual(['r1'])
})

test('the bodies that wait have a limit in bytes', async () => {
  const desk = new Desk({ ...FEW, bytesMax: 100 })
  desk.sendMany('change', 'c', 2)
  for (const nth of [2, 3, 4]) desk.send('change', `c${nth}`, { bodyBytes: 40 })
  expect(desk.refusedNames).toEqual([])
  await settle()
  expect(desk.refusedNames).toEqual(['c4'])
  await desk.loop.turn()
  for (const nth of [5, 6]) desk.send('change', `c${nth}`, { bodyBytes: 50 })
  await settle()
  expect(desk.refusedNames, 'those that began hold no more').toEqual(['c4'])
})

test('a request whose client has gone is dropped at its turn, and not counted', async () => {
  const desk = new Desk({ perTurn: { change: 1, read: 1 } })
  desk.sendMany('read', 'r', 1)
  desk.send('read', 'gone0', { isGone: () => true })
  desk.send('read', 'r1')
  await desk.loop.turn()
  expect(desk.handled).toEqual(['r0', 'r1'])
  expect(desk.refused[0]?.error).toBeInstanceOf(RequestAborted)
  expect(desk.registry.render()).toContain('berth_http_requests_shed_total{kind="read",reason="waited"} 0')
})

test('metrics count who waits and who was refused, by kind and reason', async () => {
  const desk = new Desk({ ...FEW, waitingMax: 3, waitMsMax: 1_000 })
  desk.sendMany('read', 'r', 6)
  await settle()
  const lines = (): string[] =>
    desk.registry
      .render()
      .split('\n')
      .filter(line => line.startsWith('berth_http_requests_'))
  expect(lines()).toEqual([
    'berth_http_requests_waiting{kind="change"} 0',
    'berth_http_requests_waiting{kind="read"} 3',
    'berth_http_requests_shed_total{kind="change",reason="waited"} 0',
    'berth_http_requests_shed_total{kind="change",reason="full"} 0',
    'berth_http_requests_shed_total{kind="read",reason="waited"} 0',
    'berth_http_requests_shed_total{kind="read",reason="full"} 2',
  ])
  desk.loop.ms = 2_000
  await desk.loop.turn()
  expect(lines()).toContain('berth_http_requests_shed_total{kind="read",reason="waited"} 3')
})
